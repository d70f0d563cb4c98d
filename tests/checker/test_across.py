"""What one part of a spec says is held against what another part offers: prompts and inputs, rules and tools, conditions
and the words that can stand there, loops and their own limits.

Each row: a part of a spec, then the code and the text of each finding.
"""

import pytest

from agentspec.checker.check import check_paths

EDIT = "capability:\n  toolkits: [files.edit]\n"
RULES = EDIT + "  approval: {{rules: [{{when: '{}', decision: deny}}]}}\n"
LOOP = "execution:\n  loop_control: [{{when: '{}', stop: x}}]\n"

ROWS = {
    # prompts and inputs
    "inputs: {branch: string}\ncontext: {system: 'On ${inputs.brnch} or ${inputs.branch}'}\n": [("AS303", "brnch")],
    "inputs: {branch: string}\ncontext: {system: You audit.}\n": [("AS703", "branch")],
    "context: {system: 'In ${run.tool_formt}'}\n": [("AS303", "tool_formt")],
    "capability:\n  tools:\n    t: {description: d, parameters: {a: string}, run: [x, '${args.a}', '${args.b}']}\n": [
        ("AS303", "b")
    ],
    "context: {system: 'Take `read_file`.'}\ncapability: {toolkits: [files.edit]}\n": [("AS710", "read_file")],
    # rules and tools
    EDIT + "  permissions: {deny: ['wirte_*']}\n": [("AS602", "'wirte_*'")],
    EDIT + "  permissions: {deny: [{tool: write_fil}]}\n": [("AS601", "write_fil")],
    EDIT + "  approval: {rules: [{tool: rm, decision: deny}]}\n": [("AS601", "rm")],
    RULES.format('tool.name == "wirte_file"'): [("AS327", '"wirte_file"')],
    RULES.format('"wirte_file" != tool.name'): [("AS327", '"wirte_file"')],
    RULES.format('tool.name in ["write_file", "wirte_file"]'): [("AS327", '"wirte_file"')],
    RULES.format('tool.name == "write_file" || tool.name == "notes__add"'): [],
    RULES.format('tool.name.startsWith("write")'): [],
    RULES.format('args.path == "wirte_file"'): [],
    EDIT + LOOP.format('"wirte_file" in turn.tool_names'): [("AS327", '"wirte_file"')],
    EDIT + LOOP.format('!("write_file" in session.successful_tool_names)'): [],
    EDIT + LOOP.format('progress.repeated_tool == "wirte_file"'): [("AS327", '"wirte_file"')],
    EDIT + LOOP.format('progress.repeated_tool == ""'): [],
    EDIT + "execution:\n  post_turn: [{when: 'tool_results.exists(r, r.name == \"wirte\")', message: x}]\n": [
        ("AS327", '"wirte"')
    ],
    EDIT + "execution: {tool_retries: 2}\n": [("AS530", "2")],
    "capability: {toolkits: [files.read]}\nexecution: {tool_retries: 2}\n": [],
    "capability: {tools: {t: {description: d, run: [x], idempotent: true}}}\nexecution: {tool_retries: 2}\n": [],
    "capability: {tools: {t: {description: d, run: [x]}}, mcp: {s: {command: [y]}}}\nexecution: {tool_retries: 2}\n": [],
    "capability: {tools: {Do: {description: d, run: [x]}, do: {description: d, run: [y]}}}\n": [("AS109", "do")],
    "inputs: {Day: string, day: string}\ncontext: {system: '${inputs.Day}${inputs.day}'}\n": [("AS109", "day")],
    # conditions and the words that can stand there
    LOOP.format('completion.verdict == "finshed"'): [("AS309", '"finshed"')],
    LOOP.format('completion.verdict in ["done", "finshed"]'): [("AS309", '"finshed"')],
    LOOP.format('budget.mode == "adaptiv"'): [("AS309", '"adaptiv"')],
    RULES.format('tool.effect == "wirte"'): [("AS309", '"wirte"')],
    RULES.format('tool.kind != "toolkits"'): [("AS309", '"toolkits"')],
    "model:\n  routes:\n    - {provider: openai, model: gpt-5.4, when: 'last_error.class == \"timout\"'}\n"
    "    - {provider: openai, model: gpt-5.4-mini}\n": [("AS309", '"timout"')],
    # loops and their own limits
    "execution:\n  max_iterations: 5\n  loop_control: [{when: iteration > 7, stop: x}]\n": [("AS521", "iteration > 7")],
    "execution:\n  limits: {tokens: 9000}\n  loop_control: [{when: usage.input_tokens > 9500, stop: x}]\n": [
        ("AS521", "usage.input_tokens > 9500")
    ],
    "execution:\n  limits: {tool_calls: 20}\ncapability:\n  subagents: {r: {agent: other, description: d, limits: {tool_calls: 30}}}\n---\nname: other\ntask: x\n": [
        ("AS531", "30")
    ],
    # routes
    "model:\n  routes: [{provider: openai, model: gpt-5.4, label: big}]\n  fallback: [bgi]\n": [("AS815", "bgi")],
    "model:\n  routes: [{provider: openai, model: gpt-5.4, label: big}]\n  fallback: [big, gpt-5.4-mini]\n": [],
    "model: {ladder: smal}\n": [("AS815", "smal")],
    "model: {ladder: frontier}\n": [],
}  # fmt: skip


@pytest.mark.parametrize("text", ROWS)
def test_parts_of_a_spec_are_held_against_each_other(tmp_path, text):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\n" + text)

    found = [(one.code, one.span.text) for one in check_paths([path]).diagnostics if one.severity != "note"]

    assert found == ROWS[text]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("a.yaml", []),
        ("b.yaml", [("AS108", "no such file: `{folder}/b.yaml`")]),
        ("./a.yaml#a", []),
        ("elsewhere/a.yaml", [("AS108", "no such file: `{folder}/elsewhere/a.yaml`; there is no folder `{folder}/elsewhere`")]),
        ("nobody", [("AS108", "there is no agent `nobody` in this file")]),
        ("s.scenario.yaml", [("AS108", "`s.scenario.yaml` is a scenario, and a scenario tries an agent")]),
    ],
)  # fmt: skip
def test_a_scenario_is_for_a_spec_that_is_there(tmp_path, target, expected):
    (tmp_path / "a.yaml").write_text("name: a\ntask: x\n")
    path = tmp_path / "s.scenario.yaml"
    path.write_text(f"scenario: s\nfor: {target}\ntask: x\nmodel: [{{text: x}}]\nexpect: {{status: done}}\n")

    found = [(one.code, one.message) for one in check_paths([path]).diagnostics]

    assert found == [(code, text.replace("{folder}", str(tmp_path))) for code, text in expected]


TOOL = "capability:\n  tools:\n    t:\n      description: d\n      parameters: {a: string, n: 'integer?', b: {type: boolean, default: true}}\n"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("{a: x}", []),
        ("{a: x, n: 3, b: false}", []),
        ("{a: x, n: many}", [("AS635", "many")]),
        ("{A: x}", [("AS635", "A")]),
        ("{a: x, c: 1}", [("AS635", "c")]),
        ("{n: 3}", [("AS635", "args")]),
        ("{}", [("AS635", "args")]),
    ],
)
def test_an_example_is_a_call_that_its_tool_takes(tmp_path, args, expected):
    path = tmp_path / "a.yaml"
    path.write_text(
        f"name: a\n{TOOL}      run: [x, '${{args.a}}', '${{args.n}}', '${{args.b}}']\n      examples: [{{args: {args}, result: y}}]\n"
    )

    assert [(one.code, one.span.text) for one in check_paths([path]).diagnostics] == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("extends: [{with: {folder: x}}]\n", "extends[0]"),
        ("use: {house: {version: '^1.2'}}\nextends: house.reviewed\n", "use.house"),
    ],
)
def test_what_nobody_inherits_is_missing_although_something_extended_is_not_there(tmp_path, text, place):
    (tmp_path / "a.yaml").write_text(f"name: a\n{text}")

    found = check_paths([tmp_path / "a.yaml"]).diagnostics

    assert [one.path for one in found if one.code == "AS101"] == [place]
