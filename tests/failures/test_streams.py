"""Streams through a whole run; the reader of streams itself is held by the tests of the adapter."""

import asyncio

from tests.failures.whole import results
from tests.servers.background import says
from tests.servers.loopback import DONE, STALL, Loopback, call_piece, chunk, piece, stream, stream_head, usage_piece

STREAMED = {"stream": True, "retry": {"max_attempts": 2, "base": "1ms"}}
END = [stream(piece({"content": "whole"}), piece({}, "stop"), usage_piece(), DONE)]


async def test_a_stream_without_its_end_is_retried_and_its_text_shows_once_in_the_result(world):
    """D-07 D-16"""
    events = []
    cut = [stream(piece({"content": "who"}))]
    async with Loopback([cut, END]) as server:
        result = await world.run(server, model=STREAMED, on_event=events.append)

    assert (result.status, result.text, result.visible_text) == ("done", "whole", "whole")
    heard = [
        (event["kind"], event.get("text") or event.get("error_class")) for event in events if "call_id" not in event
    ]
    assert [each for each in heard if each[0] in ("text_delta", "model_call")] == [
        ("text_delta", "who"),
        ("model_call", "connection"),  # what was shown before it is void
        ("text_delta", "whole"),
        ("model_call", "whole"),
    ]


async def test_a_stream_that_never_ends_well_keeps_what_it_said_and_is_no_success(world):
    """D-07"""
    async with Loopback([[stream(piece({"content": "who"}))]]) as server:
        result = await world.run(server, model=STREAMED)

    assert (result.status, result.stop_reason, result.text, len(server.asked)) == (
        "provider_error",
        "connection",
        "who",
        2,
    )


async def test_an_error_in_a_stream_ends_the_attempt_with_its_own_class(world):
    """D-08"""
    overloaded = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'
    async with Loopback([[stream(piece({"content": "who"}), overloaded)]]) as server:
        result = await world.run(server, model=STREAMED)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "server_error", 2)


async def test_a_stream_that_goes_silent_ends_at_its_limit(world):
    """D-14"""
    silent = [stream_head() + chunk(piece({"content": "who"})), STALL]
    async with asyncio.timeout(20), Loopback([silent]) as server:
        result = await world.run(server, model={"stream": True, "idle_timeout": "200ms", "retry": False})

    assert (result.status, result.stop_reason, result.text) == ("provider_error", "timeout", "who")


async def test_usage_that_a_stream_does_not_send_is_estimated_and_bounds_hold(world):
    """D-10"""
    silent = [stream(piece({"content": "x" * 4000}), piece({}, "length"), DONE)]
    async with Loopback([silent]) as server:
        result = await world.run(server, model=STREAMED, execution={"limits": {"tokens": 900}})

    assert (result.status, result.stop_reason) == ("budget_exhausted", "tokens")
    assert result.llm.usage_estimated
    assert result.llm.output_tokens >= 1000


async def test_parallel_calls_that_all_carry_index_0_are_each_run(world):
    """D-11"""
    both = stream(
        call_piece(0, "a", "echo", '{"text":"1"}'),
        call_piece(0, "b", "echo", '{"text":"2"}'),
        piece({}, "tool_calls"),
        DONE,
    )
    async with Loopback([[both], END]) as server:
        await world.run(server, model=STREAMED)

    assert results(server) == {"a": "1", "b": "2"}


async def test_a_streaming_run_takes_the_same_way_as_a_plain_one(world):
    """D-18"""
    first = stream(
        piece({"content": "I look."}), call_piece(0, "c1", "note", '{"text":"x"}'), piece({}, "tool_calls"), DONE
    )
    async with Loopback([[first], END]) as server:
        result = await world.run(server, model=STREAMED)

    assert (result.status, result.visible_text, world.notes) == ("done", "I look.\n\nwhole", ["x"])


async def test_a_server_that_does_not_stream_is_read_all_the_same(world):
    """D-18"""
    async with Loopback([says("whole")]) as server:
        result = await world.run(server, model=STREAMED)

    assert (result.status, result.text) == ("done", "whole")
