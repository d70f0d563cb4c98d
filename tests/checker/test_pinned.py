"""Of a server that is pinned a check knows the tools: those that somebody has accepted."""

import json

import pytest

from agentspec.checker.check import check_paths

SPEC = """
name: tickets
execution: {{require_successful_tools: [{name}]}}
capability:
  mcp:
    tracker: {{command: [tracker], allow: ["get_*", close, "{long}"], deny: [get_secret], pin: {pin}}}
"""
LONG = "get_" + "n" * 70


def found(tmp_path, name, *, pin="true", lock=None):
    if lock is not None:
        (tmp_path / ".agentspec").mkdir()
        (tmp_path / ".agentspec" / "mcp.lock").write_text(lock)
    (tmp_path / "a.yaml").write_text(SPEC.format(name=name, pin=pin, long=LONG))
    return [
        (one.code, one.message, one.help)
        for one in check_paths([tmp_path / "a.yaml"]).diagnostics
        if one.code != "AS628"
    ]


def accepted(*tools):
    servers = {"tracker": {"source": "x", "tools": {tool: {"name": tool} for tool in tools}}}
    return json.dumps({"version": 1, "servers": servers})


LOCK = accepted("get_issue", "get_secret", "close", "remove", LONG)


@pytest.mark.parametrize("name", ["tracker__get_issue", "tracker__close"])
def test_what_was_accepted_is_known(tmp_path, name):
    assert found(tmp_path, name, lock=LOCK) == []


@pytest.mark.parametrize("name", ["tracker__get_isue", "tracker__get_secret", "tracker__remove"])
def test_what_was_not_accepted_or_not_chosen_is_unknown(tmp_path, name):
    findings = found(tmp_path, name, lock=LOCK)

    assert [(code, message) for code, message, _ in findings] == [("AS601", f"unknown tool `{name}`")]


def test_a_misspelt_name_gets_the_accepted_one(tmp_path):
    assert found(tmp_path, "tracker__get_isue", lock=LOCK)[0][2] == "did you mean `tracker__get_issue`?"


@pytest.mark.parametrize(
    "lock", [None, "", "[]", "{", '{"version": 1, "servers": {"tracker": 3}}', "[" * 5000, accepted()]
)
def test_without_a_lock_that_tells_anything_every_name_of_a_server_may_be_one(tmp_path, lock):
    expected = ["AS601"] if lock == accepted() else []

    assert [code for code, _, _ in found(tmp_path, "tracker__anything", lock=lock)] == expected


def test_a_server_that_is_not_pinned_may_have_any_tool(tmp_path):
    assert found(tmp_path, "tracker__anything", pin="false", lock=LOCK) == []
