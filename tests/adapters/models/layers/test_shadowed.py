"""A second model is asked the same, and nothing that it says or does changes the answer."""

import asyncio

from msgspec.structs import replace

from agentspec.adapters.models.layers.shadowed import ShadowedModel
from agentspec.core.messages import Failure, Mirrored, Reply, ToolCall, Usage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from agentspec.testing.world import ListModel

REQUEST = ModelRequest(transcript=Transcript(), is_mirrored=True)
SAID = Reply(text="A.", usage=Usage(3, 4))
OTHER = Reply(text="B.", calls=(ToolCall("c1", "look", "{}"),), usage=Usage(5, 6))


async def seen(shadow: ListModel) -> Mirrored:
    answer = await ShadowedModel(ListModel(SAID), shadow).answer(REQUEST, None)
    assert isinstance(answer, Reply)
    assert replace(answer, mirrored=None) == SAID
    assert answer.mirrored is not None
    return replace(answer.mirrored, ms=0)


async def test_what_the_second_model_says_is_recorded_beside_the_answer() -> None:
    shadow = ListModel(OTHER)

    told = await seen(shadow)

    assert told == Mirrored("list", "list", text="B.", calls=OTHER.calls, usage=Usage(5, 6))
    assert shadow.requests == [REQUEST]


async def test_its_failures_are_recorded_and_change_nothing() -> None:
    async def breaks(_: ModelRequest) -> Reply:
        raise OSError("the cable")

    told = [await seen(ListModel(Failure("auth", "no key"))), await seen(ListModel(breaks))]

    assert [(each.error, each.message) for each in told] == [("auth", "no key"), ("bad_response", "OSError: the cable")]


async def test_a_request_that_does_not_say_so_is_not_mirrored() -> None:
    shadow = ListModel(OTHER)

    answer = await ShadowedModel(ListModel(SAID), shadow).answer(replace(REQUEST, is_mirrored=False), None)

    assert (answer, shadow.requests) == (SAID, [])


async def test_where_the_first_fails_the_second_is_called_back() -> None:
    ended = []

    async def slow(_: ModelRequest) -> Reply:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("called back")
        return OTHER

    async def fails(_: ModelRequest) -> Failure:
        await asyncio.sleep(0)
        return Failure("timeout", "slow")

    answer = await ShadowedModel(ListModel(fails), ListModel(slow)).answer(REQUEST, None)
    await asyncio.sleep(0)

    assert answer == Failure("timeout", "slow")
    assert ended == ["called back"]
