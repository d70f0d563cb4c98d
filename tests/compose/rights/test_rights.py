"""What a composed spec may do in the end, and what another one may do more."""

from __future__ import annotations

import pytest

from agentspec.compose.rights.change import rights_change
from agentspec.compose.rights.leave import Called, leave
from agentspec.compose.rights.of_agents import rights_with_called
from agentspec.compose.rights.rights import KINDS, Rights, rights_of
from agentspec.syntax.tree import Mapping
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source


def rights(capability: str, top: str = "") -> Rights:
    root = (
        parse(Source("a.yaml", f"name: a\nmodel: {{provider: openai, model: m}}\n{top}capability: {capability}\n"))
        .documents[0]
        .root
    )
    assert isinstance(root, Mapping)
    return rights_of(root)


def named(found: Rights, kind: str) -> dict[str, str]:
    """The names of a kind, with effect and decision where there are any."""
    return {name: " ".join(filter(None, (right.effect, right.decision))) for name, right in found.kinds[kind].items()}


def others(found: Rights) -> dict[str, list[str]]:
    """The names of every kind but tools and effects, as far as there are some."""
    kinds = {kind: list(found.kinds[kind]) for kind in KINDS if kind not in ("tools", "effects", "providers", "models")}
    return {kind: names for kind, names in kinds.items() if names}


GET = "http: {url: 'https://api.example.org/x'}"


@pytest.mark.parametrize(
    ("capability", "tools", "more"),
    [
        ("{tools: {add: {expr: '1'}}}", {"add": "none allow"}, {}),
        ("{tools: {ls: {run: [ls, -l]}}}", {"ls": "process allow"}, {"commands": ["ls -l"]}),
        ("{tools: {ls: {run: ['${args.x}'], network: true}}}", {"ls": "process allow"}, {"hosts": ["*"], "commands": ["${args.x}"]}),
        (f"{{tools: {{get: {{{GET}}}}}}}", {"get": "read allow"}, {"hosts": ["api.example.org"]}),
        ("{tools: {get: {http: {url: 'https://${args.host}/x', method: PUT}}}}", {"get": "network allow"}, {"hosts": ["*"]}),
        ("{tools: {get: {http: {url: '${env.SHOP}/x'}}}}", {"get": "read allow"}, {"hosts": ["*"], "secrets": ["SHOP"]}),
        ("{tools: {py: {python: 'a.b:c'}}}", {"py": "write allow"}, {"functions": ["a.b:c"]}),
        ("{tools: {sub: {agent: other}}}", {"sub": "allow"}, {"children": ["sub: other"]}),
        ("{tools: {x: {expr: '1', effect: read}}}", {"x": "read allow"}, {}),
        ("{subagents: {kid: {agent: ./kid.yaml}}}", {"kid": "allow"}, {"children": ["kid: ./kid.yaml"]}),
        ("{toolkits: [{files.read: {root: src, enabled: [read_file]}}]}", {"read_file": "read allow"}, {"roots": ["src"]}),
        ("{toolkits: [{web.fetch: {hosts: ['*.org']}}]}", {"fetch": "network allow"}, {"hosts": ["*.org"]}),
        ("{toolkits: [web.fetch]}", {"fetch": "network ask"}, {"hosts": ["*"]}),
        ("{toolkits: [{command: {enabled: [run_command]}}]}", {"run_command": "process ask"}, {"roots": ["."], "commands": ["*"]}),
        ("{toolkits: [{command: {enabled: [run_command], allow: [ls], env: [KEY]}}]}", {"run_command": "process allow"}, {"roots": ["."], "commands": ["ls *"], "secrets": ["KEY"]}),
        ("{toolkits: [{command: {enabled: [run_command], allow: [ls], allow_else: ask}}]}", {"run_command": "process allow"}, {"roots": ["."], "commands": ["ls *", "*"]}),
        ("{resources: {t: {url: 'sqlite:///x', table: t, verbs: [get, delete], actions: {swap: {}}}}}", {"get_t": "read allow", "delete_t": "write allow", "swap": "write allow"}, {}),
        ("{mcp: {gh: {command: [npx, gh], env: {K: '${env.GH}'}}}}", {"gh__*": "write allow"}, {"commands": ["npx gh"], "secrets": ["GH"]}),
        ("{mcp: {gh: {url: 'https://gh.org/', allow: [list, get], effects: {'*': read}}}}", {"gh__list": "read allow", "gh__get": "read allow"}, {"hosts": ["gh.org"]}),
        ("{approval: {external_roots: [/data]}, sandbox: {writable: [out]}}", {}, {"roots": ["/data", "out"]}),
    ],
)  # fmt: skip
def test_what_each_part_of_a_spec_may_do(capability: str, tools: dict[str, str], more: dict[str, list[str]]) -> None:
    found = rights(capability)

    assert named(found, "tools") == tools
    assert others(found) == more


@pytest.mark.parametrize(
    ("part", "hosts"),
    [
        ("tools: {t: {http: {url: '%s'}}}", []),
        ("mcp: {t: {url: '%s'}}", []),
        ("tools: {t: {http: {url: '%s'}}}, ceiling: {hosts: ['*']}", []),
        ("toolkits: [{web.fetch: {hosts: ['fetched.org:8443']}}], mcp: {t: {url: '%s'}}", ["fetched.org:8443"]),
    ],
)
@pytest.mark.parametrize(
    ("url", "shown", "pattern"),
    [
        ("https://a.org/x", "a.org", "a.org:443"),
        ("http://A.org", "a.org", "a.org:80"),
        ("http://127.0.0.1:18977/v1/x", "127.0.0.1:18977", "127.0.0.1:18977"),
        ("http://[::1]:8080/x", "[::1]:8080", "[::1]:8080"),
        ("https://user:word@a.org:8443/x", "a.org:8443", "a.org:8443"),
        ("https://a.org:${env.PORT}/x", "a.org", "a.org"),
        ("https://a.org${env.REST}", "*", "*"),
    ],
)
def test_an_address_is_the_host_and_the_port_that_it_names(part, hosts, url, shown, pattern) -> None:
    found = rights("{" + part % url + "}").kinds["hosts"]

    assert sorted(found) == sorted([*hosts, shown])
    assert found[shown].node.value == pattern


def test_the_address_of_a_model_is_shown_with_its_port() -> None:
    root = (
        parse(Source("a.yaml", "name: a\nmodel: {provider: openai, base_url: 'http://[::1]:8080/v1'}\n"))
        .documents[0]
        .root
    )

    assert isinstance(root, Mapping)
    assert list(rights_of(root).kinds["hosts"]) == ["[::1]:8080"]


@pytest.mark.parametrize(
    ("fetched", "ceiling", "left"),
    [
        ("a.org", "a.org:8443", ["a.org:8443"]),
        ("*.a.org:8443", "www.a.org", ["www.a.org:8443"]),
        ("*", "'[::1]:80'", ["[::1]:80"]),
        ("a.org:80", "a.org:8443", []),
    ],
)
def test_of_the_hosts_of_a_toolkit_those_of_the_ceiling_are_left(fetched, ceiling, left) -> None:
    found = rights(f"{{toolkits: [{{web.fetch: {{hosts: ['{fetched}']}}}}], ceiling: {{hosts: [{ceiling}]}}}}")

    assert list(found.kinds["hosts"]) == left


SHELL = "{toolkits: [{command: {enabled: [run_command], %s}}], ceiling: {%s}}"


@pytest.mark.parametrize(
    ("capability", "decision"),
    [
        ("{tools: {t: {run: [ls]}}, ceiling: {commands: [git]}}", "deny"),
        ("{tools: {t: {run: [git, push]}}, ceiling: {commands: [[git, status]]}}", "deny"),
        ("{tools: {t: {run: [/usr/bin/git, status]}}, ceiling: {commands: [git]}}", "allow"),
        ("{tools: {t: {run: [sh, -c, git status]}}, ceiling: {commands: [git]}}", "allow"),
        ("{tools: {t: {run: [git, '${args.x}', status]}}, ceiling: {commands: [[git, status]]}}", "allow"),
        ("{tools: {t: {run: ['${args.x}']}}, ceiling: {commands: [[git, status]]}}", "allow"),
        ("{tools: {t: {run: [ls], network: true}}, ceiling: {hosts: [a.org]}}", "allow"),
        ("{tools: {t: {http: {url: 'http://a.org:8080/'}}}, ceiling: {hosts: ['a.org:80']}}", "deny"),
        ("{tools: {t: {http: {url: 'http://a.org:${args.p}/'}}}, ceiling: {hosts: ['a.org:80']}}", "allow"),
        ("{toolkits: [{web.fetch: {hosts: [a.org]}}], ceiling: {hosts: [b.org]}}", "deny"),
        ("{toolkits: [{web.fetch: {hosts: [a.org]}}], ceiling: {hosts: ['a.org:80']}}", "allow"),
        (SHELL % ("allow: [ls]", "commands: [git]"), "deny"),
        (SHELL % ("allow: [ls, git]", "commands: [[git, status]]"), "allow"),
        (SHELL % ("allow: [ls], allow_else: ask", "commands: [git]"), "allow"),
        (SHELL % ("root: src, allow: [ls]", "roots: [docs]"), "deny"),
        (SHELL % ("root: src, allow: [ls]", "roots: [docs/a]"), "deny"),
        (SHELL % ("root: src, allow: [ls]", "roots: [src/a]"), "allow"),
        (SHELL % ("root: /data, allow: [ls]", "roots: [docs]"), "allow"),
        (SHELL % ("allow: [ls]", "roots: [docs]"), "allow"),
    ],
)
def test_a_tool_whose_every_call_the_ceiling_refuses_is_denied(capability: str, decision: str) -> None:
    (tool,) = rights(capability).kinds["tools"].values()

    assert tool.decision == decision


@pytest.mark.parametrize(("program", "decision"), [("ls", "deny"), ("git", "allow")])
def test_a_tool_of_an_agent_whose_every_call_the_ceiling_of_its_caller_refuses_is_denied(program, decision) -> None:
    caller, inner = (
        parse(Source("a.yaml", f"name: a\ncapability: {text}\n")).documents[0].root
        for text in (
            "{tools: {sub: {agent: b}}, ceiling: {commands: [git]}}",
            f"{{tools: {{t: {{run: [{program}]}}}}}}",
        )
    )
    assert isinstance(caller, Mapping)
    assert isinstance(inner, Mapping)

    assert rights_with_called(caller, {"sub": inner}).kinds["tools"]["sub/t"].decision == decision


def test_effects_are_those_of_tools_that_can_be_called() -> None:
    found = rights(
        "{toolkits: [files.read, files.edit], permissions: {deny: [write_*, edit_*, patch_*, create_*, delete_*], on_escalation: deny}}"
    )

    assert list(found.kinds["effects"]) == ["read"]
    assert named(found, "tools")["write_file"] == "write deny"


def test_a_ceiling_leaves_out_what_it_forbids() -> None:
    found = rights(
        "{ceiling: {effects: [none, read, network], hosts: [api.org, '*.de'], roots: [src], tools: [fetch, read_*, gh__list]},"
        " toolkits: [web.fetch, files.edit, {files.read: {root: ., enabled: [read_file]}}], mcp: {gh: {command: [gh], effects: {'l*': read}}}}"
    )

    assert named(found, "tools")["fetch"] == "network ask"
    assert named(found, "tools")["gh__list"] == "read allow"
    assert "write_file" not in found.kinds["tools"]
    assert list(found.kinds["effects"]) == ["network", "read"]
    assert named(found, "hosts") == {"api.org": "ask", "*.de": "ask"}
    assert list(found.kinds["roots"]) == ["src"]
    assert list(found.kinds["commands"]) == ["gh"]


@pytest.mark.parametrize(
    ("ceiling", "hosts", "effects"),
    [
        ("{tools: [t]}", ["*"], ["process", "network"]),
        ("{hosts: [api.org, '*']}", ["*"], ["process", "network"]),
        ("{hosts: [api.org]}", [], ["process", "network"]),
        ("{effects: [process]}", ["*"], ["process"]),
    ],
)
def test_a_program_has_the_network_as_a_whole_or_not_at_all(ceiling, hosts, effects) -> None:
    found = rights(f"{{ceiling: {ceiling}, tools: {{t: {{run: [curl], network: true}}}}}}")

    assert (list(found.kinds["hosts"]), list(found.kinds["effects"])) == (hosts, effects)


@pytest.mark.parametrize(
    ("argv", "commands"),
    [
        ("[git, '${args.sub}']", ["git ${args.sub}"]),
        ("['${args.program}', status]", ["${args.program} status"]),
        ("[git, log]", []),
        ("[git]", []),
    ],
)
def test_a_command_with_slots_may_be_one_of_the_ceiling(argv: str, commands: list[str]) -> None:
    found = rights(f"{{ceiling: {{commands: [[git, status]]}}, tools: {{g: {{run: {argv}}}}}}}")

    assert list(found.kinds["commands"]) == commands


def test_models_secrets_and_programs_of_rules_count_whoever_calls() -> None:
    found = rights(
        "{ceiling: {hosts: []}}",
        "execution:\n  verify_completion: [{command: [make, test]}]\n  verify_completion_judge: {provider: anthropic, model: big}\n"
        "  loop_control: [{python: 'own.rules:stop'}]\nx-model: {}\n",
    )

    assert list(found.kinds["providers"]) == ["openai", "anthropic"]
    assert list(found.kinds["models"]) == ["m", "big"]
    assert others(found) == {"commands": ["make test"], "functions": ["own.rules:stop"], "ceiling": ["hosts"]}


def test_an_agent_that_names_no_provider_may_ask_any() -> None:
    def open_ends(text: str) -> list[list[str]]:
        root = parse(Source("a.yaml", text)).documents[0].root
        assert isinstance(root, Mapping)
        found = rights_of(root)
        return [list(found.kinds["providers"]), list(found.kinds["models"])]

    assert open_ends("name: a\n") == [["*"], ["*"]]
    assert open_ends("name: a\nmodel: {model: x}\ncapability: {ceiling: {providers: [openai]}}\n") == [
        ["openai"],
        ["x"],
    ]
    assert open_ends("preset: a\n") == [[], []]


def test_the_lower_of_two_bounds_counts() -> None:
    found = rights(
        "{ceiling: {limits: {tokens: 5, wall_clock: 1m}}}",
        "execution: {limits: {tokens: 9, wall_clock: 30s, tool_calls: 3}}\n",
    )

    assert {name: right.name for name, right in found.kinds["limits"].items()} == {
        "tokens": "5",
        "wall_clock": "30s",
        "tool_calls": "3",
    }


# --- what becomes of a call

WRITE = Called("drop", "write")
FETCH = Called("fetch", "network", asks=True)


@pytest.mark.parametrize(
    ("tool", "capability", "expected"),
    [
        (WRITE, {}, "allow"),
        (FETCH, {}, "ask"),
        (FETCH, {"approval": {"default": "deny"}}, "deny"),
        (FETCH, {"approval": {"rules": [{"tool": "fetch", "decision": "allow"}]}}, "allow"),
        (WRITE, {"approval": {"default": "ask"}}, "ask"),
        (WRITE, {"approval": {"default": "ask", "rules": [{"tool": "dr*", "paths": ["x"], "decision": "allow"}]}}, "allow"),
        (WRITE, {"approval": {"default": "ask", "rules": [{"tool": "e*", "decision": "allow"}]}}, "ask"),
        (WRITE, {"approval": {"rules": [{"tool": "dr*", "paths": ["x"], "decision": "deny"}]}}, "allow"),
        (WRITE, {"approval": {"rules": [{"effect": ["write", "process"], "decision": "deny"}]}}, "deny"),
        (WRITE, {"approval": {"rules": [{"kind": "edit", "decision": "deny"}]}}, "allow"),
        (WRITE, {"approval": {"rules": [{"kind": ["edit", "delete", "move"], "decision": "deny"}]}}, "deny"),
        (WRITE._replace(work="edit"), {"approval": {"rules": [{"kind": "edit", "decision": "deny"}]}}, "deny"),
        (WRITE, {"approval": {"rules": [{"decision": "ask", "tool": "*"}, {"tool": "drop", "decision": "allow"}]}}, "ask"),
        (WRITE, {"approval": {"rules": [{"when": "true", "decision": "ask"}]}}, "ask"),
        (WRITE, {"approval": {"rules": [{"when": True, "tool": "dr*", "decision": "deny"}]}}, "deny"),
        (WRITE, {"approval": {"rules": [{"when": "args.all", "decision": "deny"}]}}, "allow"),
        (WRITE, {"permissions": {"deny": ["drop"]}}, "ask"),
        (WRITE, {"permissions": {"deny": "d*", "on_escalation": "deny"}}, "deny"),
        (WRITE, {"permissions": {"deny": [{"tool": "drop", "args": {"x": "y"}}], "on_escalation": "deny"}}, "allow"),
        (WRITE, {"permissions": {"allow": ["make"], "on_escalation": "deny"}}, "deny"),
        (WRITE, {"permissions": {"allow": [{"tool": "d*", "paths": ["x"]}], "on_escalation": "deny"}}, "allow"),
        (WRITE, {"middleware": ["consent"]}, "ask"),
        (FETCH._replace(asks=False), {"middleware": ["consent"]}, "allow"),
        (WRITE, {"middleware": [{"consent": {"only": ["make"]}}]}, "allow"),
        (WRITE, {"middleware": [{"consent": {"except": "dr*"}}]}, "allow"),
        (WRITE, {"middleware": [{"consent": {"when": "args.all"}}, "cache"]}, "allow"),
        (WRITE, {"middleware": [{"consent": {"when": "true"}}, "cache"]}, "ask"),
        (WRITE, {"middleware": [{"consent": {"auto": ["edit", "delete", "move"]}}]}, "allow"),
        (Called("s__*", "write"), {"permissions": {"deny": ["s__drop"], "on_escalation": "deny"}}, "allow"),
        (Called("s__*", "write"), {"permissions": {"deny": ["s__*"], "on_escalation": "deny"}}, "deny"),
        (Called("kid", None), {"approval": {"rules": [{"effect": "write", "decision": "deny"}]}}, "allow"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_call_at_most(tool: Called, capability: dict[str, object], expected: str) -> None:
    assert leave(tool, capability) == expected


# --- what changes


CEILING = "{{ceiling: {{hosts: ['{}']}}}}"
FETCHED = "{{toolkits: [{{web.fetch: {{hosts: ['{}']}}}}]}}"
SERVED = "{{mcp: {{s: {{url: '{}'}}}}}}"


@pytest.mark.parametrize(
    ("form", "narrow", "wide", "more"),
    [
        (CEILING, "a.org:8443", "a.org", "ceiling hosts"),
        (CEILING, "[::1]:8080", "[::1]", "ceiling hosts"),
        (CEILING, "www.a.org:443", "*.a.org", "ceiling hosts"),
        (FETCHED, "a.org:8443", "a.org", "hosts a.org"),
        (FETCHED, "[::1]:8080", "[::1]", "hosts [::1]"),
    ],
)
def test_a_port_that_is_no_longer_named_is_more(form, narrow, wide, more) -> None:
    assert changed(form.format(narrow), form.format(wide)) == ([more], [])


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        ("https://a.org/x", "https://a.org:443/y", []),
        ("http://a.org/x", "http://a.org:80/y", []),
        ("https://a.org/x", "http://a.org/x", ["hosts a.org"]),
        ("https://a.org/x", "https://a.org:8443/x", ["hosts a.org:8443"]),
    ],
)
def test_an_address_without_a_port_has_that_of_its_scheme(before, after, more) -> None:
    told, _ = changed(SERVED.format(before), SERVED.format(after))

    assert [each for each in told if each.startswith("hosts")] == more


def test_a_host_that_is_named_without_a_port_for_several_is_named_for_all_of_them() -> None:
    both = "{mcp: {s: {url: 'https://a.org/'}, t: {url: 'http://a.org/'}}}"
    one = "{mcp: {s: {url: 'https://a.org/'}, t: {url: 'https://a.org/'}}}"

    assert "hosts a.org" in changed(one, both)[0]
    assert "hosts a.org" in changed(both, one)[1]


ASKED = "toolkits: [{command: {allow: [pwd]}}]"
GRANTED = "toolkits: [{command: {allow: [pwd, ls]}}]"
GIT_STATUS = "{toolkits: [{command: {allow: [[git, status]]%s}}]}"


def changed(before: str, after: str, top: str = "") -> tuple[list[str], list[str]]:
    found = rights_change(rights(before, top), rights(after, top))
    back = rights_change(rights(after, top), rights(before, top))
    assert [(each.kind, each.name) for each in found.more] == [(each.kind, each.name) for each in back.less]
    return [f"{each.kind} {each.name}" for each in found.more], [f"{each.kind} {each.name}" for each in found.less]


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        ("{tools: {a: {expr: '1'}}}", "{tools: {a: {expr: '2'}}}", []),
        ("{}", "{tools: {a: {expr: '1'}}}", ["tools a", "effects none"]),
        ("{tools: {a: {expr: '1', effect: read}}}", "{tools: {a: {expr: '1', effect: write}}}", ["tools a", "effects write"]),
        ("{tools: {a: {expr: '1', effect: write}}}", "{tools: {a: {expr: '1', effect: read}}}", ["effects read"]),
        ("{toolkits: [{web.fetch: {hosts: ['*.org']}}]}", "{toolkits: [{web.fetch: {hosts: [api.org]}}]}", []),
        ("{toolkits: [{web.fetch: {hosts: [api.org]}}]}", "{toolkits: [{web.fetch: {hosts: ['*.org']}}]}", ["hosts *.org"]),
        ("{toolkits: [{files.read: {root: .}}]}", "{toolkits: [{files.read: {root: src}}]}", []),
        ("{toolkits: [{files.read: {root: src}}]}", "{toolkits: [{files.read: {root: .}}]}", ["roots ."]),
        ("{toolkits: [{command: {allow: [git]}}]}", "{toolkits: [{command: {allow: [[git, log]]}}]}", []),
        ("{toolkits: [{command: {allow: [[git, log]]}}]}", "{toolkits: [{command: {allow: [git]}}]}", ["commands git *"]),
        ("{tools: {a: {run: [ls]}}}", "{tools: {a: {run: [ls, '${args.p}']}}}", ["commands ls ${args.p}"]),
        ("{tools: {a: {run: [py]}}}", "{tools: {a: {run: [py, -c, '${args.code}']}}}", ["commands py -c ${args.code}"]),
        ("{tools: {a: {run: [ls, a, b]}}}", "{tools: {a: {run: [ls, 'a b']}}}", ['commands ls "a b"']),
        ("{tools: {a: {run: [ls, -l]}}}", "{tools: {a: {run: [ls]}}}", ["commands ls"]),
        (f"{{tools: {{a: {{run: [ls]}}}}, {ASKED}}}", f"{{tools: {{a: {{run: [ls]}}}}, {GRANTED}}}", ["commands ls *"]),
        (f"{{tools: {{a: {{run: [ls]}}}}, {GRANTED}}}", f"{{tools: {{a: {{run: [ls, -l]}}}}, {GRANTED}}}", []),
        (GIT_STATUS % "", GIT_STATUS % ", shell: true", ["commands sh -c *"]),
        (GIT_STATUS % ", shell: true", GIT_STATUS % ", shell: false", []),
        ("{toolkits: [command]}", "{toolkits: [{command: {shell: true}}]}", []),
        ("{approval: {rules: [{tool: x, decision: deny}]}}", "{}", ['gates rule {"tool": "x"}']),
        ("{}", "{approval: {rules: [{tool: x, decision: deny}]}}", []),
        ("{}", "{approval: {rules: [{tool: x, decision: allow}]}}", ['gates rule {"tool": "x"}']),
        ("{}", "{permissions: {allow: [x]}}", []),
        ("{permissions: {allow: [x]}}", "{}", ['gates permissions allow only ["x"]']),
        ("{approval: {default: ask}}", "{approval: {default: deny}}", []),
        ("{approval: {default: ask}}", "{approval: {default: allow}}", ["gates default"]),
        ("{}", "{approval: {default: allow}}", []),
        ("{approval: {default: deny}}", "{}", ["gates default"]),
        ("{middleware: [consent]}", "{middleware: [cache]}", ["gates layer consent"]),
        ("{ceiling: {tools: ['*'], limits: {tokens: 5}}}", "{ceiling: {tools: [a]}}", ["limits tokens"]),
        ("{ceiling: {tools: [a]}}", "{ceiling: {effects: [read]}}", ["ceiling tools"]),
        ("{ceiling: {limits: {tokens: 5}}}", "{ceiling: {limits: {tokens: 6}}}", ["limits tokens"]),
        ("{ceiling: {limits: {wall_clock: 1m}}}", "{ceiling: {limits: {wall_clock: 60s}}}", []),
    ],
)  # fmt: skip
def test_what_may_be_done_in_addition(before: str, after: str, more: list[str]) -> None:
    assert changed(before, after)[0] == more


@pytest.mark.parametrize(
    ("before", "after", "is_wider"),
    [
        ("none", "auto", False),
        ("auto", "none", True),
        ("workspace", "auto", True),
        ("{mode: none}", "workspace", False),
    ],
)
def test_a_weaker_wall_is_wider(before: str, after: str, *, is_wider: bool) -> None:
    found = rights_change(rights(f"{{sandbox: {before}}}"), rights(f"{{sandbox: {after}}}"))

    assert found.wall is not None
    assert found.is_wider is is_wider


def test_a_tool_that_does_less_makes_nothing_wider() -> None:
    found = rights_change(*(rights(f"{{tools: {{a: {{run: [x], effect: {effect}}}}}}}") for effect in ("read", "none")))

    assert not found.is_wider
    assert [(each.kind, each.name) for each in found.less] == [("tools", "a"), ("effects", "read")]
