"""Whole runs whose provider searches for tools itself: one list of tools in every request, and what it tells kept."""

import itertools
import json

import pytest
from anthropic.types import Message
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.responses import Response
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from agentspec import NotAllowed, SpecInvalid, run
from tests.adapters.models.conversations import leaves
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback, response

TOOLS = {
    "look": {"description": "Looks around", "expr": "'a room'"},
    "drill": {
        "description": "Makes a hole",
        "parameters": {"depth": "integer"},
        "defer": True,
        "namespace": "walls",
        "expr": "args.depth",
    },
    "sing": {"description": "Sings a song", "defer": True, "expr": "'la'"},
}
REQUESTS = {
    "anthropic": TypeAdapter(MessageCreateParamsNonStreaming),
    "openai_responses": TypeAdapter(ResponseCreateParamsNonStreaming),
}

# --- Anthropic

USE = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "tool_search_tool_bm25",
    "input": {"query": "a hole"},
}
FOUND = {
    "type": "tool_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": {
        "type": "tool_search_tool_search_result",
        "tool_references": [{"type": "tool_reference", "tool_name": "drill"}],
    },
}
DRILLS = {"type": "tool_use", "id": "toolu_1", "name": "drill", "input": {"depth": 3}}


def message(*blocks, reason="end_turn"):
    usage = {"input_tokens": 9, "output_tokens": 4}
    told = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": usage}
    return [response({**told, "content": list(blocks), "stop_reason": reason})]


TEXT = {"type": "text", "text": "I look for a tool."}
ANSWER = {"type": "text", "text": "a hole of 3"}
MESSAGES = [message(TEXT, USE, FOUND, DRILLS, reason="tool_use"), message(ANSWER)]

# --- OpenAI's Responses API

SEARCH = {
    "type": "tool_search_call",
    "id": "tsc_1",
    "call_id": None,
    "execution": "server",
    "status": "completed",
    "arguments": {"paths": ["walls"]},
}
LOADED = {
    "type": "tool_search_output",
    "id": "tso_1",
    "call_id": None,
    "execution": "server",
    "status": "completed",
    "tools": [
        {
            "type": "namespace",
            "name": "walls",
            "description": "Tools of the group walls.",
            "tools": [{"type": "function", "name": "drill", "defer_loading": True, "parameters": {"type": "object"}}],
        }
    ],
}
DRILL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "drill",
    "namespace": "walls",
    "arguments": '{"depth": 3}',
    "status": "completed",
}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "a hole of 3", "annotations": []}],
}


def answered(*items):
    told = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
    return [response({**told, "output": list(items), "error": None, "usage": {"input_tokens": 9, "output_tokens": 4}})]


RESPONSES = [answered(SEARCH, LOADED, DRILL), answered(SAID)]
SCRIPTS = {"anthropic": MESSAGES, "openai_responses": RESPONSES}


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-geheim-0123456789")


async def ran(tmp_path, server, provider, search="native", **model):
    asked = search if isinstance(search, dict) else {"strategy": "bm25", "mode": search}
    url = server.url.removesuffix("/v1") if provider == "anthropic" else server.url
    spec = {
        "name": "s",
        "task": "go",
        "model": {"provider": provider, "model": "m", "base_url": url, "stream": False, **model},
        "capability": {"tools": TOOLS, "tool_search": asked},
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(spec))
    events = []
    return await run(path, on_event=events.append), events


@pytest.mark.parametrize("provider", SCRIPTS)
async def test_what_the_provider_finds_is_called_and_its_words_go_back_as_they_came(tmp_path, provider):
    async with Loopback(list(SCRIPTS[provider])) as server:
        result, events = await ran(tmp_path, server, provider)

    assert (result.status, result.text, result.tools.successful) == ("done", "a hole of 3", ["drill"])
    (search,) = [event for event in events if event["kind"] == "tool_search"]
    told = {name: search[name] for name in ("mode", "query", "found", "shown", "breaks_prefix")}
    query = "a hole" if provider == "anthropic" else "walls"
    assert told == {"mode": "native", "query": query, "found": ["drill"], "shown": ["drill"], "breaks_prefix": False}
    for asked in server.asked:
        leaves(REQUESTS[provider].validate_python(asked.json))
    later = server.asked[1].json
    if provider == "anthropic":
        assert later["messages"][1]["content"] == [TEXT, USE, FOUND, DRILLS]
    else:
        back = {name: value for name, value in DRILL.items() if name not in ("id", "status")}
        assert later["input"][1:4] == [SEARCH, LOADED, back]


async def test_all_tools_are_in_every_request_and_only_those_that_are_shown_can_be_cached(tmp_path):
    async with Loopback(list(MESSAGES)) as server:
        await ran(tmp_path, server, "anthropic")

    first, second = (asked.json["tools"] for asked in server.asked)
    assert first == second
    assert [(tool["name"], tool.get("defer_loading"), "cache_control" in tool) for tool in first] == [
        ("tool_search_tool_bm25", None, False),
        ("look", None, True),
        ("drill", True, False),
        ("sing", True, False),
    ]


async def test_deferred_tools_of_a_group_stand_in_its_namespace(tmp_path):
    async with Loopback(list(RESPONSES)) as server:
        await ran(tmp_path, server, "openai_responses")

    tools = server.asked[0].json["tools"]
    assert [tool.get("name", tool["type"]) for tool in tools] == ["tool_search", "look", "walls", "sing"]
    assert [(tool["name"], tool["defer_loading"]) for tool in tools[2]["tools"]] == [("drill", True)]
    assert tools[3]["defer_loading"] is True


@pytest.mark.parametrize("provider", SCRIPTS)
async def test_a_server_without_the_search_is_shown_all_tools(tmp_path, provider):
    words = {"error": {"type": "invalid_request_error", "message": "tools.0: unknown type `tool_search`"}}
    async with Loopback([[response(words, 400)], *SCRIPTS[provider]]) as server:
        result, _ = await ran(tmp_path, server, provider, retry={"base": "1ms"})

    assert (result.status, len(server.asked)) == ("done", 3)
    assert [tool["name"] for tool in server.asked[1].json["tools"]] == ["look", "drill", "sing"]
    assert "defer_loading" not in server.asked[1].body.decode()


async def test_each_request_begins_with_the_bytes_of_the_one_before_whatever_was_found(tmp_path):
    async with Loopback(list(RESPONSES)) as server:
        await ran(tmp_path, server, "openai_responses")

    bodies = [asked.body.rstrip(b"]}") for asked in server.asked]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(bodies))


async def test_auto_leaves_the_search_to_the_runtime_where_nobody_knows_the_server(tmp_path):
    find = {"type": "tool_use", "id": "toolu_0", "name": "search_tools", "input": {"query": "a hole"}}
    script = [message(find, reason="tool_use"), message(DRILLS, reason="tool_use"), message(ANSWER)]
    async with Loopback(script) as server:
        result, events = await ran(tmp_path, server, "anthropic", search="auto", model="claude-sonnet-5-5")

    assert (result.status, result.tools.successful) == ("done", ["search_tools", "drill"])
    assert [event["mode"] for event in events if event["kind"] == "tool_search"] == ["client"]


@pytest.mark.parametrize(
    ("provider", "search", "why"),
    [
        ("google", {"strategy": "bm25"}, "the provider `google` does not search for tools"),
        ("anthropic", {"strategy": "hybrid"}, "`anthropic` does not search by `hybrid`, but by `bm25` or `regex`"),
        ("anthropic", {"strategy": "bm25", "budget_tokens": 9}, "`budget_tokens` is for the search of the runtime"),
        ("openai_responses", {"strategy": "regex"}, "does not search by `regex`, but by `bm25` or `hybrid`"),
    ],
)
async def test_what_the_provider_cannot_do_is_told_before_anything_is_sent(tmp_path, provider, search, why):
    async with Loopback([says("end")]) as server:
        with pytest.raises(SpecInvalid, match="AS646") as told:
            await ran(tmp_path, server, provider, search={**search, "mode": "native"})

    assert why in str(told.value)
    assert server.asked == []


async def test_a_provider_that_the_spec_leaves_open_is_looked_at_when_it_is_known(tmp_path, monkeypatch):
    async with Loopback([calls(("c1", "drill", "{}")), says("end")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        path = tmp_path / "s.json"
        search = {"strategy": "bm25", "mode": "native"}
        path.write_text(json.dumps({"name": "s", "task": "go", "capability": {"tools": TOOLS, "tool_search": search}}))
        with pytest.raises(NotAllowed, match="the provider `openai` does not search for tools"):
            await run(path)

    assert server.asked == []


def test_the_answers_are_those_of_the_vendors():
    for script, kind in ((MESSAGES, Message), (RESPONSES, Response)):
        for (step,) in script:
            body = json.loads(step.partition(b"\r\n\r\n")[2])
            more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []} if kind is Response else {}
            usage = {"usage": None} if kind is Response else {}
            assert kind.model_validate({**body, **more, **usage})
