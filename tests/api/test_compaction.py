"""Whole runs whose conversation grows beyond the window: over the wire, with a summariser of its own, and replayed."""

import json
from typing import Any

import pytest

from agentspec import replay, run
from agentspec.adapters.models.tokenizer import counted
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.assembly.called import blueprint_of
from agentspec.api.assembly.windows import settle_windows
from agentspec.api.options import RunOptions
from agentspec.api.spec import load
from agentspec.core.events import RunStarted
from agentspec.core.messages import UserMessage
from agentspec.runtime.journal import decode
from tests.servers.background import calls, says, serving
from tests.servers.loopback import response

TOO_LONG = [
    response(
        {"error": {"message": "This model's maximum context length is 900 tokens.", "code": "context_length_exceeded"}},
        400,
    )
]
LONG = {"name": "long", "arguments": {}}
PAGE = "'Page ' + string(args.number) + ': ' + list.range(14).map(n, 'line ' + string(n) + ' of it').join(', ')"


@pytest.fixture
def spec(tmp_path, monkeypatch):
    def write(url: str, compaction: Any, **model: Any):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-123456")
        values = {
            "name": "pages",
            "task": "Where is the heron?",
            "model": {"provider": "openai", "model": "large", "base_url": url, "stream": False, **model},
            "capability": {"tools": {"page": {"parameters": {"number": "integer"}, "expr": PAGE}}},
            "context": {"system": "Look at one page after the other.", "compaction": compaction},
        }
        path = tmp_path / "pages.json"
        path.write_text(json.dumps(values))
        return path

    return write


def page(number: int) -> Any:
    return calls((f"c{number}", "page", json.dumps({"number": number})))


async def test_a_request_that_the_server_refuses_is_made_shorter_and_sent_once_more(spec, tmp_path):
    events: list[dict[str, Any]] = []
    with serving(*map(page, range(4)), TOO_LONG, says("On page 4.")) as server:
        path = spec(server.url, "hybrid")

        result = await run(path, on_event=events.append)

        before, after = (asked.json["messages"] for asked in server.asked[-2:])
    assert (result.status, result.text) == ("done", "On page 4.")
    assert [made["reason"] for made in result.compactions] == ["overflow"]
    assert result.compactions == [
        {name: event[name] for name in result.compactions[0]} for event in events if event["kind"] == "compacted"
    ]
    assert after[:2] == before[:2], "the system text and the task"
    assert len(after) < len(before)
    assert after[-2]["tool_calls"][0]["id"] == after[-1]["tool_call_id"] == "c3"
    assert result.llm.prefix_breaks == {"compaction": 1}
    await replay(result.run_id, store=tmp_path / ".agentspec")  # raises where a decision differs


async def test_a_summary_is_asked_of_its_own_model_without_tools(spec):
    compaction = {"strategy": "hybrid", "keep_last": 2, "summarizer": {"model": "small", "max_output_tokens": 100}}
    with serving(*map(page, range(5)), says("Pages 0 to 3: no heron."), says("On page 4.")) as server:
        path = spec(server.url, compaction, context_window=900, max_output_tokens=100)

        result = await run(path)

        summary, last = (asked.json for asked in server.asked[-2:])
    assert (result.status, [made["strategy"] for made in result.compactions]) == ("done", ["hybrid"])
    assert (summary["model"], summary["max_tokens"], "tools" in summary) == ("small", 100, False)
    assert [message["role"] for message in summary["messages"]] == ["system", "user"]
    assert [message["role"] for message in last["messages"]] == ["system", "user", "user", "assistant", "tool"]
    assert last["messages"][2]["content"].endswith("\n\nPages 0 to 3: no heron.")
    assert result.llm.provider_calls == 7


async def test_a_run_whose_request_never_fits_ends_with_what_fills_the_window(spec):
    with serving(TOO_LONG) as server:
        path = spec(server.url, "hybrid")

        result = await run(path)

    assert len(server.asked) == 1
    assert (result.status, result.stop_reason) == ("error", "context_overflow")
    assert result.error is not None
    assert "maximum context length is 900 tokens.; the request has about " in result.error.message
    assert "the system text about " in result.error.message


@pytest.mark.parametrize(
    ("model", "variables", "window"),
    [
        ({"provider": "openai", "model": "gpt-4"}, {}, 8192),
        ({"provider": "openai", "model": "gpt-4", "context_window": 4000}, {}, 4000),
        ({"provider": "openai", "model": "gpt-4", "base_url": "http://localhost/v1"}, {}, None),
        ({"provider": "openai", "model": "gpt-4"}, {"OPENAI_BASE_URL": "http://localhost/v1"}, None),
        ({"provider": "openai", "model": "our-own"}, {}, None),
        ({"provider": "ollama", "model": "ours", "options": {"options": {"num_ctx": 8192}}}, {}, 8192),
    ],
)
def test_the_window_of_a_known_model_is_written_down_at_the_start(tmp_path, model, variables, window):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"name": "a", "task": "go", "model": model}))
    blueprint = blueprint_of(load(path), RunOptions())

    settle_windows(blueprint, variables)

    assert blueprint.settings.get("model.context_window") == window


@pytest.mark.parametrize(
    ("provider", "model", "tokens"),
    [("openai", "gpt-4", 16_006), ("openai_responses", "gpt-5.5", 16_006), ("anthropic", "claude-opus-5", None)],
)
def test_a_beginning_is_counted_where_a_vocabulary_is_public(provider, model, tokens):
    assert counted(provider, model, [UserMessage(text="look here " * 8_000)]) == tokens


@pytest.mark.parametrize(("words", "is_counted"), [(8_000, True), (100, False)])
async def test_a_long_beginning_is_counted_before_the_run_and_stands_in_the_journal(spec, words, is_counted):
    with serving(says("Done.")) as server:
        path = spec(server.url, "hybrid")

        result = await run(path, "look here " * words, store=path.parent)

    store = SqliteStore(path.parent / "runs.db")
    started = decode(next(iter(store.read_run(result.run_id))))
    store.close()
    assert isinstance(started, RunStarted)
    assert (started.counted is not None) == is_counted
    assert started.counted is None or abs(started.counted - 2 * words) < 20


async def test_a_result_is_cut_to_a_part_of_the_window_where_the_spec_says_so(tmp_path):
    long = {"long": {"expr": "list.range(2000).map(n, 'line ' + string(n)).join(' ')"}}
    model = {"provider": "script", "context_window": 2_000, "options": {"turns": [{"tool_calls": [LONG]}, "Done."]}}
    execution = {"tool_result_max": "auto"}
    values = {"name": "a", "task": "go", "model": model, "capability": {"tools": long}, "execution": execution}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(values))
    events: list[dict[str, Any]] = []

    result = await run(path, on_event=events.append)

    (returned,) = (event for event in events if event["kind"] == "tool_result")
    assert (result.status, returned["truncated"]) == ("done", True)
    assert 1_000 < len(returned["text"]) <= 2_000


async def test_a_recorded_run_plays_with_the_summary_that_it_was_given(tmp_path):
    turns = [{"tool_calls": [{"name": "page", "arguments": {"number": number}}]} for number in range(4)]
    turns += ["On page 4.", {"role": "summary", "error": {"status": 503}}, {"role": "summary", "text": "No heron yet."}]
    model = {"provider": "script", "context_window": 900, "options": {"turns": turns}, "retry": {"base": "1ms"}}
    values = {
        "name": "pages",
        "task": "Where is the heron?",
        "model": model,
        "capability": {"tools": {"page": {"parameters": {"number": "integer"}, "expr": PAGE}}},
        "context": {"compaction": {"strategy": "hybrid", "keep_last": 2}},
    }
    path = tmp_path / "pages.json"
    path.write_text(json.dumps(values))

    recorded = await run(path, record=tmp_path / "played.yaml")
    played = await run(path, script=tmp_path / "played.yaml")

    assert [made["strategy"] for made in recorded.compactions] == ["hybrid"]
    assert (played.status, played.text) == (recorded.status, recorded.text) == ("done", "On page 4.")
    assert played.compactions == recorded.compactions
