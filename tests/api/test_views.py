"""Whole runs whose view is shaped: on every protocol, replayed, and told of in results, events and lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentspec import load, replay, resume, run
from agentspec.api.assembly.called import blueprint_of
from agentspec.api.assembly.pricing import settle_prices
from agentspec.api.options import RunOptions
from agentspec.core.formats.tagged import write_tagged
from tests.adapters.models.asking import KEYS
from tests.servers.cache import Cache
from tests.servers.loopback import Loopback
from tests.servers.said import Call, Said, Speaker
from tests.servers.speakers import SPEAKERS, answers

WIRES = pytest.mark.parametrize("speaker", SPEAKERS.values(), ids=list(SPEAKERS))
ECHO = {"echo": {"description": "Echoes.", "parameters": {"text": "string"}, "expr": "args.text"}}
FAILS = {"fail": {"description": "Fails.", "parameters": {"text": "string"}, "expr": "string(int(args.text))"}}
TURNS = [
    Said(calls=(Call("c1", "fail", {"text": "no number"}),), reason="calls"),
    Said(calls=(Call("c2", "echo", {"text": "a"}), Call("c3", "echo", {"text": "b"})), reason="calls"),
    Said(calls=(Call("c4", "echo", {"text": "c"}),), reason="calls"),
    Said(text="Done."),
]
SHAPED: dict[str, Any] = {
    "projection": "squash_failed_calls",
    "filter": [{"when": "message.tool == 'echo' && message.age > 2", "replace": "An echo."}],
    "scratchpad": {"goals": ["echo"], "reorganize_every": 2},
    "reminders": ["Be brief."],
    "timestamp_messages": True,
    "compaction": "none",
}


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)

    def written(model: dict[str, Any], context: dict[str, Any], **more: Any) -> str:
        capability = {"tools": {**ECHO, **FAILS}, **more}
        values = {"name": "x", "task": "Echo it.", "model": model, "context": context, "capability": capability}
        path = tmp_path / "x.json"
        path.write_text(json.dumps({**values, "execution": {"stall": False}}))
        return str(path)

    return written


@WIRES
@pytest.mark.parametrize("tool_format", ["native", "text"])
async def test_a_whole_run_keeps_its_prefix_and_says_so(spec, speaker: Speaker, tool_format: str) -> None:
    said = TURNS if tool_format == "native" else [Said(text="Done.")]
    if tool_format == "text":
        said = [*(Said(text=write_tagged("echo", json.dumps({"text": word}))) for word in "ab"), *said]
    events: list[dict[str, Any]] = []
    async with Loopback([answers(speaker, one, streamed=False) for one in said]) as server:
        url = server.url if speaker.provider.startswith("openai") else server.url.removesuffix("/v1")
        model = {"provider": speaker.provider, "model": "m-1", "base_url": url, "stream": False, "retry": False}
        result = await run(
            spec({**model, "tool_format": tool_format}, {"system": "Be brief.", "reminders": ["Be quick."]}),
            on_event=events.append,
        )

    assert (result.status, result.text) == ("done", "Done."), result.error
    assert (result.llm.prefix_share, result.llm.prefix_breaks) == (1.0, {})
    calls = [event for event in events if event["kind"] == "model_call"]
    assert [event["prefix_share"] for event in calls] == [None, *[1.0] * (len(calls) - 1)]
    assert [event["prefix_breaks"] for event in calls] == [[]] * len(calls)


@WIRES
async def test_each_break_of_a_run_is_counted_by_its_reason(spec, speaker: Speaker) -> None:
    async with Loopback([answers(speaker, one, streamed=False) for one in TURNS]) as server:
        url = server.url if speaker.provider.startswith("openai") else server.url.removesuffix("/v1")
        model = {"provider": speaker.provider, "model": "m-1", "base_url": url, "stream": False, "retry": False}
        result = await run(spec(model, {"projection": "squash_failed_calls"}))

    assert result.status == "done", result.error
    assert 0.3 < (result.llm.prefix_share or 0) < 1.0
    assert result.llm.prefix_breaks == {"projection": 1}
    assert b"c1" not in server.asked[-1].body


async def test_a_long_run_pays_the_cached_price_for_what_was_sent_before(spec) -> None:
    speaker, cache = SPEAKERS["anthropic"], Cache()
    many = [Call(f"m{number}", "echo", {"text": str(number)}) for number in range(30)]
    said = [TURNS[1], Said(calls=tuple(many), reason="calls"), *TURNS[2:]]
    async with Loopback([answers(speaker, one, streamed=False) for one in said]) as server:
        model = {"provider": "anthropic", "model": "m-1", "base_url": server.url.removesuffix("/v1"), "retry": False}
        context = {"system": "Be brief.", "reminders": ["Be quick."]}
        result = await run(spec({**model, "stream": False, "prompt_cache": {"ttl": "1h"}}, context))
        bills = [cache.answer(asked.body) for asked in server.asked]

    assert result.status == "done", result.error
    assert [bill.read for bill in bills[1:]] == [bill.read + bill.written for bill in bills[:-1]]
    assert [bill.plain for bill in bills] == [1] * 4  # the reminder alone
    assert b'"ttl":"1h"' in server.asked[0].body


async def test_a_shaped_run_is_replayed_to_the_same_decisions(spec, tmp_path: Path) -> None:
    turns: list[dict[str, Any]] = [
        {"tool_calls": [{"name": call.name, "arguments": call.arguments} for call in one.calls]} for one in TURNS[:3]
    ]
    ordered = {"goals": ["echo"], "open_items": ["say so"], "facts": [], "refs": []}
    script = [*turns, {"text": "Done."}, *[{"role": "summary", "text": json.dumps(ordered)}] * 2]
    events: list[dict[str, Any]] = []

    result = await run(spec({"provider": "script", "options": {"turns": script}}, SHAPED), on_event=events.append)
    again = await replay(result.run_id, store=str(tmp_path / ".agentspec"))

    assert (result.status, result.text) == ("done", "Done."), result.error
    assert {event["kind"] for event in events} >= {"projected", "scratchpad_updated", "feedback_composed"}
    assert again.steps == 10  # it raises where one decision differs


def test_what_all_are_to_be_reminded_of_is_said_to_the_agents_that_are_called(tmp_path: Path) -> None:
    reminders = ["Mine.", {"text": "Ours.", "propagate": "all"}, {"text": "Mine too.", "propagate": "none"}]
    own = {"name": "helper", "task": "Help.", "model": {"provider": "script"}, "context": {"reminders": ["Theirs."]}}
    tools = {"ask": {"description": "Asks.", "agent": "./helper.json"}}
    values = {"name": "x", "task": "Go.", "model": {"provider": "script"}, "context": {"reminders": reminders}}
    (tmp_path / "helper.json").write_text(json.dumps(own))
    (tmp_path / "x.json").write_text(json.dumps({**values, "capability": {"tools": tools}}))

    blueprint = blueprint_of(load(tmp_path / "x.json"), RunOptions())

    heard = blueprint.agents["ask"]["values"]["context"]["reminders"]
    assert [one["text"] if isinstance(one, dict) else one for one in heard] == ["Theirs.", "Ours."]


@pytest.mark.parametrize(("cache", "price"), [("auto", 6.25), ({"ttl": "5m"}, 6.25), ({"ttl": "1h"}, 10.0)])
def test_what_is_cached_for_an_hour_costs_more_to_put_there(tmp_path: Path, cache: Any, price: float) -> None:
    model = {"provider": "anthropic", "model": "claude-opus-5", "prompt_cache": cache}
    (tmp_path / "x.json").write_text(json.dumps({"name": "x", "task": "Go.", "model": model}))
    blueprint = blueprint_of(load(tmp_path / "x.json"), RunOptions())

    settle_prices(blueprint, {})

    assert blueprint.values["model"]["prices"]["cache_write"] == price


async def test_a_script_that_answers_what_was_shown_goes_on_where_it_was(spec, tmp_path: Path) -> None:
    asks = {"tool_calls": [{"id": "c1", "name": "ask_user", "arguments": {"question": "Which?"}}]}
    turns = [{"match": "* UTC*", **asks}, {"match": "* UTC*", "text": "Done."}]
    model, context = {"provider": "script", "options": {"turns": turns}}, {"timestamp_messages": True}

    waiting = await run(spec(model, context, toolkits=["ask_user"]))
    done = await resume(waiting.run_id, store=str(tmp_path / ".agentspec"), answers={"c1": "blue"})

    assert (waiting.status, done.status, done.text) == ("suspended", "done", "Done.")
