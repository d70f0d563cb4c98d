"""Whole runs in every protocol, streamed and not: the work is done once, nothing half-said runs, and all is counted."""

from __future__ import annotations

from typing import Any

import pytest

from agentspec import Result
from tests.adapters.models.asking import KEYS
from tests.failures.whole import World
from tests.servers.loopback import CLOSE, Loopback, Script, chunk, response
from tests.servers.said import Call, Said, Speaker
from tests.servers.speakers import SPEAKERS, answers, frames, head

TWO = Said(calls=(Call("c1", "note", {"text": "one"}), Call("c2", "echo", {"text": "two"})), reason="calls")
ONE = Said(calls=(Call("c1", "note", {"text": "one"}),), reason="calls")
END = Said("All is noted.")
CASES = [
    pytest.param(speaker, streamed, id=f"{speaker.provider}, {'streamed' if streamed else 'whole'}")
    for speaker in SPEAKERS.values()
    for streamed in (False, True)
]
BOTH = pytest.mark.parametrize(("speaker", "streamed"), CASES)


@pytest.fixture
def world(tmp_path, monkeypatch):
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    return World(tmp_path)


async def in_protocol(
    world: World, speaker: Speaker, server: Loopback, *, streamed: bool, model: Any = None, **given: Any
) -> Result:
    url = server.url if speaker.provider.startswith("openai") else server.url.removesuffix("/v1")
    settings = {"provider": speaker.provider, "base_url": url, "stream": streamed, **(model or {})}
    return await world.run(server, model=settings, **given)


def half(speaker: Speaker, *, streamed: bool) -> Script:
    """An answer that is cut in the arguments of its call."""
    if not streamed:
        return [response(speaker.whole(ONE))[:-90], CLOSE]
    data = b"".join(frames(speaker, ONE, 2)[0])
    return [head(speaker), chunk(data[: data.rindex(b"one") if b"one" in data else len(data) - 150]), CLOSE]


@BOTH
async def test_parallel_calls_run_each_once_and_their_results_go_back(world, speaker, streamed):
    script = [answers(speaker, TWO, streamed=streamed), answers(speaker, END, streamed=streamed)]
    async with Loopback(script) as server:
        given = {"execution": {"effect_phases": False}}
        result = await in_protocol(world, speaker, server, streamed=streamed, **given)

    assert (result.status, result.text, world.notes) == ("done", "All is noted.", ["one"])
    assert (result.tools.calls, result.llm.provider_calls) == (["note", "echo"], 2)
    assert (result.llm.input_tokens, result.llm.output_tokens, result.llm.usage_estimated) == (180, 56, False)
    assert b"(no output)" in server.asked[1].body
    assert server.asked[1].body.index(b"(no output)") < server.asked[1].body.rindex(b"two")


@BOTH
async def test_an_answer_that_is_cut_in_a_call_is_asked_again_and_runs_once(world, speaker, streamed):
    script = [
        half(speaker, streamed=streamed),
        answers(speaker, ONE, streamed=streamed),
        answers(speaker, END, streamed=streamed),
    ]
    async with Loopback(script) as server:
        result = await in_protocol(world, speaker, server, streamed=streamed)

    assert (result.status, world.notes, result.llm.provider_calls) == ("done", ["one"], 3)


@BOTH
async def test_a_fault_that_stays_is_tried_as_often_as_the_policy_says_and_told(world, speaker, streamed):
    down = [response(speaker.refusal(529, "Overloaded"), 529, {"request-id": "req-7"})]
    async with Loopback([down]) as server:
        result = await in_protocol(world, speaker, server, streamed=streamed)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "server_error", 3)
    assert (result.error.http_status, result.error.provider) == (529, speaker.provider)
    assert result.error.message.endswith("HTTP 529: Overloaded (request req-7)")
    assert world.notes == []


@BOTH
async def test_a_call_of_an_answer_that_was_cut_by_its_length_does_not_run_where_it_is_not_whole(
    world, speaker, streamed
):
    broken = Said("I note", reason="length")
    async with Loopback([answers(speaker, broken, streamed=streamed)]) as server:
        result = await in_protocol(world, speaker, server, streamed=streamed)

    assert (result.status, result.stop_reason, result.text) == ("failed", "output_truncated", "I note")
    assert world.notes == []


@BOTH
async def test_an_answer_that_is_withheld_ends_the_run_at_once(world, speaker, streamed):
    async with Loopback([answers(speaker, Said("No.", reason="filter"), streamed=streamed)]) as server:
        result = await in_protocol(world, speaker, server, streamed=streamed)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "content_filter", 1)
    assert result.llm.output_tokens == 28


SCHEMA = {
    "type": "object",
    "properties": {"found": {"type": "boolean"}},
    "required": ["found"],
    "additionalProperties": False,
}
HELD = {
    "openai": ["response_format", "json_schema", "schema"],
    "openai_responses": ["text", "format", "schema"],
    "anthropic": ["output_config", "format", "schema"],
    "google": ["generationConfig", "responseJsonSchema"],
    "ollama": ["format"],
}


@BOTH
async def test_an_answer_of_a_form_is_held_to_it(world, speaker, streamed):
    async with Loopback([answers(speaker, Said('{"found": true}'), streamed=streamed)]) as server:
        result = await in_protocol(
            world, speaker, server, streamed=streamed, execution={"output": {"schema": SCHEMA}}, capability={}
        )

    held = server.asked[0].json
    for step in HELD[speaker.provider]:
        held = held[step]
    assert (result.status, result.output, result.output_valid) == ("done", {"found": True}, True)
    assert held == SCHEMA
