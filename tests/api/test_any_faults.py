"""Runs over two servers that answer, fail and lie as chance has it: they end, all is on record, and it can be replayed.

Slow, and the same each time: a number is the whole chance of a run.
"""

import json
import random
from typing import Any

import pytest

from agentspec import replay, run
from tests.adapters.models.faults import FAULTS, SILENCE
from tests.adapters.models.vendors import VENDORS
from tests.servers.loopback import Loopback, Script
from tests.servers.said import Call, Said, Speaker
from tests.servers.speakers import SPEAKERS, answers

LOUD = [name for name in FAULTS if name not in SILENCE and name != "an endless header"]  # those end at once
TOOLS = {"echo": {"description": "Echoes", "parameters": {"text": "string"}, "expr": "args.text"}}
VERDICTS = [json.dumps({"verdict": word, "detail": "x", "gaps": []}) for word in ("done", "continue")]
GOES_ON = ("openai", "anthropic", "ollama")


def said(chance: random.Random, number: int) -> Said:
    """An answer of a model that may be a turn, a verdict, or nothing."""
    call = Call(f"call_{number}", "echo", {"text": "hi " * chance.choice((1, 50, 800))})
    kinds = (
        *(Said("I look.", (call,), chance.choice(("", "Look it up.")), "calls"),) * 9,
        *(Said("Half of it", reason="length"),) * 3,
        *(Said(verdict) for verdict in VERDICTS),
        *(Said("Done."),) * 4,
        Said(""),
    )
    return chance.choice(kinds)


def script(chance: random.Random, speaker: Speaker, number: int, *, streamed: bool) -> Script:
    """What a server does when it is asked: in one of four cases something wrong."""
    if chance.random() < 0.25:
        fault = FAULTS[chance.choice(LOUD)]
        return (fault.streamed if streamed else fault.plain)(speaker)
    return answers(speaker, said(chance, number), streamed=streamed)


def at(server: Loopback, provider: str) -> dict[str, Any]:
    base = server.url.removesuffix("/v1") if provider in ("google", "ollama") else server.url
    return {"provider": provider, "model": f"m-{provider}", "base_url": base}


def spec_of(chance: random.Random, first: dict[str, Any], second: dict[str, Any], *, streamed: bool) -> dict[str, Any]:
    can_go_on = {first["provider"], second["provider"]}.issubset(GOES_ON)
    model = {
        **first,
        "stream": streamed,
        "retry": {"base": "1ms", "max": "2ms", "max_wait": "1s"},
        "context_window": chance.choice((3_000, 100_000)),
        "prefill": "on" if can_go_on else "auto",
        "routes": [{**second, "label": "b", "when": chance.choice(("false", "attempt > 2"))}],
        "fallback": ["b"],
        "timeout": "20s",
    }
    judge = {"on_error": chance.choice(("veto", "accept", "unverified"))}
    execution = {"max_iterations": 12, "verify_completion_judge": judge, "loop_until_done": chance.random() < 0.5}
    return {"name": "s", "task": "go", "model": model, "execution": execution, "capability": {"tools": TOOLS}}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(40))
async def test_every_run_ends_with_each_call_on_record(tmp_path, monkeypatch, number: int) -> None:
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(key, "sk-geheim-0123456789")
    chance = random.Random(number)
    names, streamed = chance.sample(list(SPEAKERS), 2), chance.random() < 0.5
    scripts = [[script(chance, SPEAKERS[name], each, streamed=streamed) for each in range(60)] for name in names]
    async with Loopback(scripts[0]) as one, Loopback(scripts[1]) as other:
        path = tmp_path / "s.json"
        path.write_text(json.dumps(spec_of(chance, at(one, names[0]), at(other, names[1]), streamed=streamed)))

        result = await run(path)

    asked = [(name, each.json) for name, server in zip(names, (one, other), strict=True) for each in server.asked]
    assert result.llm.provider_calls == len(asked)
    assert (await replay(result.run_id, project=tmp_path)).steps > 0
    for name, body in asked:
        if not is_begun(body):
            VENDORS[name].request(body)


def is_begun(body: dict[str, Any]) -> bool:
    """Whether a request ends with the beginning of its answer, which no vendor's own types have."""
    messages = body.get("messages") or [{}]
    return messages[-1].get("role") == "assistant"
