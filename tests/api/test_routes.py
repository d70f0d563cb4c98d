"""Whole runs over several models: who answers when, what goes to whom, what it costs, and what a resume asks."""

import asyncio
import json

import pytest

from agentspec import SpecInvalid, resume, run
from agentspec.api.forecast import forecast
from agentspec.errors import NotAllowed, Unavailable
from agentspec.spec.catalogue import rung
from tests.adapters.models.vendors import VENDORS
from tests.servers.loopback import Loopback, Pause, completion, response
from tests.servers.said import Call, Said
from tests.servers.speakers import SPEAKERS

ECHO = {"echo": {"description": "Echoes", "parameters": {"text": "string"}, "expr": "args.text"}}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
SIGNED = ("c2lnbmVk", "b3BhcXVl")  # what the servers sign their thinking with
CALLED = Said("I look.", (Call("call_PTL_8xhu3uwZk", "echo", {"text": "hi"}),), "Look it up.", "calls")


@pytest.fixture
def write(tmp_path, monkeypatch):
    for key in KEYS:
        monkeypatch.setenv(key, "sk-geheim-0123456789")

    def written(model, *, execution=None, tools=ECHO, **sections):
        spec = {"name": "s", "task": "go", "model": {"stream": False, **model}, "execution": execution or {}}
        path = tmp_path / "s.json"
        path.write_text(json.dumps({**spec, "capability": {"tools": tools}, **sections}))
        return path

    return written


def at(server, provider="openai", **more):
    base = server.url.removesuffix("/v1") if provider in ("google", "ollama") else server.url
    return {"provider": provider, "model": f"m-{provider}", "base_url": base, **more}


def said(provider, what):
    return [response(SPEAKERS[provider].whole(what))]


DOWN = [response({"error": {"message": "down"}}, 503)]
PAIRS = [(one, other) for one in SPEAKERS for other in SPEAKERS if one != other]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
async def test_a_run_that_changes_its_provider_in_the_middle_stays_valid(write, first, second):
    answers = [said(first, CALLED), DOWN, said(first, Said("Done."))]
    async with Loopback(answers) as one, Loopback([said(second, CALLED)]) as other:
        stand_in = at(other, second, label="other", when="false")
        path = write({**at(one, first), "routes": [stand_in], "fallback": ["other"], "retry": False})
        result = await run(path)

    assert (result.status, result.text, result.tools.calls) == ("done", "Done.", ["echo", "echo"])
    assert result.llm.provider == first
    for server, provider in ((one, first), (other, second)):
        for asked in server.asked:
            VENDORS[provider].request(asked.json)
    assert not [mark for mark in SIGNED if mark in other.asked[0].body.decode()]


async def test_the_events_tell_of_every_physical_call_which_route_it_went_and_why_it_failed(write):
    events = []
    async with Loopback([DOWN]) as one, Loopback([said("anthropic", Said("Done."))]) as other:
        routes = [at(other, "anthropic", label="strong", when="attempt > 2", prices={"input": 1, "output": 1})]
        model = {**at(one), "routes": routes, "fallback": ["strong"], "retry": {"max_attempts": 2, "base": "1ms"}}
        result = await run(write(model), on_event=events.append)

    calls = [event for event in events if event["kind"] == "model_call"]
    assert [(each["route"], each["label"], each["attempt"], each["error_class"]) for each in calls] == [
        ("openai:m-openai", "m-openai", 1, "server_error"),
        ("openai:m-openai", "m-openai", 2, "server_error"),
        ("anthropic:m-1", "strong", 3, None),
    ]
    assert all(len(each["request_hash"]) == 16 for each in calls)
    assert [each["cost_usd"] for each in calls] == [None, None, pytest.approx(0.000118)]
    assert (result.llm.provider_calls, result.llm.iterations) == (3, 1)
    assert result.llm.cost_usd == pytest.approx(0.000118)


async def test_a_judge_is_asked_on_another_route_where_its_own_has_failed_at_the_price_of_that_route(write):
    events = []
    verdict = '{"verdict": "done", "detail": "", "gaps": []}'
    answers, verdicts = [said("openai", Said("Done.")), DOWN], [said("anthropic", Said(verdict))]
    async with Loopback(answers) as one, Loopback(verdicts) as other:
        routes = [at(other, "anthropic", label="strong", when="false", prices={"input": 1, "output": 1})]
        model = {**at(one), "routes": routes, "fallback": ["strong"], "retry": {"max_attempts": 2, "base": "1ms"}}
        path = write(model, execution={"verify_completion_judge": True}, tools={})
        result = await run(path, on_event=events.append)

    calls = [event for event in events if event.get("asker") == "verify_completion_judge"]
    assert [(each["route"], each.get("label"), each["error_class"], each["cost_usd"]) for each in calls[:3]] == [
        ("openai:m-openai", None, "server_error", None),
        ("openai:m-openai", None, "server_error", None),
        ("anthropic:m-1", "strong", None, pytest.approx(0.000118)),
    ]
    assert calls[0]["request_hash"] == calls[1]["request_hash"] != calls[2]["request_hash"]
    assert (calls[0]["prefix_share"], calls[1]["prefix_share"], calls[0]["http_status"]) == (None, 1.0, 503)
    assert (result.status, result.llm.provider_calls, result.llm.judge_calls) == ("done", 4, 3)
    assert result.llm.cost_usd == pytest.approx(0.000118)


async def test_where_all_fail_the_run_ends_with_the_first_failure(write):
    async with Loopback([[response({"error": {"message": "no such key"}}, 401)]]) as one, Loopback([DOWN]) as other:
        model = {**at(one), "fallback": ["b"], "routes": [at(other, label="b", when="false")], "retry": False}
        result = await run(write(model))

    assert (result.status, result.stop_reason) == ("provider_error", "auth")
    assert "no such key" in result.error.message
    assert result.error.message.endswith("what stood in failed as well: `b`")


async def test_a_far_reset_time_ends_the_route_and_not_the_run(write):
    busy = [response({"error": {"message": "later"}}, 429, {"retry-after": "3600"})]
    async with Loopback([busy]) as one, Loopback([said("openai", Said("Done."))]) as other:
        path = write({**at(one), "fallback": ["b"], "routes": [at(other, label="b", when="false")]})
        result = await run(path)

    assert (result.status, len(one.asked), len(other.asked)) == ("done", 1, 1)


async def test_no_key_and_no_header_goes_to_the_host_of_another_route(write):
    async with Loopback([DOWN]) as one, Loopback([said("anthropic", Said("Done."))]) as other:
        mine = {"headers": {"x-mine": "geheim"}, "options": {"logprobs": True}}
        routes = [at(other, "anthropic", label="b", when="false")]
        await run(write({**at(one, **mine), "fallback": ["b"], "routes": routes, "retry": False}))

    assert one.asked[0].headers["x-mine"] == "geheim"
    assert ("x-mine" in other.asked[0].headers, "authorization" in other.asked[0].headers) == (False, False)
    assert "logprobs" not in other.asked[0].json


async def test_no_secret_of_a_route_is_kept_or_told(write, tmp_path, monkeypatch):
    monkeypatch.setenv("OWN_KEY", "value-of-own-key-77")
    secrets = ("value-of-own-key-77", "drawn-4f9Qx81LmZ0p2", "pass-of-address-5")
    echoed = Said(" ".join(secrets))
    events = []
    async with Loopback([DOWN]) as one, Loopback([said("openai", echoed)]) as other:
        base = other.url.replace("http://", "http://user:pass-of-address-5@")
        route = {"base_url": base, "api_key_env": "OWN_KEY", "headers": {"x-auth": "Bearer drawn-4f9Qx81LmZ0p2"}}
        routes = [{"provider": "openai", "model": "m", "label": "b", "when": "false", **route}]
        path = write({**at(one), "fallback": ["b"], "routes": routes, "retry": False})
        result = await run(path, on_event=events.append, trace=True)

    kept = b"".join(each.read_bytes() for each in (tmp_path / ".agentspec").rglob("*") if each.is_file())
    told = json.dumps([events, result.as_json()]).encode()
    assert result.status == "done"
    assert [secret for secret in secrets if secret.encode() in kept + told] == []


async def test_a_model_that_is_only_a_fallback_needs_no_route(write, monkeypatch):
    async with Loopback([DOWN]) as one, Loopback([said("ollama", Said("Done."))]) as other:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{other.port}")
        result = await run(write({**at(one), "fallback": ["ollama:qwen3"], "retry": False}))

    assert (result.text, result.llm.provider, other.asked[0].json["model"]) == ("Done.", "ollama", "qwen3")


# --- resume


@pytest.mark.parametrize("turn", [1, 2, 3, 4])
async def test_a_resume_takes_the_same_routes_from_the_journal_and_goes_on_with_the_same_rules(write, turn, tmp_path):
    look = {"tool_calls": [{"name": "echo", "arguments": {"text": "a"}}]}
    routes = [
        {"model": "large", "when": "progress.repeats >= 1", "options": {"turns": [look, {"text": "Done."}]}},
        {"model": "small", "options": {"turns": [look, {"error": {"status": 503, "message": "down"}}, look]}},
    ]
    execution = {"loop_until_done": True, "stall": {"stuck_limit": 9}}
    path = write({"provider": "script", "routes": routes, "retry": {"base": "1ms"}}, execution=execution)

    whole = await run(path, trace=True)
    stopped = None

    def stop(event):
        nonlocal stopped
        if event["kind"] == "turn_started" and event["turn"] == turn and stopped is None:
            stopped = event["run_id"]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await run(path, on_event=stop)
    result = await resume(stopped, project=str(tmp_path), trace=True)

    assert (result.status, result.text, result.llm.model) == (whole.status, whole.text, whole.llm.model)
    assert (result.tools.calls, result.llm.iterations) == (whole.tools.calls, whole.llm.iterations)


# --- kept answers, circuits, rates


async def test_kept_answers_are_given_to_the_next_run_without_a_call(write):
    events = []
    async with Loopback([said("openai", CALLED), said("openai", Said("Done."))]) as server:
        path = write({**at(server, cache="read_write", prices={"input": 1, "output": 1}, options={"seed": 7})})
        first = await run(path)
        second = await run(path, on_event=events.append)

    assert (first.text, second.text, second.tools.successful) == ("Done.", "Done.", ["echo"])
    assert (len(server.asked), first.llm.provider_calls, second.llm.provider_calls) == (2, 2, 0)
    assert (second.llm.cost_usd, second.llm.input_tokens) == (0.0, 0)
    assert [event["unsent"] for event in events if event["kind"] == "model_call"] == [True, True]


async def test_a_route_that_keeps_failing_is_left_alone(write):
    look = [said("openai", CALLED)] * 2
    async with Loopback([DOWN]) as one, Loopback([*look, said("openai", Said("Done."))]) as other:
        model = {**at(one), "fallback": ["b"], "routes": [at(other, label="b", when="false")]}
        model |= {"retry": {"max_attempts": 2, "base": "1ms"}, "circuit_breaker": {"threshold": 3, "reset": "1h"}}
        result = await run(write(model))

    assert (result.status, len(one.asked), len(other.asked)) == ("done", 3, 3)
    assert result.llm.provider_calls == 6


async def test_an_open_circuit_ends_a_run_that_has_no_other_model(write):
    async with Loopback([DOWN]) as server:
        model = at(server, retry={"max_attempts": 3, "base": "1ms"}, circuit_breaker={"threshold": 2, "reset": "1h"})
        result = await run(write(model))

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "circuit_open", 2)
    assert result.llm.provider_calls == 2


async def test_a_rate_with_room_changes_nothing(write):
    async with Loopback([said("openai", CALLED), said("openai", Said("Done."))]) as server:
        rate = {"requests_per_minute": 60, "tokens_per_minute": 100_000, "concurrency": 1}
        result = await run(write(at(server, rate_limit=rate)))

    assert (result.status, len(server.asked)) == ("done", 2)


@pytest.mark.parametrize(("rate", "connections"), [({"concurrency": 1}, 1), ({"concurrency": 9}, 3)])
async def test_all_runs_of_a_process_share_the_rate(write, rate, connections):
    answers = [[Pause(0.01), *said("openai", Said("Done."))]]
    async with Loopback(answers) as server:
        path = write(at(server, rate_limit=rate))
        results = await asyncio.gather(*(run(path) for _ in range(3)))

    assert {result.status for result in results} == {"done"}
    assert (len(server.asked), server.connections) == (3, connections)


async def test_a_shadow_is_asked_the_same_and_told_of_and_never_used(write):
    events = []
    answers = [said("openai", CALLED), said("openai", Said("Done."))]
    async with Loopback(answers) as one, Loopback([said("anthropic", Said("Other."))]) as other:
        shadow = {"provider": "anthropic", "model": "m-2", "prices": {"input": 1, "output": 1}}
        model = {**at(one), "shadow": shadow, "prices": {"input": 1, "output": 1}}
        path = write(model, execution={"limits": {"cost_usd": 1}})
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ANTHROPIC_BASE_URL", other.url)
            result = await run(path, on_event=events.append)

    told = [event["shadow"] for event in events if event["kind"] == "model_call"]
    assert (result.status, result.text, result.tools.calls) == ("done", "Done.", ["echo"])
    assert [(each["text"], each["error_class"], each["cost_usd"]) for each in told] == [("Other.", None, 0.000118)] * 2
    assert (result.llm.provider_calls, result.llm.cost_usd) == (4, pytest.approx(4 * 0.000118))
    assert [len(one.asked), len(other.asked)] == [2, 2]


# --- before a run


def test_a_plan_counts_the_dearest_route_and_every_fallback(write):
    route = {"model": "large", "when": "attempt > 1", "prices": {"input": 10, "output": 20}, "context_window": 1_000}
    model = {"provider": "openai", "model": "small", "prices": {"input": 1, "output": 2}, "context_window": 500}
    path = write({**model, "routes": [route], "fallback": ["anthropic:other"]}, execution={"limits": {"tokens": 1_000}})
    found = forecast(path)

    assert [each["model"] for each in (found["model"], *found["routes"])] == ["small", "large", "other"]
    assert [(each["label"], each["when"]) for each in found["routes"]] == [
        ("large", "attempt > 1"),
        ("anthropic:other", None),
    ]
    assert {each["name"] for each in found["secrets"]} == {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}
    path = write({**model, "routes": [route]}, execution={"limits": {"provider_calls": 3}})
    assert forecast(path)["worst_case"] | {"seconds": None} == {
        "turns": 51,
        "provider_calls": 3,
        "tool_calls": None,
        "tokens": 3_000,
        "cost_usd": pytest.approx(3_000 * 20 / 1e6),
        "seconds": None,
    }


def test_a_bound_on_cost_needs_the_price_of_every_route(write):
    route = {"provider": "openai", "model": "nobody-knows-it", "when": "attempt > 1"}
    path = write(
        {"provider": "openai", "model": "gpt-5.4-mini", "routes": [route]}, execution={"limits": {"cost_usd": 1}}
    )

    with pytest.raises((Unavailable, SpecInvalid), match=r"nobody-knows-it"):
        raise Unavailable(forecast(path)["notes"][0])


async def test_a_route_beyond_the_ceiling_is_not_started(write):
    path = write({"provider": "script", "options": {"turns": []}, "fallback": ["openai:gpt-5.4"]})
    held = json.loads(path.read_text())
    held["capability"]["ceiling"] = {"providers": ["script"]}
    path.write_text(json.dumps(held))

    with pytest.raises((NotAllowed, SpecInvalid), match="openai"):
        await run(path)


@pytest.mark.parametrize("provider", ["openai", "openai_responses", "anthropic", "google"])
def test_a_ladder_names_the_model_of_whatever_provider(write, provider):
    found = forecast(write({"provider": provider, "ladder": "mid"}))

    assert found["model"]["model"] == rung("mid", provider)
    assert found["model"]["prices"] is not None


async def test_a_ladder_without_a_rung_is_refused_with_the_way_out(write):
    with pytest.raises((Unavailable, SpecInvalid), match="ollama"):
        await run(write({"provider": "ollama", "ladder": "mid"}))


async def test_a_script_plays_all_routes_under_their_names(write, tmp_path):
    script = tmp_path / "turns.yaml"
    script.write_text("- tool_calls: [{name: echo, arguments: {text: a}}]\n- text: Done.\n")
    routes = [{"ladder": "frontier", "when": "turn.tool_call_count > 0"}, {"ladder": "small"}]
    events = []

    result = await run(write({"provider": "openai", "routes": routes}), script=script, on_event=events.append)

    assert result.status == "done"
    told = [event["route"] for event in events if event["kind"] == "model_call"]
    assert told == [f"script:{rung('small', 'openai')}", f"script:{rung('frontier', 'openai')}"]


async def test_a_judge_without_a_model_asks_the_default_route(write):
    verdict = json.dumps({"verdict": "done", "detail": "", "gaps": []})
    answers = [[response(completion({"content": "Done."}))], [response(completion({"content": verdict}))]]
    async with Loopback([DOWN]) as large, Loopback(answers) as small:
        routes = [at(large, label="large", when="attempt > 9"), at(small, label="small")]
        execution = {"loop_until_done": True, "max_nudges": 0, "verify_completion_judge": True}
        result = await run(write({"routes": routes}, execution=execution))

    assert (result.status, len(large.asked), len(small.asked)) == ("done", 0, 2)
