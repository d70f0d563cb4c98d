"""`agentspec authority`: what a spec may do in the end, and what another one, or another revision, may do more."""

from __future__ import annotations

import json
import subprocess

import pytest

SPEC = """\
name: a
extends: ./house.yaml
model: {provider: script, options: {turns: [{text: x}]}}
capability:
  toolkits:
    - files.read: {root: src, enabled: [read_file]}
    - web.fetch: {hosts: [api.example.org]}
"""
HOUSE = """\
preset: house
capability:
  ceiling: {effects: [none, read, network], hosts: ["*.example.org"], limits: {tokens: 1000}}
  approval: {rules: [{tool: fetch, decision: ask}]}
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC)
    (tmp_path / "house.yaml").write_text(HOUSE)


def value_of(done):
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_what_a_spec_may_do_is_told_with_the_place_of_each_right(agentspec, project):
    done = agentspec("authority", "a.yaml")

    assert done.code == 0
    assert done.out.splitlines() == [
        "a: what it may do",
        "tools:",
        '  read_file (read, allow)  # capability.toolkits[0]["files.read"] a.yaml:6:7',
        '  fetch (network, ask)     # capability.toolkits[1]["web.fetch"] a.yaml:7:7',
        "effects:",
        '  read     # capability.toolkits[0]["files.read"] a.yaml:6:7',
        '  network  # capability.toolkits[1]["web.fetch"] a.yaml:7:7',
        "roots:",
        '  src  # capability.toolkits[0]["files.read"] a.yaml:6:26',
        "hosts:",
        '  api.example.org  # capability.toolkits[1]["web.fetch"].hosts[0] a.yaml:7:27',
        "commands: none",
        "functions: none",
        "providers:",
        "  script  # model.provider a.yaml:3:19",
        "models:",
        "  *  # model a.yaml:3:8",
        "secrets: none",
        "children: none",
        "limits:",
        "  tokens: 1000    # capability.ceiling.limits.tokens house.yaml:3:88",
        "  iterations: 50  # execution.max_iterations stdlib/profiles/tool_using.yaml:5:19",
        "gates:",
        '  rule {"tool": "fetch"} (ask)  # capability.approval.rules[0] house.yaml:4:22',
        "ceiling:",
        '  effects: ["none", "read", "network"]  # capability.ceiling.effects house.yaml:3:22',
        '  hosts: ["*.example.org"]              # capability.ceiling.hosts house.yaml:3:52',
        "reach: none",
        "sandbox: auto",
    ]


def test_rights_are_plain_values_for_a_program(agentspec, project):
    found = value_of(agentspec("authority", "a.yaml", "--format", "json"))

    assert found["spec"] == {"name": "a", "spec": "a.yaml", "errors": False}
    assert found["tools"]["fetch"] == {
        "effect": "network",
        "decision": "ask",
        "path": 'capability.toolkits[1]["web.fetch"]',
        "file": "a.yaml",
        "line": 7,
        "column": 7,
    }
    assert found["limits"]["tokens"]["value"] == 1000
    assert found["ceiling"]["hosts"]["value"] == ["*.example.org"]
    assert list(found["hosts"]) == ["api.example.org"]
    assert found["sandbox"] == "auto"


def test_a_second_spec_is_compared_with_the_first(agentspec, project, tmp_path):
    (tmp_path / "b.yaml").write_text(
        SPEC.replace("name: a", "name: b").replace("src", ".").replace("./house", "house2")
    )
    (tmp_path / "house2.yaml").write_text(HOUSE.replace("1000", "500"))

    done = agentspec("authority", "a.yaml", "b.yaml", "--check")
    back = agentspec("authority", "a.yaml", "--diff", "b.yaml", "--check", "--json")

    assert done.code == 1
    assert done.out.splitlines() == [
        "a.yaml → b.yaml: wider",
        '+ roots: .  # capability.toolkits[0]["files.read"] b.yaml:6:26',
        "- limits: tokens: 1000 → 500  # capability.ceiling.limits.tokens house2.yaml:3:88",
    ]
    found = json.loads(back.out)
    assert (back.code, found["wider"]) == (1, True)
    assert [(each["kind"], each["name"]) for each in found["more"]] == [("limits", "tokens")]
    assert [(each["kind"], each["name"]) for each in found["less"]] == [("roots", ".")]


def test_a_spec_that_may_do_no_more_is_not_wider(agentspec, project):
    done = agentspec("authority", "a.yaml", "a.yaml", "--check")

    assert (done.code, done.out) == (0, "a.yaml → a.yaml: not wider\nnothing changes\n")


def test_defaults_that_are_written_out_are_no_change(agentspec, tmp_path):
    spec = "name: a\nmodel: {provider: script, options: {turns: [{text: x}]}}\n"
    (tmp_path / "a.yaml").write_text(spec)
    (tmp_path / "b.yaml").write_text(
        f"{spec}execution: {{max_iterations: 50}}\ncapability: {{approval: {{default: allow}}, sandbox: auto}}\n"
    )

    done = agentspec("authority", "a.yaml", "b.yaml", "--check")
    back = agentspec("authority", "b.yaml", "a.yaml", "--check")

    assert (done.code, done.out) == (0, "a.yaml → b.yaml: not wider\nnothing changes\n")
    assert (back.code, back.out) == (0, "b.yaml → a.yaml: not wider\nnothing changes\n")


def git(folder, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_a_revision_is_compared_with_what_stands_there_now(agentspec, project, tmp_path):
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "a.yaml", "house.yaml")
    git(tmp_path, "commit", "-q", "-m", "first")
    (tmp_path / "house.yaml").write_text(HOUSE.replace("ask", "deny"))

    narrower = agentspec("authority", "a.yaml", "--diff", "HEAD", "--check")
    (tmp_path / "house.yaml").write_text(HOUSE.replace("  approval", "  x-approval"))
    wider = agentspec("authority", "a.yaml", "--diff", "HEAD", "--check")

    assert narrower.code == 0
    assert narrower.out.splitlines()[0] == "a.yaml at HEAD → a.yaml: not wider"
    assert wider.code == 1
    assert wider.out.splitlines()[:3] == [
        "a.yaml at HEAD → a.yaml: wider",
        '+ tools: fetch (network, ask) → (network, allow)  # capability.toolkits[1]["web.fetch"] a.yaml:7:7',
        '+ gates: rule {"tool": "fetch"} (ask) is gone  # capability.approval.rules[0] house.yaml:4:22',
    ]


def test_what_is_no_revision_and_no_file_is_told(agentspec, project, tmp_path):
    outside = agentspec("authority", "a.yaml", "--diff", "HEAD")
    git(tmp_path, "init", "-q")
    empty = agentspec("authority", "a.yaml", "--diff", "--output=x")
    git(tmp_path, "add", "house.yaml")
    git(tmp_path, "commit", "-q", "-m", "first")
    later = agentspec("authority", "a.yaml", "--diff", "HEAD")

    assert (outside.code, empty.code, later.code) == (2, 2, 2)
    assert outside.err.startswith("agentspec: `HEAD` is no file, and `a.yaml` is in no repository of git")
    assert empty.err.startswith("agentspec: `--output=x` is no file and no revision")
    assert later.err == "agentspec: there is no `a.yaml` at `HEAD`\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nowhere.yaml",), "no such file: `nowhere.yaml`"),
        (("a.yaml", "nowhere.yaml"), "no such file: `nowhere.yaml`"),
        (("a.yaml", "--check"), "`--check` needs something to compare with"),
        (("a.yaml", "house.yaml", "--diff", "house.yaml"), "`--diff` and a second spec are two ways to say the same"),
        (("empty.yaml",), "`empty.yaml` holds no spec that can be read"),
        ((), "`SPEC` is missing"),
    ],
)
def test_what_cannot_be_compared_is_told(agentspec, project, tmp_path, words, expected):
    (tmp_path / "empty.yaml").write_text("- a\n")

    done = agentspec("authority", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"agentspec: {expected}")


def test_errors_do_not_stop_it_and_are_told(agentspec, project, tmp_path):
    (tmp_path / "b.yaml").write_text("name: b\nextends: ./none.yaml\ncapability: {toolkits: [math]}\n")

    done = agentspec("authority", "b.yaml", "--json")

    assert done.code == 0
    assert "calc" in json.loads(done.out)["tools"]
    assert done.err.splitlines() == [
        "agentspec: `b.yaml` has errors: what it may do there is unknown and not told here",
        "  see `agentspec check`",
    ]


@pytest.mark.parametrize(
    "broken",
    [
        "name: b\ntask: [a\n",
        "name: b\nextends: ./none.yaml\n",
        "name: b\ncapability: {tools: {help: {description: Helps, parameters: {}, agent: ./none.yaml}}}\n",
        "name: b\ncapability: {tools: {help: {description: Helps, parameters: {}, agent: ./broken.yaml}}}\n",
    ],
)
def test_what_is_broken_is_unknown_and_passes_no_gate(agentspec, project, tmp_path, broken):
    (tmp_path / "broken.yaml").write_text("name: broken\nextends: ./none.yaml\n")
    (tmp_path / "b.yaml").write_text(broken)

    done = agentspec("authority", "a.yaml", "b.yaml", "--check")
    back = agentspec("authority", "b.yaml", "a.yaml", "--check", "--json")

    assert (done.code, back.code) == (2, 2)
    assert done.out.splitlines()[0] == "a.yaml → b.yaml: perhaps wider, since there are errors"
    assert done.err.startswith("agentspec: `b.yaml` has errors: what it may do there is unknown")
    assert json.loads(back.out)["wider"] is True


def test_what_an_agent_that_is_called_may_do_counts_within_its_callers_ceiling(agentspec, tmp_path):
    (tmp_path / "helper.yaml").write_text(
        "name: helper\nmodel: {model: small}\ncapability:\n"
        "  toolkits: [files.read, {web.fetch: {hosts: [api.org, gh.com]}}]\n"
        "  tools: {run: {description: Runs, parameters: {}, run: [make]}}\n"
    )
    (tmp_path / "a.yaml").write_text(
        "name: a\nmodel: {provider: script, options: {turns: [x]}}\ncapability:\n"
        "  ceiling: {effects: [none, read, network], hosts: [api.org]}\n"
        "  approval: {rules: [{tool: fetch, decision: ask}, {tool: 'list_*', decision: allow}]}\n"
        "  tools: {help: {description: Helps, parameters: {task: string}, agent: ./helper.yaml}}\n"
    )
    (tmp_path / "b.yaml").write_text((tmp_path / "a.yaml").read_text().replace("hosts: [api.org]", "hosts: ['*']"))

    found = value_of(agentspec("authority", "a.yaml", "--json"))
    changed = value_of(agentspec("authority", "a.yaml", "b.yaml", "--json"))

    tools = {name: (each["effect"], each["decision"]) for name, each in found["tools"].items()}
    assert tools["help"] == ("network", "allow")
    assert tools["help/read_file"] == ("read", "allow")
    assert tools["help/fetch"] == ("network", "ask")
    assert tools["help/run"] == ("process", "deny")
    assert (list(found["hosts"]), list(found["commands"])) == (["api.org"], [])
    assert list(found["effects"]) == ["network", "read"]
    assert list(found["models"]) == ["*", "small"]
    assert list(found["children"]) == ["help: ./helper.yaml"]
    assert [(each["kind"], each["name"]) for each in changed["more"]] == [("hosts", "gh.com"), ("ceiling", "hosts")]


def test_the_rules_of_an_agent_that_is_called_stand_under_gates(agentspec, tmp_path):
    helper = "name: helper\ncapability:\n  toolkits: [math]\n  approval: {rules: [{when: 'true', decision: ask}]}\n"
    caller = (
        "name: a\nmodel: {provider: script, options: {turns: [x]}}\n"
        "capability: {tools: {help: {description: Helps, parameters: {task: string}, agent: ./HELPER.yaml}}}\n"
    )
    (tmp_path / "helper.yaml").write_text(helper)
    (tmp_path / "lax.yaml").write_text(helper.replace("decision: ask", "decision: allow"))
    (tmp_path / "a.yaml").write_text(caller.replace("HELPER", "helper"))
    (tmp_path / "lax-a.yaml").write_text(caller.replace("HELPER", "lax"))
    (tmp_path / "alone.yaml").write_text(caller.splitlines()[0] + "\n" + caller.splitlines()[1] + "\n")

    found = value_of(agentspec("authority", "a.yaml", "--json"))
    laxer = value_of(agentspec("authority", "a.yaml", "lax-a.yaml", "--json"))
    gone = value_of(agentspec("authority", "a.yaml", "alone.yaml", "--json"))

    gate = found["gates"]['help/rule {"when": "true"}']
    assert (gate["decision"], gate["file"], gate["path"]) == ("ask", "helper.yaml", "capability.approval.rules[0]")
    assert found["tools"]["help/calc"]["decision"] == "ask"
    assert ("gates", 'help/rule {"when": "true"}') in [(each["kind"], each["name"]) for each in laxer["more"]]
    assert (gone["wider"], gone["more"]) == (False, [])
