"""Whole runs that find their tools: what stands in the requests, byte by byte."""

import itertools
import json

import pytest

from agentspec import run
from agentspec.errors import SpecInvalid
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback, response

TOOLS = {
    "look": {"description": "Looks around", "expr": "'a room'"},
    "drill": {"description": "Makes a hole", "parameters": {"depth": "integer"}, "defer": True, "expr": "args.depth"},
    "paint": {"description": "Paints a wall", "defer": True, "expr": "'red'"},
}
LOOK = calls(("c0", "look", "{}"))
FIND = calls(("c1", "search_tools", '{"query": "a hole"}'))
DRILL = calls(("c2", "drill", '{"depth": 3}'))


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")


async def ran(tmp_path, server, search="bm25", **options):
    spec = {
        "name": "s",
        "task": "go",
        "model": {"provider": "openai", "model": "m", "base_url": server.url},
        "execution": {"stall": False},
        "capability": {"tools": TOOLS, "tool_search": search},
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(spec))
    return await run(path, **options)


def offered(asked):
    return [tool["function"]["name"] for tool in asked.json["tools"]]


async def test_a_deferred_tool_is_in_the_request_after_it_was_found_and_can_be_called_then(tmp_path):
    events = []
    async with Loopback([FIND, DRILL, says("a hole of 3")]) as server:
        result = await ran(tmp_path, server, on_event=events.append)

    assert (result.status, result.text, result.tools.successful) == ("done", "a hole of 3", ["search_tools", "drill"])
    assert [offered(asked) for asked in server.asked] == [
        ["look", "search_tools"],
        ["look", "search_tools", "drill"],
        ["look", "search_tools", "drill"],
    ]
    (event,) = [event for event in events if event["kind"] == "tool_search"]
    assert (event["query"], event["shown"], event["breaks_prefix"]) == ("a hole", ["drill"], True)


async def test_while_nothing_is_found_each_request_begins_with_the_bytes_of_the_one_before(tmp_path):
    nothing = calls(("c1", "search_tools", '{"query": "dance"}'))
    async with Loopback([LOOK, nothing, LOOK, nothing, says("end")]) as server:
        await ran(tmp_path, server)

    bodies = [asked.body.rstrip(b"]}") for asked in server.asked]
    assert len(bodies) == 5
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(bodies))


async def test_what_was_found_is_the_only_break_and_the_tools_before_it_keep_their_bytes(tmp_path):
    async with Loopback([FIND, LOOK, DRILL, says("end")]) as server:
        await ran(tmp_path, server)

    bodies = [asked.body.rstrip(b"]}") for asked in server.asked]
    breaks = [not later.startswith(earlier) for earlier, later in itertools.pairwise(bodies)]
    assert breaks == [True, False, False]
    tools = bodies[0][: bodies[0].index(b'],"messages"')]
    assert bodies[1].startswith(tools)


async def test_names_of_hidden_tools_are_listed_where_the_spec_wants_it(tmp_path):
    async with Loopback([says("end")]) as server:
        await ran(tmp_path, server, {"strategy": "hybrid", "include_stub_listing": True, "name": "find"})

    tool = server.asked[0].json["tools"][-1]["function"]
    assert tool["name"] == "find"
    assert tool["description"].endswith("There are: drill, paint.")


async def test_a_search_by_the_provider_is_refused_where_none_has_it(tmp_path):
    async with Loopback([says("end")]) as server:
        with pytest.raises(SpecInvalid, match="AS646"):
            await ran(tmp_path, server, {"strategy": "bm25", "mode": "native"})

    assert server.asked == []


LOOKS = [LOOK] * 5
REFUSED = [response({"error": {"message": "Invalid value for tool_choice: allowed_tools is not known here"}}, 400)]


async def narrowed(tmp_path, server, monkeypatch, provider="openai", **model):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    tools = {name: {"description": name, "expr": "1"} for name in ("look", "read")}
    spec = {
        "name": "s",
        "task": "go",
        "model": {"provider": provider, "model": "gpt-5-mini", **model},
        "execution": {"stall": False},
        "capability": {"tools": tools},
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(spec))
    return await run(path)


async def test_a_provider_that_can_be_told_gets_the_same_tools_and_a_choice_among_them(tmp_path, monkeypatch):
    async with Loopback([*LOOKS, LOOK, says("end")]) as server:
        await narrowed(tmp_path, server, monkeypatch)

    assert [asked.json.get("tool_choice") for asked in server.asked[:5]] == [None] * 5
    assert server.asked[6].json["tool_choice"] == {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "look"}}]},
    }
    assert [offered(asked) for asked in server.asked] == [["look", "read"]] * 7
    starts = [asked.body[: asked.body.index(b'],"tool_choice"')] for asked in server.asked[5:]]
    assert starts[1].startswith(starts[0])


async def test_a_server_that_does_not_know_the_choice_is_asked_without_it_from_then_on(tmp_path, monkeypatch):
    async with Loopback([*LOOKS, REFUSED, LOOK, says("end")]) as server:
        result = await narrowed(tmp_path, server, monkeypatch)

    assert (result.status, result.tools.mode) == ("done", "native")
    assert ["tool_choice" in asked.json for asked in server.asked] == [False] * 5 + [True, False, False]


# The same behind the Responses API.


def answered(item, status=200):
    told = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "status": "completed", "error": None}
    return [response({**told, "output": [item], "usage": {"input_tokens": 900, "output_tokens": 4}}, status)]


SAID = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
CALLS = [
    answered({"type": "function_call", "id": f"f{n}", "call_id": f"c{n}", "name": "look", "arguments": "{}"})
    for n in range(6)
]
TOLD = answered({**SAID, "content": [{"type": "output_text", "text": "end", "annotations": []}]})


@pytest.mark.parametrize("refuses", [False, True])
async def test_the_responses_api_gets_the_same_tools_and_a_choice_among_them(tmp_path, monkeypatch, refuses):
    async with Loopback([*CALLS[:5], *([REFUSED] if refuses else []), CALLS[5], TOLD]) as server:
        result = await narrowed(tmp_path, server, monkeypatch, provider="openai_responses", stream=False)

    choice = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "look"}]}
    chosen = [asked.json.get("tool_choice") for asked in server.asked]
    assert (result.status, result.tools.mode) == ("done", "native")
    assert chosen == [None] * 5 + ([choice, None, None] if refuses else [choice, choice])
    assert {len(asked.json["tools"]) for asked in server.asked} == {2}
