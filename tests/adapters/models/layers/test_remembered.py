"""The same request is answered from what is kept; any other one, and anything but a whole answer, is not."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from agentspec.adapters.models.layers.remembered import RememberedModel
from agentspec.core.messages import Failure, Reply, ToolCall, Usage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, ModelRequest, ToolSchema
from agentspec.testing.world import ListModel

ASKED = Transcript().append(UserMessage(text="What is there?"))
REQUEST = ModelRequest(transcript=ASKED)
TOOL = ToolSchema(name="look", description="look", parameters={"type": "object"})
SAID = Reply(
    text="A book.", calls=(ToolCall("c1", "look", "{}"),), usage=Usage(10, 4), extra={"sig": "x"}, origin="list"
)


class Shelf(dict[str, bytes]):
    def put(self, key: str, body: bytes) -> None:
        self[key] = body


def remembered(shelf: Shelf, *answers: Reply | Failure, writes: bool = True, who: bytes = b"m") -> RememberedModel:
    mask: Callable[[Reply], Reply] = lambda reply: replace(reply, text=reply.text.replace("geheim", "[redacted]"))  # noqa: E731
    return RememberedModel(ListModel(*answers), shelf, who, mask, writes=writes)


async def test_a_second_run_gets_the_whole_answer_without_a_call_and_for_nothing() -> None:
    shelf, heard = Shelf(), list[Delta]()
    first = await remembered(shelf, SAID).answer(REQUEST, None)

    second = await remembered(shelf).answer(REQUEST, heard.append)

    assert first == SAID
    assert second == replace(SAID, usage=Usage(), is_unsent=True)
    assert heard == [Delta(kind="text_delta", text="A book.")]


OTHERS: dict[str, dict[str, Any]] = {
    "conversation": {"transcript": ASKED.append(UserMessage(text="And now?"))},
    "harness": {"harness": "Hurry."},
    "tools": {"tools": (TOOL,)},
    "length": {"max_output_tokens": 10},
    "choice": {"tool_choice": "none"},
    "options": {"options": {"seed": 2}},
    "schema": {"schema": {"type": "object"}},
    "role": {"role": "judge"},
}


@pytest.mark.parametrize("change", OTHERS)
async def test_another_request_is_asked(change: str) -> None:
    shelf = Shelf()
    await remembered(shelf, SAID).answer(REQUEST, None)

    answer = await remembered(shelf, Reply(text="New.")).answer(replace(REQUEST, **OTHERS[change]), None)

    assert answer == Reply(text="New.")


async def test_another_model_is_asked() -> None:
    shelf = Shelf()
    await remembered(shelf, SAID).answer(REQUEST, None)

    assert await remembered(shelf, Reply(text="New."), who=b"other").answer(REQUEST, None) == Reply(text="New.")


@pytest.mark.parametrize(
    "answer",
    [Failure("server_error", "down"), Reply(text="cut", finish="length"), Reply(text="half", is_complete=False)],
    ids=["a failure", "an answer that was cut", "one that may not be whole"],
)
async def test_only_whole_answers_are_kept(answer: Reply | Failure) -> None:
    shelf = Shelf()

    assert await remembered(shelf, answer).answer(REQUEST, None) == answer

    assert shelf == {}


async def test_read_only_keeps_nothing() -> None:
    shelf = Shelf()

    await remembered(shelf, SAID, writes=False).answer(REQUEST, None)

    assert shelf == {}


async def test_no_secret_is_kept() -> None:
    shelf = Shelf()

    await remembered(shelf, Reply(text="it is geheim")).answer(REQUEST, None)

    assert b"geheim" not in b"".join(shelf.values())


async def test_what_another_version_kept_in_another_way_is_asked_again() -> None:
    shelf = Shelf()
    await remembered(shelf, SAID).answer(REQUEST, None)
    for key in shelf:
        shelf[key] = b'{"text": ["no text"]}'

    assert await remembered(shelf, Reply(text="New.")).answer(REQUEST, None) == Reply(text="New.")


async def test_a_conversation_that_grows_is_the_same_as_one_that_was_long_at_once() -> None:
    shelf, longer = Shelf(), ASKED.append(UserMessage(text="And now?"))
    growing = remembered(shelf, SAID, Reply(text="Two."))
    await growing.answer(REQUEST, None)
    await growing.answer(replace(REQUEST, transcript=longer), None)

    answer = await remembered(shelf).answer(replace(REQUEST, transcript=longer), None)

    assert isinstance(answer, Reply)
    assert answer.text == "Two."
