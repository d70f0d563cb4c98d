"""Private data, untrusted content and a way out in one run are told, and nothing else is."""

import pytest
import yaml

from agentspec.checker.check import check_paths

FILES = "files.read"
ANY = {"web.fetch": {"hosts": ["*"]}}
NAMED = {"web.fetch": {"hosts": ["docs.example.org"]}}
SERVER = {"tracker": {"url": "https://mcp.example.org"}}
CURL = {
    "description": "D",
    "parameters": {"url": "string"},
    "run": ["curl", "-s", "${args.url}"],
    "network": True,
}
ORDERS = {"orders": {"url": "sqlite:///shop.db", "table": "orders", "verbs": ["search"]}}


def http(url, method="GET", **more):
    return {"description": "D", "parameters": {"host": "string"}, "http": {"method": method, "url": url, **more}}


def asks(**rule):
    return {"rules": [{**rule, "decision": "ask"}]}


RISKY = {
    "files and any page": {"toolkits": [FILES, ANY]},
    "tables and any page": {"toolkits": [ANY], "resources": ORDERS},
    "a repository and any page": {"toolkits": ["git", ANY]},
    "credentials and any page": {
        "toolkits": [ANY],
        "tools": {
            "mail": http("https://mail.example.org/${args.host}", headers={"Authorization": "${env.MAIL_TOKEN}"})
        },
    },
    "files and a server": {"toolkits": [FILES], "mcp": SERVER},
    "files and a server some of whose tools read": {
        "toolkits": [FILES],
        "mcp": {"tracker": {**SERVER["tracker"], "effects": {"get_*": "read"}}},
    },
    "files and an address of the model's": {
        "toolkits": [FILES],
        "tools": {"get": http("https://${args.host}/x")},
    },
    "files, a reading server and a tool that sends": {
        "toolkits": [FILES],
        "mcp": {"tracker": {**SERVER["tracker"], "effects": {"*": "read"}}},
        "tools": {"comment": http("https://api.example.org/comments", "POST", json={"text": "${args.host}"})},
    },
    "programs with a network, and a server that reads": {
        "toolkits": [{"command": {"allow": ["curl"]}}],
        "sandbox": {"network": True},
        "mcp": {"tracker": {**SERVER["tracker"], "effects": {"*": "read"}}},
    },
    "programs with a network, which bring pages as well": {
        "toolkits": [FILES, {"command": {"allow": [["curl", "-s"]]}}],
        "sandbox": "none",
    },
    "a program that fetches what the model names": {"toolkits": [FILES], "tools": {"get": CURL}},
    "what the provider searches for": {"toolkits": [FILES], "provider_tools": ["web_search"]},
    "asked about another tool": {"toolkits": [FILES, ANY], "approval": asks(tool="delete_path")},
    "asked by default, and allowed again": {
        "toolkits": [FILES, ANY],
        "approval": {"default": "ask", "rules": [{"tool": "fetch", "decision": "allow"}]},
    },
    "consent that fetching does not need": {"toolkits": [FILES, ANY], "middleware": ["consent"]},
}

SAFE = {
    "any page alone": {"toolkits": [ANY]},
    "files alone": {"toolkits": [FILES, "files.edit", "git"]},
    "files and named hosts": {"toolkits": [FILES, NAMED]},
    "a server alone": {"mcp": {"tracker": {**SERVER["tracker"], "auth": {"token_env": "TRACKER_TOKEN"}}}},
    "asked about the fetch": {"toolkits": [FILES, ANY], "approval": asks(tool="fetch")},
    "asked about all that reaches out": {"toolkits": [FILES, ANY], "approval": asks(effect="network")},
    "asked about the server": {"toolkits": [FILES], "mcp": SERVER, "approval": asks(mcp="tracker")},
    "denied by default": {
        "toolkits": [FILES, ANY],
        "approval": {"default": "deny", "rules": [{"tool": "read_file", "decision": "allow"}]},
    },
    "a ceiling of hosts": {"toolkits": [FILES, ANY], "ceiling": {"hosts": ["docs.example.org"]}},
    "a ceiling of effects": {"toolkits": [FILES], "mcp": SERVER, "ceiling": {"effects": ["none", "read"]}},
    "not permitted": {"toolkits": [FILES, ANY], "permissions": {"allow": ["read_file", "list_directory"]}},
    "a server that reads": {
        "toolkits": [FILES],
        "mcp": {"tracker": {**SERVER["tracker"], "effects": {"*": "read"}}},
    },
    "consent that fetching needs": {
        "toolkits": [FILES, ANY],
        "middleware": [{"consent": {"auto": ["read", "search"]}}],
    },
    "a program that is a server here": {"toolkits": [FILES], "mcp": {"calc": {"command": ["calc"]}}},
    "a program that fetches what its author names": {
        "toolkits": [FILES],
        "tools": {"get": {**CURL, "run": ["curl", "https://docs.example.org"]}},
    },
    "a program that fetches and is asked about": {
        "toolkits": [FILES],
        "tools": {"get": CURL},
        "approval": asks(tool="get"),
    },
    "a provider that runs code": {"toolkits": [FILES], "provider_tools": ["code_execution"]},
    "a provider that is held to domains": {
        "toolkits": [FILES],
        "provider_tools": [{"type": "web_search", "options": {"allowed_domains": ["docs.example.org"]}}],
    },
    "a search that is asked about, and so not offered": {
        "toolkits": [FILES],
        "provider_tools": ["web_search"],
        "approval": asks(effect="network"),
    },
    "programs without a network": {
        "toolkits": [{"command": {"allow": ["curl"]}}],
        "mcp": {"t": {"url": "https://t.example.org", "effects": {"*": "read"}}},
    },
}


def told(tmp_path, capability):
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({"name": "a", "capability": capability}))
    return [one for one in check_paths([tmp_path / "a.yaml"]).diagnostics if one.code == "AS615"]


@pytest.mark.parametrize("case", RISKY)
def test_the_three_together_are_told_with_all_three_places(tmp_path, case):
    findings = told(tmp_path, RISKY[case])

    assert len(findings) == 1
    assert len(findings[0].related) == 2


@pytest.mark.parametrize("case", SAFE)
def test_two_of_the_three_or_a_gate_before_the_way_out_are_not(tmp_path, case):
    assert told(tmp_path, SAFE[case]) == []


def test_there_are_enough_of_both():
    assert len(RISKY) + len(SAFE) >= 24
