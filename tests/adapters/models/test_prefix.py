"""Each request begins with the one before: for every protocol, and so that a provider's cache pays for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentspec.adapters.models.program import program_model
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.wires.anthropic_wire import MessagesWire
from agentspec.adapters.models.wires.request_bytes import RequestBytes
from agentspec.core.context.view import View
from agentspec.core.messages import AssistantMessage, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest, ModelSettings, ToolSchema
from tests.adapters.models.conversations import conversations
from tests.servers.cache import Cache, blocks_of

SYSTEM = SystemMessage("You look things up. " * 20)
TOOLS = tuple(ToolSchema(name, f"The tool {name}.", {"type": "object"}) for name in ("lookup", "search"))
MARK = b',"cache_control":{"type":"ephemeral"}'


class Writer(NamedTuple):
    """Writes the requests of one run."""

    body: Callable[[ModelRequest], bytes]
    written: RequestBytes

    def bare(self, request: ModelRequest) -> bytes:
        """The bytes without the marks at messages, which move on with the conversation and which no cache counts."""
        constant, start, messages = self.body(request).partition(b'"messages":[')
        return constant + start + messages.replace(MARK, b"")


def over_http(provider: str) -> Writer:
    wire = PROVIDERS[provider].wire({"model": "m-1"}, "here")
    return Writer(lambda request: wire.body(request, stream=True), wire.written)


def over_a_program() -> Writer:
    settings = ModelSettings(model="m-1", options={"command": ["model"]})
    model = program_model(settings, Path())
    return Writer(model._body, model._written)


WRITERS = {**{name: lambda name=name: over_http(name) for name in PROVIDERS}, "process": over_a_program}
EVERY = pytest.mark.parametrize("make", WRITERS.values(), ids=list(WRITERS))


def turn(number: int, calls: int = 1, size: int = 40) -> list[Any]:
    """A reply with calls, and their results."""
    ids = [f"c{number}_{place}" for place in range(calls)]
    asked = tuple(ToolCall(one, "lookup", '{"key":"a"}') for one in ids)
    return [AssistantMessage(f"Turn {number}.", asked), *(ToolMessage(one, "lookup", "x" * size) for one in ids)]


def said(*turns: list[Any]) -> Transcript:
    return Transcript([SYSTEM, UserMessage("Go."), *(message for each in turns for message in each)])


def request_of(transcript: Transcript, number: int, **fields: Any) -> ModelRequest:
    """What varies from turn to turn is different in every one."""
    harness = f"Note {number}." if number % 3 else None
    most, choice = 100 + number, "none" if number % 4 == 3 else None
    known = {"tools": TOOLS, "harness": harness, "max_output_tokens": most, "tool_choice": choice, **fields}
    return ModelRequest(transcript, **known)


@EVERY
def test_every_request_of_a_long_run_begins_with_the_whole_one_before_up_to_its_harness(make) -> None:
    writer, transcript, before = make(), said(), b""
    for number in range(12):
        for message in turn(number, calls=1 + number % 3):
            transcript = transcript.append(message)

        body = writer.bare(request_of(transcript, number))

        share, size = writer.written.mark.prefix_share, writer.written.mark.prefix_bytes
        assert (share, size > 0) == (float(number > 0), number > 0)
        assert body.startswith(before[:size])
        assert b"Turn" not in before[size:]  # nothing but what the harness said, and what varies
        before = body


@EVERY
def test_a_request_that_shows_less_keeps_what_stands_before_the_gap(make) -> None:
    writer, turns = make(), [turn(number) for number in range(6)]
    for number in range(1, 7):
        writer.body(request_of(said(*turns[:number]), number))
    whole = writer.bare(request_of(said(*turns), 7))

    shown = writer.bare(request_of(said(*turns[:3], *turns[4:]), 7))

    mark = writer.written.mark
    kept = round(mark.prefix_share * mark.prefix_bytes)
    assert 0.3 < mark.prefix_share < 0.9
    assert shown[:kept] == whole[:kept]
    assert b"Turn 2." in shown[:kept]
    assert shown == make().bare(request_of(said(*turns[:3], *turns[4:]), 7))


@EVERY
def test_more_tools_leave_what_stands_before_them(make) -> None:
    writer, more = make(), ToolSchema("found", "Found later.", {"type": "object"})
    before = writer.bare(request_of(said(turn(1)), 1))

    after = writer.bare(request_of(said(turn(1)), 1, tools=(*TOOLS, more)))

    mark = writer.written.mark
    kept = int(mark.prefix_share * mark.prefix_bytes)
    assert 0 < kept < before.index(b"Turn 1.")
    assert after[:kept] == before[:kept]


@EVERY
@settings(max_examples=25)
@given(conversations("here"), st.lists(st.dictionaries(st.integers(0, 20), st.none(), max_size=6), max_size=3))
def test_every_view_of_every_conversation_can_be_sent_and_is_the_same_as_written_anew(
    make, transcript, changes
) -> None:
    writer, view = make(), View()
    for number, edits in enumerate(changes):
        view = view.with_lens("filter", 10, {**view.edits_of("filter"), **edits})
        shown = Transcript(view.of(transcript))

        body = writer.bare(request_of(shown, number))

        assert body == make().bare(request_of(shown, number))


def test_a_hash_says_the_same_of_the_same_request_whatever_was_asked_before() -> None:
    turns = [turn(number) for number in range(3)]
    one, other = over_http("anthropic"), over_http("anthropic")
    one.body(request_of(said(turns[0]), 1))

    for writer in (one, other):
        writer.body(request_of(said(*turns), 2))

    assert one.written.mark.hash == other.written.mark.hash


# --- what a cache makes of it, by Anthropic's rules: 4 breakpoints, a look back over 20 blocks from each


def test_everything_that_was_sent_before_is_read_from_the_cache_however_many_blocks_a_turn_has() -> None:
    writer, cache, transcript = over_http("anthropic"), Cache(), said()
    sent = 0
    for number, calls in enumerate([1, 3, 40, 1, 25, 60, 2, 1]):
        for message in turn(number, calls):
            transcript = transcript.append(message)

        bill = cache.answer(writer.body(request_of(transcript, number)))
        writer.written.settle("worker")

        assert bill.read == sent
        assert bill.plain == (number % 3 > 0)  # the words of the harness alone
        sent = bill.read + bill.written


def test_a_request_that_failed_leaves_no_gap_in_what_is_read() -> None:
    writer, cache = over_http("anthropic"), Cache()
    first = cache.answer(writer.body(request_of(said(turn(1)), 1)))
    writer.written.settle("worker")
    longer = said(turn(1), turn(2, calls=40))
    writer.body(request_of(longer, 2))  # nobody answered this one

    again = cache.answer(writer.body(request_of(longer, 3)))

    assert again.read == first.read + first.written


def test_a_view_that_shows_less_reads_what_stands_before_the_gap() -> None:
    writer, cache, turns = over_http("anthropic"), Cache(), [turn(number) for number in range(30)]
    for number in range(1, 31):
        cache.answer(writer.body(request_of(said(*turns[:number]), number)))
        writer.written.settle("worker")

    bill = cache.answer(writer.body(request_of(said(*turns[:3], *turns[20:]), 31)))

    assert bill.read == len(TOOLS) + 1 + 1 + 3 * 3  # tools, system, task and the turns before the gap


@pytest.mark.parametrize(("ttl", "mark"), [("5m", {"type": "ephemeral"}), ("1h", {"type": "ephemeral", "ttl": "1h"})])
def test_marks_say_how_long_a_cache_is_to_keep_what_they_end(ttl: str, mark: dict[str, str]) -> None:
    wire = MessagesWire({"model": "m-1"}, "here", ttl)

    body = json.loads(wire.body(request_of(said(turn(1)), 1), stream=False))

    assert [block["cache_control"] for block in blocks_of(body) if "cache_control" in block] == [mark] * 3
