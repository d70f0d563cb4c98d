"""`agentspec mcp` shows what servers offer, and writes down what somebody accepts."""

import json
import sys
from pathlib import Path

import pytest

RAW = str(Path(__file__).parents[1] / "servers" / "mcp_raw.py")


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(what: str, **more: object) -> str:
        server = {"command": [sys.executable, RAW], "env": {"MCP_RAW": what}, **more}
        Path("a.json").write_text(json.dumps({"name": "a", "task": "go", "capability": {"mcp": {"s": server}}}))
        return "a.json"

    return write


def test_the_tools_of_servers_are_listed_with_their_effects(agentspec, spec):
    done = agentspec("mcp", "list", spec("good", effects={"t": "read"}))

    assert (done.code, done.out, done.err) == (0, "s: 1 tools\n  s__t (read) D\n", "")


def test_what_has_changed_since_it_was_accepted_is_shown_before_and_now(agentspec, spec):
    first = agentspec("mcp", "accept", spec("good", pin=True))
    changed = agentspec("mcp", "list", spec("other", pin=True))
    as_json = agentspec("mcp", "list", "a.json", "s", "--json")
    second = agentspec("mcp", "accept", "a.json", "s")
    settled = agentspec("mcp", "list", "a.json")

    assert first.out == "s: 1 changes accepted\n  t: new\n"
    assert changed.out == (
        "s: 2 tools, pinned\n"
        "  s__t (write) Another\n"
        "  s__more (write) D\n"
        "  more: not accepted yet\n"
        "  t: changed since accepted\n"
        "    description: D\n"
        "               → Another\n"
    )
    assert json.loads(as_json.out)[0]["changes"] == [
        {"tool": "more", "kind": "new", "parts": []},
        {"tool": "t", "kind": "changed", "parts": [["description", "D", "Another"]]},
    ]
    assert second.out == "s: 2 changes accepted\n  more: new\n  t: changed\n"
    assert settled.out == "s: 2 tools, pinned\n  s__t (write) Another\n  s__more (write) D\n"


def test_a_server_that_the_spec_does_not_have_is_told(agentspec, spec):
    done = agentspec("mcp", "list", spec("good"), "x")

    assert (done.code, done.out, done.err) == (2, "", "agentspec: this spec has no MCP server `x`\n")


def test_nothing_that_a_server_says_steers_the_terminal(agentspec, spec):
    done = agentspec("mcp", "list", spec("steering"))

    assert done.out == "s: 1 tools\n  s__t__2J_bdfbb49b (write) \\x1b[2Jhello\n"
