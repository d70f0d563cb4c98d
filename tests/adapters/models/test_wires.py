"""One contract for all protocols: the same answer is the same reply, whole or in pieces, wherever the network cuts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.wires.body import last_events, read_body, take_events
from agentspec.adapters.models.wires.draft import Cut, Draft, Unreadable
from agentspec.adapters.models.wires.lines import LineParser
from agentspec.adapters.models.wires.sse import SseParser
from agentspec.core.messages import AssistantMessage, Failure, Reply, ToolCall, ToolMessage, Usage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from tests.adapters.models.asking import KEY, OPENING, ask, model_at
from tests.adapters.models.conversations import decoded
from tests.adapters.models.vendors import VENDORS
from tests.servers.loopback import CLOSE, Loopback, chunk, response
from tests.servers.said import ABSENT, ID, Call, Counts, Said, Speaker
from tests.servers.speakers import SPEAKERS, answers, frames, head

CALLS = (Call("call_1", "lookup", {"key": "ä", "n": 1}), Call("call_2", "lookup", {}))
SAID = Said("I look 🙂.", CALLS, "Look it up.", "calls")
TOLD = "I look 🙂."
WIRES = pytest.mark.parametrize("speaker", SPEAKERS.values(), ids=list(SPEAKERS))
FORMS = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


def reading(speaker: Speaker, parts: Iterable[bytes], listen: Any = None) -> Reply:
    """What becomes of the parts of a stream."""
    draft = Draft(listen)
    reader = PROVIDERS[speaker.provider].wire({"model": "m-1"}, "here").reader(draft)
    parser = LineParser() if speaker.is_lines else SseParser()
    for part in parts:
        if take_events(parser.feed(part), reader).is_done:
            break
    else:
        take_events(last_events(parser), reader)
    reader.end()
    return draft.reply(provider=speaker.provider, model="m-1", origin="here", taken=set(), position=4, sent=400)


def read_whole(speaker: Speaker, said: Said) -> Reply:
    """What becomes of a whole answer."""
    draft = Draft(None)
    read_body(json.dumps(speaker.whole(said)).encode(), PROVIDERS[speaker.provider].wire({}, "here").reader(draft))
    return draft.reply(provider=speaker.provider, model="m-1", origin="here", taken=set(), position=4, sent=400)


def both(speaker: Speaker, said: Said) -> tuple[Reply, Reply]:
    """A whole answer and a stream of it."""
    opening, closing = frames(speaker, said)
    return read_whole(speaker, said), reading(speaker, [*opening, *closing])


def streamed_bytes(speaker: Speaker) -> bytes:
    """A whole stream as it comes over the network."""
    opening, closing = frames(speaker, SAID, 8)
    return b"".join([*opening, *closing])


def meaning(reply: Reply) -> Reply:
    """A reply without how its arguments are spelt and without what only its maker understands."""
    calls = tuple(ToolCall(call.id, call.name, json.dumps(json.loads(call.arguments or "{}"))) for call in reply.calls)
    return replace(reply, calls=calls, extra={}, origin="", finish_text="")


def expected(speaker: Speaker) -> Reply:
    is_short = speaker.provider == "ollama"  # it tells neither ids of answers nor tokens of caches and thoughts
    return Reply(
        text=TOLD,
        calls=(ToolCall("call_1", "lookup", '{"key": "\\u00e4", "n": 1}'), ToolCall("call_2", "lookup", "{}")),
        finish="tool_calls",
        usage=Usage(90, 28, 0 if is_short else 60, 0 if is_short else 8),
        model="m-1",
        provider=speaker.provider,
        request_id="" if is_short else ID,
        reasoning="Look it up.",
    )


@WIRES
@FORMS
async def test_an_answer_over_the_network_is_the_same_whole_or_streamed(speaker: Speaker, streamed: bool) -> None:
    heard = []
    async with Loopback([answers(speaker, SAID, streamed=streamed)]) as server:
        reply = await ask(server.url, provider=speaker.provider, stream=streamed, listen=heard.append)

    assert isinstance(reply, Reply), reply
    assert meaning(reply) == expected(speaker)
    assert "".join(delta.text for delta in heard if delta.kind == "text_delta") == TOLD
    assert "".join(delta.text for delta in heard if delta.kind == "reasoning_delta") == "Look it up."
    asked = server.asked[0]
    assert asked.line == f"POST {speaker.paths[streamed]} HTTP/1.1"
    assert [name for name, value in asked.headers.items() if KEY in value] == (
        [PROVIDERS[speaker.provider].key_header] if speaker.provider != "ollama" else []
    )


@WIRES
@pytest.mark.parametrize("size", [1, 3, 40])
def test_pieces_of_any_size_give_the_same_reply(speaker: Speaker, size: int) -> None:
    opening, closing = frames(speaker, SAID, size)

    assert meaning(reading(speaker, [*opening, *closing])) == expected(speaker)


@WIRES
def test_a_stream_that_the_network_cuts_in_two_anywhere_is_the_same(speaker: Speaker) -> None:
    data = streamed_bytes(speaker)

    for cut in range(len(data)):
        assert meaning(reading(speaker, [data[:cut], data[cut:]])) == expected(speaker), cut


@WIRES
@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
def test_a_stream_byte_by_byte_in_any_line_ends_is_the_same(speaker: Speaker, end: bytes) -> None:
    data = streamed_bytes(speaker).replace(b"\n", end)
    if speaker.is_lines and end == b"\r":
        return  # JSON Lines know no other end than a line feed

    assert meaning(reading(speaker, (data[at : at + 1] for at in range(len(data))))) == expected(speaker)


@WIRES
def test_a_stream_that_ends_at_any_byte_is_whole_or_no_answer(speaker: Speaker) -> None:
    opening, closing = frames(speaker, SAID, 8)
    data, whole = b"".join(opening + closing), len(b"".join(opening)) + len(closing[0].rstrip())

    for cut in range(len(data)):
        if cut >= whole:
            assert reading(speaker, [data[:cut]]).calls == expected_calls(speaker, SAID), cut
            continue
        with pytest.raises((Cut, Unreadable)):
            reading(speaker, [data[:cut]])


def expected_calls(speaker: Speaker, said: Said) -> tuple[ToolCall, ...]:
    """The calls as the whole stream gives them."""
    opening, closing = frames(speaker, said)
    return reading(speaker, [*opening, *closing]).calls


@WIRES
@pytest.mark.parametrize("part", range(3))
async def test_a_connection_that_dies_in_a_stream_is_a_failure_that_may_be_asked_again(
    speaker: Speaker, part: int
) -> None:
    opening, _ = frames(speaker, SAID, 8)
    data = b"".join(opening)
    cuts = range(part * 13, len(data), 3 * 13 * 4)

    async with Loopback([[head(speaker), chunk(data[:cut]) if cut else b"", CLOSE] for cut in cuts]) as server:
        for cut in cuts:
            answer = await ask(server.url, provider=speaker.provider, stream=True)

            assert isinstance(answer, Failure), cut
            assert (answer.category, answer.retryable) == ("connection", True)


# --- reasons


@WIRES
@pytest.mark.parametrize(
    ("said", "finish", "complete"),
    [
        (Said("Hi.", reason="stop"), "stop", True),
        (Said("", reason="stop"), "stop", True),
        (Said("", CALLS[:1], reason="calls"), "tool_calls", True),
        (Said("", CALLS[:1], reason="stop"), "tool_calls", True),
        (Said("Hi.", reason="length"), "length", False),
        (Said("", CALLS[:1], reason="length"), "length", False),
        (Said("Hi.", reason="filter"), "content_filter", False),
        (Said("Hi.", reason="made_up"), "other", False),
    ],
)
def test_a_reason_means_the_same_in_every_protocol(speaker: Speaker, said: Said, finish: str, complete: bool) -> None:
    for reply in both(speaker, said):
        told = "content_filter" if reply.finish == "refusal" else reply.finish
        assert (told, reply.is_complete) == (finish, complete)


@WIRES
@pytest.mark.parametrize("reason", [None, ABSENT, 7, [], ""], ids=["null", "absent", "number", "list", "empty"])
def test_a_reason_that_is_none_never_makes_half_an_answer_whole(speaker: Speaker, reason: object) -> None:
    opening, closing = frames(speaker, Said("Hi.", reason=reason))
    if speaker.provider == "ollama":
        return  # its last line says itself that it is the last

    try:
        reply = reading(speaker, [*opening, closing[0]])
    except (Cut, Unreadable):
        return
    assert (reply.finish, reply.is_complete) == ("other", False)  # the end itself was told, and not that it is whole


# --- ids


@WIRES
def test_calls_whose_ids_are_missing_or_stand_twice_get_ids_of_their_own(speaker: Speaker) -> None:
    for ids in (("", ""), ("a", "a"), ("x" * 500, "b")):
        said = Said(calls=tuple(Call(each, "lookup", {}) for each in ids), reason="calls")
        for reply in both(speaker, said):
            found = [call.id for call in reply.calls]
            assert len(set(found)) == 2, found
            assert all(0 < len(each) <= 128 for each in found)


# --- usage

LIES = [
    Counts(prompt=ABSENT, output=ABSENT), Counts(-5, 0, -1), Counts("90", "0", "28"), Counts(0, 0, 0, 0),
    Counts(prompt=True, cached=0, output=False), Counts(1 << 60, 0, 1 << 60), Counts(None, None, None, None), Counts([], {}, []), None,
    Counts(float("nan"), 0, 1.5), Counts(10**12, 0, 10**12), Counts(1 << 27, 0, 1 << 27),
]  # fmt: skip


@WIRES
@pytest.mark.parametrize("counts", LIES, ids=str)
def test_tokens_that_cannot_be_true_are_estimated_and_say_so(speaker: Speaker, counts: Counts | None) -> None:
    for reply in both(speaker, Said("A long answer. " * 8, usage=counts)):
        usage = reply.usage
        assert usage.estimated
        assert 0 < usage.input_tokens < 1000
        assert 0 < usage.output_tokens < 1000
        assert 0 <= usage.cached_input_tokens <= usage.input_tokens


@WIRES
def test_tokens_that_are_told_twice_are_totals_and_count_once(speaker: Speaker) -> None:
    opening, closing = frames(speaker, SAID)
    early = frames(speaker, SAID._replace(reason=ABSENT, usage=Counts(50, 10, 4, 2)))[1]
    before = [each for each in early if b"DONE" not in each and b"message_stop" not in each]
    if speaker.provider in ("openai_responses", "ollama"):
        before = []  # theirs stand in the event that ends the answer, and nothing is read after it

    reply = reading(speaker, [*opening, *before, *closing, *closing])

    assert reply.usage == expected(speaker).usage


# --- a server that does not take back what it said itself

NOT_TAKEN_BACK = {
    "openai": "Extra inputs are not permitted, field: 'messages[1].reasoning_content'",
    "openai_responses": "The encrypted content b3Bh...VlCg could not be verified.",
    "anthropic": "messages.1.content.0: Invalid `signature` in `thinking` block",
    "google": "Thought signature is not valid.",
}


@pytest.mark.parametrize("provider", NOT_TAKEN_BACK)
async def test_an_answer_that_its_own_server_refuses_goes_back_without_what_only_it_understands(provider: str) -> None:
    speaker, extra = SPEAKERS[provider], VENDORS[provider].extra
    refused = [response(speaker.refusal(400, NOT_TAKEN_BACK[provider]), 400)]
    client = HttpClient()

    async with Loopback([answers(speaker, SAID, streamed=False), refused, refused]) as server:
        model = model_at(server.url, client, provider=provider)
        first = await model.answer(ModelRequest(OPENING), None)
        assert isinstance(first, Reply)
        said = OPENING.append(AssistantMessage("I look.", extra=extra, origin=first.origin)).append(
            UserMessage("Go on.")
        )
        failures = [await model.answer(ModelRequest(said), None) for _ in range(2)]
    await client.close()

    marks = [each.encode() for each in ("Look it up.", "thoughtSignature", 'encrypted_content":"c2')]
    sent = [any(mark in asked.body for mark in marks) for asked in server.asked]
    assert sent == [False, True, False]
    assert [(failure.category, failure.retryable) for failure in failures if isinstance(failure, Failure)] == [
        ("invalid_request", True),
        ("invalid_request", False),
    ]


@pytest.mark.parametrize("blank", ["", " ", "\n\t \u00a0"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_blank_text_goes_back_which_some_servers_refuse_for_ever(provider: str, blank: str) -> None:
    said = [
        AssistantMessage(blank, (ToolCall("c1", "lookup", "{}"),)),
        ToolMessage("c1", "lookup", blank),
        UserMessage(blank),
        AssistantMessage(blank),
        AssistantMessage("so", raw=blank),
        UserMessage("Go on."),
    ]
    wire = PROVIDERS[provider].wire({"model": "m-1"}, "here")

    body = decoded(wire.body(ModelRequest(Transcript([*OPENING, *said])), stream=False))

    told = [text for text in texts_of(body) if text != ""]  # an empty text beside calls is a form of none
    assert [text for text in told if not text.strip()] == []
    assert ("(no output)" in told, "(empty)" in told) == (True, True)


def texts_of(value: Any) -> list[str]:
    """Every text in a request."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in texts_of(each)]


async def test_a_server_that_wants_reasoning_beside_every_call_gets_some() -> None:
    words = "Missing `reasoning_content` field in the assistant message at message index 2."
    refused = [response(SPEAKERS["openai"].refusal(400, words), 400)]
    call = AssistantMessage(calls=(ToolCall("c1", "lookup", "{}"),), origin="another")
    said = OPENING.append(call).append(ToolMessage("c1", "lookup", "found"))
    client = HttpClient()

    async with Loopback([refused, answers(SPEAKERS["openai"], SAID, streamed=False)]) as server:
        model = model_at(server.url, client)
        first, second = [await model.answer(ModelRequest(said), None) for _ in range(2)]
    await client.close()

    assert (first.retryable if isinstance(first, Failure) else None, isinstance(second, Reply)) == (True, True)
    assert [asked.json["messages"][2].get("reasoning_content") for asked in server.asked] == [None, " "]
