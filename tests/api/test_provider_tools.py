"""Whole runs whose provider runs tools itself: what it is offered, what is told of its calls, what goes back to it."""

import json

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types as gemini
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from agentspec import NotAllowed, SpecInvalid, replay, run
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.cli.terminal.progress import effort
from agentspec.cli.terminal.told import told as lines_of
from agentspec.runtime.journal import decode
from tests.adapters.models.conversations import leaves
from tests.servers.background import says
from tests.servers.loopback import Loopback, response

MESSAGES = TypeAdapter(MessageCreateParamsNonStreaming)
RESPONSES = TypeAdapter(ResponseCreateParamsNonStreaming)
LOOK = {"look": {"description": "Looks around", "expr": "'a room'"}}

SEARCHES = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "weather"}}
PAGES = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [{"type": "web_search_result", "title": "W", "url": "https://w.example", "encrypted_content": "b3A="}],
}
TOO_MANY = {**PAGES, "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}}
TEXT = {"type": "text", "text": "It rains."}
LOOKS = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-geheim-0123456789")


def message(*blocks, reason="end_turn"):
    told = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    usage = {"input_tokens": 9, "output_tokens": 4}
    return [response({**told, "usage": usage, "content": list(blocks), "stop_reason": reason})]


def answered(*items):
    told = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
    return [response({**told, "output": list(items), "error": None, "usage": {"input_tokens": 9, "output_tokens": 4}})]


def generated(*parts, **more):
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP", **more}
    return [response({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4}})]


async def ran(tmp_path, server, provider, tools, *, options=None, model=None, **capability):
    url = server.url.removesuffix("/v1") if provider in ("anthropic", "google") else server.url
    spec = {
        "name": "s",
        "task": "go",
        "model": {"provider": provider, "model": "m", "base_url": url, "stream": False, **(model or {})},
        "capability": {"tools": LOOK, "provider_tools": tools, **capability},
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(spec))
    events = []
    result = await run(path, on_event=events.append, **(options or {}))
    return result, [event for event in events if event["kind"] == "provider_tool_call"]


def told(events):
    return [(event["name"], event["status"], event["effect"], event["arguments"]) for event in events]


async def test_a_search_of_the_web_is_told_and_goes_back_in_its_place(tmp_path):
    script = [message(TEXT, SEARCHES, PAGES, LOOKS, reason="tool_use"), message({"type": "text", "text": "end"})]
    async with Loopback(script) as server:
        result, events = await ran(
            tmp_path, server, "anthropic", ["web_search", {"type": "web_fetch_20260318", "options": {"max_uses": 2}}]
        )

    assert (result.status, result.text, result.tools.calls) == ("done", "end", ["look"])
    assert told(events) == [("web_search", "ok", "network", {"query": "weather"})]
    assert (events[0]["provider"], events[0]["call_id"], events[0]["turn"]) == ("anthropic", "srvtoolu_1", 1)
    first, second = (asked.json for asked in server.asked)
    assert first["tools"][:2] == [
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "web_fetch_20260318", "name": "web_fetch", "max_uses": 2},
    ]
    assert second["messages"][1]["content"] == [TEXT, SEARCHES, PAGES, LOOKS]
    for asked in (first, second):
        leaves(MESSAGES.validate_python(asked))


PRICED = {"input": 0, "output": 0, "search": 0.01}
RUNS = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {"code": "1"}}
RAN = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_2", "content": {"type": "code_execution_result"}}


async def test_what_a_provider_charges_for_its_searches_is_in_the_cost_and_what_nobody_knows_is_said(tmp_path):
    served = [SEARCHES, PAGES, {**SEARCHES, "id": "srvtoolu_3"}, {**TOO_MANY, "tool_use_id": "srvtoolu_3"}, RUNS, RAN]
    async with Loopback([message(*served, TEXT)]) as server:
        tools = ["web_search", "code_execution"]
        result, _ = await ran(tmp_path, server, "anthropic", tools, model={"prices": PRICED})

    assert (result.llm.cost_usd, result.llm.unpriced_tools) == (0.01, ["code_execution"])
    assert effort(result.llm, result.tools).endswith("$0.0100 and what `code_execution` cost")


async def test_a_journal_with_such_calls_folds_to_the_same_and_tells_of_them(tmp_path):
    script = [message(TEXT, SEARCHES, PAGES, LOOKS, reason="tool_use"), message({"type": "text", "text": "end"})]
    async with Loopback(script) as server:
        result, _ = await ran(tmp_path, server, "anthropic", ["web_search"])

    assert (await replay(result.run_id, project=tmp_path)).steps > 0
    store = SqliteStore(tmp_path / ".agentspec" / "runs.db")
    shown = list(lines_of(map(decode, store.read_run(result.run_id))))
    store.close()
    assert shown[shown.index('  web_search {"query": "weather"}') + 1] == "    ok · at the provider"


async def test_a_reply_that_pauses_is_gone_on_with_as_it_stands(tmp_path):
    paused = message({"type": "text", "text": "I search."}, SEARCHES, reason="pause_turn")
    async with Loopback([paused, message(PAGES, TEXT)]) as server:
        result, events = await ran(tmp_path, server, "anthropic", ["web_search"])

    assert (result.status, result.text, result.llm.iterations) == ("done", "It rains.", 2)
    assert [(event["name"], event["status"]) for event in events] == [("web_search", "open"), ("web_search", "ok")]
    last = server.asked[1].json["messages"][-1]
    assert last["role"] == "assistant"
    assert [block["type"] for block in last["content"]] == ["text", "server_tool_use"]


async def test_a_call_that_failed_at_the_provider_is_told_so(tmp_path):
    async with Loopback([message(SEARCHES, TOO_MANY, TEXT)]) as server:
        result, events = await ran(tmp_path, server, "anthropic", ["web_search"])

    assert (result.status, [event["status"] for event in events]) == ("done", ["error"])


async def test_what_stood_open_when_an_answer_ended_does_not_go_back(tmp_path):
    """A call without its result is refused by the provider, and with it every later request."""
    async with Loopback([message(TEXT, SEARCHES, reason="max_tokens"), message(TEXT)]) as server:
        await ran(tmp_path, server, "anthropic", ["web_search"])

    assert [block["type"] for block in server.asked[1].json["messages"][1]["content"]] == ["text"]


async def test_the_responses_api_is_offered_its_own_and_its_items_go_back(tmp_path):
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "weather"},
    }
    code = {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "failed",
        "code": "1/0",
        "container_id": "c_1",
        "outputs": None,
    }
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}"}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []}
    said["content"] = [{"type": "output_text", "text": "It rains.", "annotations": []}]
    async with Loopback([answered(search, code, call), answered(said)]) as server:
        result, events = await ran(
            tmp_path,
            server,
            "openai_responses",
            [
                "code_interpreter",
                {"type": "web_search", "options": {"search_context_size": "low"}},
                {
                    "type": "mcp",
                    "options": {"server_label": "d", "server_url": "https://mcp.example"},
                    "require_approval": "never",
                },
            ],
        )

    assert (result.status, result.text) == ("done", "It rains.")
    assert told(events) == [
        ("web_search", "ok", "network", {"action": {"type": "search", "query": "weather"}}),
        ("code_interpreter", "error", "process", {"code": "1/0"}),
    ]
    first, second = (asked.json for asked in server.asked)
    assert first["tools"][:3] == [
        {"type": "code_interpreter", "container": {"type": "auto"}},
        {"type": "web_search", "search_context_size": "low"},
        {"type": "mcp", "server_label": "d", "server_url": "https://mcp.example", "require_approval": "never"},
    ]
    assert second["input"][1:3] == [search, code]
    for asked in (first, second):
        leaves(RESPONSES.validate_python(asked))


async def test_gemini_is_offered_its_own_beside_the_tools_of_the_run(tmp_path):
    code = {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": "c2ln"}
    ran_it = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
    grounded = {"groundingMetadata": {"webSearchQueries": ["weather"]}}
    call = {"functionCall": {"name": "look", "args": {}, "id": "f1"}}
    script = [generated({"text": "I run."}, code, ran_it, call), generated({"text": "It rains."}, **grounded)]
    async with Loopback(script) as server:
        result, events = await ran(
            tmp_path, server, "google", ["google_search", {"type": "code_execution"}], approval={"default": "allow"}
        )

    assert (result.status, result.text) == ("done", "It rains.")
    assert told(events) == [
        ("code_execution", "ok", "process", code["executableCode"]),
        ("google_search", "ok", "network", {"queries": ["weather"]}),
    ]
    first, second = (asked.json for asked in server.asked)
    assert [list(tool) for tool in first["tools"]] == [["googleSearch"], ["codeExecution"], ["functionDeclarations"]]
    assert first["toolConfig"]["includeServerSideToolInvocations"] is True
    assert second["contents"][1]["parts"] == [{"text": "I run."}, code, ran_it, call]
    gemini.Tool.model_validate(first["tools"][0])
    gemini.Content.model_validate(second["contents"][1])


async def test_a_key_of_an_option_comes_from_the_environment_and_is_kept_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCS_LOGIN", "geheim-0123456789")
    options = {"server_label": "d", "server_url": "https://m.example", "authorization": "${env.DOCS_LOGIN}"}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []}
    said["content"] = [{"type": "output_text", "text": "It is geheim-0123456789.", "annotations": []}]
    async with Loopback([answered(said)]) as server:
        result, _ = await ran(
            tmp_path, server, "openai_responses", [{"type": "mcp", "options": options, "require_approval": "never"}]
        )

    assert server.asked[0].json["tools"][0]["authorization"] == "geheim-0123456789"
    assert result.text == "It is [redacted]."
    assert all(b"geheim-0123456789" not in path.read_bytes() for path in (tmp_path / ".agentspec").glob("*.db*"))


WEB = "web_search"
LIMITED = {"type": WEB, "options": {"allowed_domains": ["docs.example"]}}


@pytest.mark.parametrize(
    ("tool", "capability", "offered"),
    [
        (WEB, {}, True),
        (WEB, {"approval": {"default": "ask", "rules": [{"tool": WEB, "decision": "allow"}]}}, True),
        (LIMITED, {"ceiling": {"hosts": ["docs.example", "*.docs.example"]}}, True),
        (WEB, {"ceiling": {"effects": ["none", "network"], "tools": ["look", "web_*"]}}, True),
        (WEB, {"approval": {"default": "ask"}}, False),
        (WEB, {"approval": {"rules": [{"effect": "network", "decision": "ask"}]}}, False),
        (WEB, {"approval": {"rules": [{"tool": "web_*", "decision": "deny"}]}}, False),
        (WEB, {"approval": {"rules": [{"paths": ["secret/**"], "decision": "deny"}]}}, True),
        (WEB, {"approval": {"rules": [{"tool": "look", "when": "true", "decision": "ask"}]}}, True),
        (WEB, {"approval": {"rules": [{"when": "session.calls > 3", "decision": "deny"}]}}, False),
        (WEB, {"approval": {"rules": [{"hosts": ["*.evil.example"], "decision": "deny"}]}}, False),
        (WEB, {"approval": {"rules": [{"tool": WEB, "calls_over": 5, "decision": "ask"}]}}, False),
        (WEB, {"approval": {"default": "ask", "rules": [{"when": "session.calls < 3", "decision": "allow"}]}}, False),
        (WEB, {"permissions": {"deny": [{"tool": WEB, "args": {"query": "*secret*"}}]}}, False),
        (WEB, {"permissions": {"allow": [{"tool": WEB, "args": {"query": "weather*"}}]}}, False),
        (WEB, {"permissions": {"allow": ["web_*"]}}, True),
        (WEB, {"middleware": [{"consent": {"auto": ["read"], "when": "session.calls > 3"}}]}, False),
        (WEB, {"middleware": ["consent"]}, True),
        (WEB, {"permissions": {"deny": [WEB]}}, False),
        (WEB, {"permissions": {"allow": ["look"], "on_escalation": "deny"}}, False),
        (WEB, {"ceiling": {"effects": ["none", "read"]}}, False),
        (WEB, {"ceiling": {"tools": ["look"]}}, False),
        (WEB, {"ceiling": {"hosts": ["docs.example"]}}, False),
        (LIMITED, {"ceiling": {"hosts": ["other.example"]}}, False),
        (WEB, {"middleware": ["dry_run"]}, False),
        ("code_execution", {"read_only_stance": {"until": "iteration > 1"}}, False),
    ],
)
async def test_what_bounds_the_run_decides_before_it_whether_the_provider_has_the_tool(
    tmp_path, tool, capability, offered
):
    async with Loopback([message(TEXT)]) as server:
        await ran(tmp_path, server, "anthropic", [tool], **capability)

    names = [each["name"] for each in server.asked[0].json["tools"]]
    assert (("look" in names), names[0] != "look") == (True, offered)


async def test_a_dry_run_offers_nothing_that_acts(tmp_path):
    async with Loopback([message(TEXT)]) as server:
        await ran(tmp_path, server, "anthropic", [WEB], options={"dry_run": True})

    assert [tool["name"] for tool in server.asked[0].json["tools"]] == ["look"]


@pytest.mark.parametrize(
    ("provider", "tool", "why"),
    [
        ("openai", WEB, "the provider `openai` runs no tools itself; `anthropic`, `openai_responses`, `google` do"),
        ("anthropic", "bash", "`anthropic` does not run `bash` itself"),
        ("openai_responses", "local_shell", "`openai_responses` does not run `local_shell` itself"),
        ("openai_responses", "mcp", "the provider would ask before each call of an MCP server"),
    ],
)
async def test_a_tool_that_the_provider_does_not_run_is_refused_before_the_run(tmp_path, provider, tool, why):
    async with Loopback([says("end")]) as server:
        with pytest.raises(SpecInvalid, match="AS652") as refused:
            await ran(tmp_path, server, provider, [tool])

    assert why in str(refused.value)
    assert server.asked == []


async def test_a_provider_that_the_spec_leaves_open_is_looked_at_when_it_is_known(tmp_path, monkeypatch):
    async with Loopback([says("end")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        path = tmp_path / "s.json"
        path.write_text(json.dumps({"name": "s", "task": "go", "capability": {"provider_tools": [WEB]}}))
        with pytest.raises(NotAllowed, match=r"`capability.provider_tools\[0\]`: the provider `openai` runs no tools"):
            await run(path)

    assert server.asked == []
