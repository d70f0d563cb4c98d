"""What lower layers forbid: ceilings are intersected, denials kept, and who asks for more is told."""

from __future__ import annotations

import pytest

from agentspec.compose.overrides import read_value
from agentspec.compose.rights.narrow import WITHIN, amount
from agentspec.syntax.tree import Node, find, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source


def node(text: str) -> Node:
    found = read_value(Source("x", text), 0)
    assert not isinstance(found, Diagnostic)
    return found


@pytest.mark.parametrize(
    ("key", "inner", "outer", "expected"),
    [
        ("tools", "read_file", "read_*", True),
        ("tools", "read_*", "read_*", True),
        ("tools", "read_file_*", "read_*", True),
        ("tools", "*", "read_*", False),
        ("tools", "r*", "read_*", False),
        ("tools", "a?c", "a?c", True),
        ("tools", "abc", "a?c", True),
        ("tools", "a*c", "a?c", False),
        ("tools", "a?c", "a*c", True),
        ("tools", "read", "read_*", False),
        ("tools", "xay", "*a*", True),
        ("tools", "aXbXc", "a*b*c", True),
        ("tools", '""', "*", True),
        ("tools", "x", '""', False),
        ("hosts", "api.example.org", "*.example.org", True),
        ("hosts", "*.example.org", "api.example.org", False),
        ("hosts", "*.api.example.org", "*.example.org", True),
        ("hosts", "example.org", "*.example.org", False),
        ("effects", "read", "read", True),
        ("effects", "write", "read", False),
        ("roots", "src/app", "src", True),
        ("roots", "./src/app/", "src", True),
        ("roots", "srcs", "src", False),
        ("roots", "src/../other", "src", False),
        ("roots", ".", "src", False),
        ("roots", "src", ".", True),
        ("roots", "../src", ".", False),
        ("roots", "/etc", ".", False),
        ("roots", "/data/a", "/data", True),
        ("roots", "/data", "/", True),
        ("roots", '"${inputs.x}"', "src", False),
        ("commands", "[git, status]", "[git]", True),
        ("commands", "git status", "git", True),
        ("commands", "[git]", "[git, status]", False),
        ("commands", "[gitx]", "[git]", False),
        ("commands", "[git]", "[]", False),
        ("providers", "openai", "openai*", True),
        ("models", "gpt-5.4-mini", "gpt-*", True),
        ("models", "5", "gpt-*", False),
    ],
)
def test_what_lies_within_what(key: str, inner: str, outer: str, *, expected: bool) -> None:
    assert WITHIN[key](node(inner), node(outer)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5", 5), ("0.5", 0.5), ("30s", 30), ("5m", 300), ("250ms", 0.25), ("64KiB", 65536), ("x", None), ("true", None)],
)
def test_bounds_are_compared_as_amounts(text: str, expected: float | None) -> None:
    assert amount(node(text)) == expected


HOUSE = """\
preset: house
capability:
  ceiling:
    tools: [read_*, calc]
    effects: [none, read]
    roots: [src]
    hosts: ["*.example.org"]
    commands: [[git, log], [ls]]
    providers: [openai]
    models: [gpt-*]
    limits: {tokens: 1000, wall_clock: 5m}
"""


def ceiling(folder, spec: str, **options: object) -> object:
    folder.write("house.yaml", HOUSE)
    return plain(find(folder.load(spec, **options).tree, ("capability", "ceiling")))


def test_a_ceiling_holds_for_what_extends_it(folder) -> None:
    assert ceiling(folder, "name: a\nextends: ./house.yaml\n") == {
        "tools": ["read_*", "calc"],
        "effects": ["none", "read"],
        "roots": ["src"],
        "hosts": ["*.example.org"],
        "commands": [["git", "log"], ["ls"]],
        "providers": ["openai"],
        "models": ["gpt-*"],
        "limits": {"tokens": 1000, "wall_clock": "5m"},
    }


def test_a_narrower_ceiling_is_the_new_one_and_what_it_leaves_out_stays(folder) -> None:
    folder.write("house.yaml", HOUSE)
    own = "{tools: [read_file], effects: [read], commands: [git log --oneline], limits: {tokens: 500, tool_calls: 3}}"

    found = ceiling(folder, f"name: a\nextends: ./house.yaml\ncapability: {{ceiling: {own}}}\n")

    assert found["tools"] == ["read_file"]
    assert found["effects"] == ["read"]
    assert found["commands"] == ["git log --oneline"]
    assert found["roots"] == ["src"]
    assert found["limits"] == {"tokens": 500, "wall_clock": "5m", "tool_calls": 3}
    assert folder.findings(f"name: a\nextends: ./house.yaml\ncapability: {{ceiling: {own}}}\n") == []


@pytest.mark.parametrize(
    ("own", "found", "kept"),
    [
        (
            "{tools: [write_*, calc]}",
            "3:32 `write_*` is not within `capability.ceiling.tools` (the ceiling stands here: house.yaml:4:12)",
            {"tools": ["calc"]},
        ),
        (
            "{tools: ['*']}",
            "3:32 `*` is not within `capability.ceiling.tools` (the ceiling stands here: house.yaml:4:12)",
            {"tools": ["read_*", "calc"]},
        ),
        (
            "{+effects: [write]}",
            "3:35 `write` is not within `capability.ceiling.effects` (the ceiling stands here: house.yaml:5:14)",
            {"effects": ["none", "read"]},
        ),
        (
            "{commands: [[git]]}",
            "3:35 `git` is not within `capability.ceiling.commands` (the ceiling stands here: house.yaml:8:15)",
            {"commands": [["git", "log"]]},
        ),
        (
            "{roots: !unset }",
            "3:24 this removes `capability.ceiling.roots` (the ceiling stands here: house.yaml:6:5)",
            {"roots": ["src"]},
        ),
        (
            "{limits: {tokens: 2000}}",
            "3:41 `2000` is more than the ceiling of `1000` (the ceiling stands here: house.yaml:11:14)",
            {"limits": {"tokens": 1000, "wall_clock": "5m"}},
        ),
        (
            "{limits: {wall_clock: 1h}}",
            "3:45 `1h` is more than the ceiling of `5m` (the ceiling stands here: house.yaml:11:28)",
            {"limits": {"tokens": 1000, "wall_clock": "5m"}},
        ),
        (
            "{limits: {tokens: !unset }}",
            "3:33 this removes `capability.ceiling.limits.tokens` (the ceiling stands here: house.yaml:11:14)",
            {"limits": {"tokens": 1000, "wall_clock": "5m"}},
        ),
        (
            "null",
            "3:14 `capability.ceiling` cannot be replaced (the ceiling stands here: house.yaml:4:5)",
            {"tools": ["read_*", "calc"]},
        ),
        (
            "!unset ",
            "3:14 this removes a ceiling (the ceiling stands here: house.yaml:4:5)",
            {"tools": ["read_*", "calc"]},
        ),
    ],
)
def test_a_wider_ceiling_is_refused_with_both_places(folder, own: str, found: str, kept: dict[str, object]) -> None:
    spec = f"name: a\nextends: ./house.yaml\ncapability: {{ceiling: {own}}}\n"

    left = ceiling(folder, spec)

    assert folder.findings(spec) == [f"AS412 spec.yaml:{found}"]
    assert {key: left[key] for key in kept} == kept


def test_the_whole_capability_cannot_be_taken_away_to_lose_a_ceiling(folder) -> None:
    left = ceiling(folder, "name: a\nextends: ./house.yaml\ncapability: !unset\n")

    assert left["tools"] == ["read_*", "calc"]
    assert folder.findings("name: a\nextends: ./house.yaml\ncapability: !unset\n") == [
        "AS412 spec.yaml:3:1 this removes a ceiling (the ceiling stands here: house.yaml:4:5)"
    ]


def test_a_set_cannot_pass_a_ceiling(folder) -> None:
    spec = "name: a\nextends: ./house.yaml\n"

    left = ceiling(folder, spec, sets=["capability.ceiling.tools=['*']", "execution.limits.tokens=9999"])
    found = folder.findings(spec, sets=["capability.ceiling.tools=['*']", "execution.limits.tokens=9999"])

    assert left["tools"] == ["read_*", "calc"]
    assert found == [
        (
            "AS412 --set capability.ceiling.tools=['*']:1:27 `*` is not within `capability.ceiling.tools`"
            " (the ceiling stands here: house.yaml:4:12)"
        ),
        (
            "AS412 --set execution.limits.tokens=9999:1:25 `9999` is more than the ceiling of `1000`"
            " (the ceiling stands here: house.yaml:11:22)"
        ),
    ]


@pytest.mark.parametrize(
    ("allowed", "own", "found"),
    [
        ("tools: [calc]", "tools: {write_x: {expr: '1'}}", "`write_x` is not within `capability.ceiling.tools`"),
        ("tools: [read_*]", "toolkits: [files.read]", "`list_directory` is not within `capability.ceiling.tools`"),
        (
            "tools: [read_file]",
            "toolkits: [{files.read: {names: {read_file: look}, enabled: [read_file]}}]",
            "`look` is not within `capability.ceiling.tools`",
        ),
        (
            "effects: [read]",
            "tools: {calc: {effect: write, expr: '1'}}",
            "`write` is not within `capability.ceiling.effects`",
        ),
        ("effects: [read]", "tools: {calc: {run: [ls]}}", "`process` is not within `capability.ceiling.effects`"),
        ("effects: [read]", "toolkits: [files.edit]", "`write` is not within `capability.ceiling.effects`"),
        (
            "effects: [read]",
            "toolkits: [{git: {mutations: true}}]",
            "`write` is not within `capability.ceiling.effects`",
        ),
        ("commands: [[ls]]", "tools: {calc: {run: [rm, '-r']}}", "`rm -r` is not within `capability.ceiling.commands`"),
        (
            "commands: [[ls]]",
            "toolkits: [{command: {allow: [[ls, '-l'], [rm]]}}]",
            "`rm` is not within `capability.ceiling.commands`",
        ),
        (
            "hosts: [a.org]",
            "tools: {calc: {http: {url: 'https://evil.org/x'}}}",
            "`evil.org:443` is not within `capability.ceiling.hosts`",
        ),
        (
            "hosts: [a.org]",
            "mcp: {s: {url: 'https://evil.org:8443/mcp'}}",
            "`evil.org:8443` is not within `capability.ceiling.hosts`",
        ),
        (
            "hosts: [a.org]",
            "toolkits: [{web.fetch: {hosts: [a.org, '*']}}]",
            "`*` is not within `capability.ceiling.hosts`",
        ),
        ("roots: [src]", "toolkits: [files.read]", "`.` is not within `capability.ceiling.roots`"),
        (
            "roots: [src]",
            "toolkits: [{files.read: {root: docs}}]",
            "`docs` is not within `capability.ceiling.roots`",
        ),
        ("roots: [src]", "toolkits: [{git: {repo: ..}}]", "`..` is not within `capability.ceiling.roots`"),
    ],
)
def test_a_spec_that_asks_for_more_is_told_both_places(folder, allowed: str, own: str, found: str) -> None:
    folder.write("house.yaml", f"preset: house\ncapability: {{ceiling: {{{allowed}}}}}\n")

    told = folder.load(f"name: a\nextends: ./house.yaml\ncapability: {{{own}}}\n").diagnostics

    assert [(each.code, each.message) for each in told] == [("AS412", found)]
    assert told[0].span.source.name == "spec.yaml"
    assert told[0].related[0].span.text == allowed.partition(": ")[2]


@pytest.mark.parametrize(
    ("allowed", "own", "found"),
    [
        ("providers: [openai]", "model: {provider: google}", "`google` is not within `capability.ceiling.providers`"),
        (
            "providers: [openai]",
            "model: {provider: openai, model: gpt-5, fallback: ['google:gemini-3.5-flash']}",
            "`google` is not within `capability.ceiling.providers`",
        ),
        (
            "models: [gpt-*]",
            "model: {routes: [{model: gpt-5}, {model: o9}]}",
            "`o9` is not within `capability.ceiling.models`",
        ),
        (
            "providers: [openai]",
            "execution: {verify_completion_judge: {provider: google}}",
            "`google` is not within `capability.ceiling.providers`",
        ),
        (
            "limits: {wall_clock: 5m}",
            "execution: {limits: {wall_clock: 301s}}",
            "`301s` is more than the ceiling of `5m`",
        ),
    ],
)
def test_a_model_or_a_limit_beyond_the_ceiling_is_told_too(folder, allowed: str, own: str, found: str) -> None:
    folder.write("house.yaml", f"preset: house\ncapability: {{ceiling: {{{allowed}}}}}\n")

    told = folder.load(f"name: a\nextends: ./house.yaml\n{own}\n").diagnostics

    assert [(each.code, each.message) for each in told] == [("AS412", found)]


def test_a_spec_that_stays_below_is_not_told_anything(folder) -> None:
    folder.write("house.yaml", HOUSE.replace("[none, read]", "[none, read, process, network]"))

    found = folder.findings(
        "name: a\nextends: ./house.yaml\n"
        "model: {provider: openai, model: gpt-5.4-mini, options: {model: any, provider: any}}\n"
        "execution: {limits: {tokens: 900, wall_clock: 60s, cost_usd: 5}}\n"
        "capability:\n"
        "  tools: {calc: {effect: none, expr: '1'}, read_log: {run: [git, log, '-1']}}\n"
        "  toolkits:\n"
        "    - files.read: {root: src/app, enabled: [read_file, read_file_tail]}\n"
        "    - web.fetch: {hosts: [api.example.org], names: {fetch: read_page}}\n"
        "    - text: {enabled: [sha256], names: {sha256: read_digest}}\n"
    )

    assert found == []


def test_a_ceiling_does_not_bind_the_layers_below_it(folder) -> None:
    folder.write("low.yaml", "preset: low\nmodel: {provider: google}\ncapability: {tools: {x: {expr: '1'}}}\n")
    own = "capability: {ceiling: {providers: [openai], tools: [y]}, tools: {z: {expr: '1'}}}\n"

    assert folder.findings(f"name: a\nextends: ./low.yaml\n{own}") == []


def test_what_is_overridden_is_not_asked_for(folder) -> None:
    folder.write("low.yaml", "preset: low\ncapability: {ceiling: {providers: [openai]}}\n")
    folder.write("high.yaml", "preset: high\nextends: ./low.yaml\nmodel: {provider: google}\n")

    assert folder.findings("name: a\nextends: ./high.yaml\nmodel: {provider: openai}\n") == []


# Denials.

DENYING = """\
preset: house
capability:
  approval:
    default: deny
    rules:
      - {tool: "read_*", decision: allow}
      - {effect: write, decision: deny, reason: nothing is written}
    secrets: ["*.vault"]
  permissions: {deny: [delete_path]}
"""


def test_denials_are_kept_where_rules_are_replaced(folder) -> None:
    folder.write("house.yaml", DENYING)

    values = folder.value(
        "name: a\nextends: ./house.yaml\ncapability:\n"
        "  approval: {rules: [{tool: x, decision: ask}]}\n  permissions: {deny: [write_file]}\n"
    )

    assert values["capability"] == {
        "approval": {
            "default": "deny",
            "rules": [
                {"effect": "write", "decision": "deny", "reason": "nothing is written"},
                {"tool": "x", "decision": "ask"},
            ],
            "secrets": ["*.vault"],
        },
        "permissions": {"deny": ["delete_path", "write_file"]},
    }


def test_denials_that_are_said_again_or_added_to_are_not_doubled(folder) -> None:
    folder.write("house.yaml", DENYING)

    added = folder.value(
        "name: a\nextends: ./house.yaml\ncapability: {approval: {+rules: [{tool: x, decision: deny}]}}\n"
    )
    again = folder.value("name: a\nextends: ./house.yaml\ncapability: {permissions: {deny: [delete_path, b]}}\n")

    assert [rule["decision"] for rule in added["capability"]["approval"]["rules"]] == ["allow", "deny", "deny"]
    assert again["capability"]["permissions"]["deny"] == ["delete_path", "b"]


@pytest.mark.parametrize(
    ("own", "found"),
    [
        (
            "{approval: {default: allow}}",
            (
                "AS413 spec.yaml:3:25 a lower layer denies what no rule allows; that cannot be relaxed"
                " (a lower layer denies by default: house.yaml:4:14)"
            ),
        ),
        (
            "{approval: {rules: !unset }}",
            (
                "AS413 spec.yaml:3:25 this removes 1 denial of `capability.approval.rules`"
                " (a lower layer denies this: house.yaml:7:9)"
            ),
        ),
        (
            "{approval: {secrets: !unset }}",
            (
                "AS413 spec.yaml:3:25 this removes 1 denial of `capability.approval.secrets`"
                " (a lower layer denies this: house.yaml:8:15)"
            ),
        ),
        (
            "{permissions: !unset }",
            (
                "AS413 spec.yaml:3:14 this removes 1 denial of `capability.permissions.deny`"
                " (a lower layer denies this: house.yaml:9:24)"
            ),
        ),
    ],
)
def test_a_denial_cannot_be_taken_back(folder, own: str, found: str) -> None:
    folder.write("house.yaml", DENYING)
    spec = f"name: a\nextends: ./house.yaml\ncapability: {own}\n"

    capability = plain(folder.load(spec).tree)["capability"]

    assert folder.findings(spec) == [found]
    assert capability["approval"]["default"] == "deny"
    assert {"effect": "write", "decision": "deny", "reason": "nothing is written"} in capability["approval"]["rules"]
    assert capability["approval"]["secrets"] == ["*.vault"]
    assert "delete_path" in capability["permissions"]["deny"]


def test_tools_of_a_called_agent_that_the_ceiling_forbids_are_told_where_it_is_called(folder) -> None:
    folder.write(
        "helper.yaml",
        "name: helper\nextends: ./kit.yaml\ncapability: {tools: {mine: {expr: '1'}, run: {run: [ls]}}}\n",
    )
    folder.write("kit.yaml", "preset: kit\ncapability: {toolkits: [files.edit], permissions: {deny: [run]}}\n")
    tools = "tools: {help: {agent: ./helper.yaml}, lost: {agent: ./gone.yaml}, me: {agent: a}, add: {expr: '1'}}"
    ceiling = "{effects: [none, read]}"

    assert folder.findings(f"name: a\ncapability: {{ceiling: {ceiling}, {tools}}}\n") == [
        (
            "AS429 spec.yaml:2:70 `run`, `write_file`, `edit_file` and 3 more tools of `./helper.yaml` can never be called"
            " here (the ceiling stands here: spec.yaml:2:23) (a tool beyond it: helper.yaml:3:41)"
        )
    ]
    assert folder.findings(f"name: a\ncapability: {{{tools}}}\n") == []
    assert (
        folder.findings(f"name: a\ncapability: {{ceiling: {{effects: [none, read, write, process]}}, {tools}}}\n") == []
    )
