"""What only follows from a mistake is linked to it and left out; what is wrong by itself is told beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.checker.check import Options, check_paths

LINKED = {
    "a rule on effects, one of which is misspelt": (
        "capability: {toolkits: [files.read], ceiling: {effects: [none, reda]}}\n",
        ("AS204", "AS620", "AS204 capability.ceiling.effects[1]"),
    ),
    "a missing key beside one that means nothing and may be it": (
        "execution: {loop_control: [{when: iteration > 3, zzqy: y}]}\n",
        ("AS102", "AS104", "AS102 execution.loop_control[0].zzqy"),
    ),
    "a call without its result, beside a role that is none": (
        (
            "context: {history: [{role: user, content: hi},"
            " {role: assistant, content: '', tool_calls: [{id: a, name: x, arguments: {}}]},"
            " {role: tol_result, content: x, call_id: a}]}\n"
        ),
        ("AS204", "AS708", "AS204 context.history[2].role"),
    ),
    "an escalation to a route whose condition is misspelt": (
        (
            "model: {provider: openai, routes: [{model: gpt-5.4, when: last_verdict.escalate},"
            " {model: gpt-5.4-mini}]}\nexecution: {loop_until_done: true, verify_completion_judge: {escalate: yess}}\n"
        ),
        ("AS201", "AS817", "AS201 execution.verify_completion_judge.escalate"),
    ),
    "a literal beside a parameter of an unknown type": (
        ("capability: {tools: {t: {description: d, parameters: {n: intger}, returns: any, expr: 'args.n * 2'}}}\n"),
        ("AS212", "AS325", "AS212 capability.tools.t.parameters.n"),
    ),
    "a private host, whose permission is no boolean": (
        "capability: {toolkits: [web.fetch: {hosts: [localhost], private: maybe}]}\n",
        ("AS201", "AS618", 'AS201 capability.toolkits[0]["web.fetch"].private'),
    ),
    "an input that a text uses which is none": (
        "inputs: {who: string}\ncontext: {system: [1]}\n",
        ("AS201", "AS703", "AS201 context.system"),
    ),
    "a rule behind one whose condition is misspelt": (
        "execution: {loop_control: [{wenn: iteration > 3, stop: x}, {when: iteration > 5, stop: y}]}\n",
        ("AS102", "AS512", "AS102 execution.loop_control[0].wenn"),
    ),
    "a key that is unset and unknown": (
        "execution: {max_nudgs: !unset }\n",
        ("AS102", "AS414", "AS102 execution.max_nudgs"),
    ),
}
HOUSE = """\
extends: house
{}
---
preset: house
capability: {{ceiling: {{effects: [none, read], limits: {{tokens: 5000}}}}}}
execution: {{max_nudges: !final 3}}
"""
APART = {
    "a final value overridden, beside a limit beyond the ceiling": (
        HOUSE.format("execution: {max_nudges: 4, limits: {tokens: 9000}}"),
        ["AS410", "AS412"],
    ),
    "a final value overridden, beside a wrong value": (
        HOUSE.format("execution: {max_nudges: 4, tool_retries: many}"),
        ["AS201", "AS410"],
    ),
    "a limit beyond the ceiling, beside an effect that is none": (
        (
            "capability: {ceiling: {effects: [none, reda]}}\nextends: house\nexecution: {limits: {tokens: 9000}}\n---\n"
            "preset: house\ncapability: {ceiling: {limits: {tokens: 5000}}}\n"
        ),
        ["AS204", "AS412"],
    ),
    "a limit beyond the ceiling, beside an unknown one": (
        HOUSE.format("execution: {limits: {tokens: 9000, zzqy: 1}}"),
        ["AS102", "AS412"],
    ),
    "a tool that the ceiling's names forbid, beside an effect that is none": (
        "capability: {toolkits: [files.read], ceiling: {effects: [read, reda], tools: [look]}}\n",
        ["AS204", "AS620"],
    ),
    "a shell, beside a ceiling that forbids the command": (
        (
            "extends: house\ncapability: {tools: {count: {description: x, run: [sh, -c, ls]}}}\n---\n"
            "preset: house\ncapability: {ceiling: {commands: [[wc]]}}\n"
        ),
        ["AS412", "AS608"],
    ),
    "a way out of one tool, beside a mistake in another": (
        (
            "capability: {approval: {rules: [{tool: fetch, decision: ask}]},"
            " toolkits: [files.read, {web.fetch: {hosts: ['*']}}], tools: "
            "{send: {description: x, parameters: {to: string}, http: {url: 'https://a.example'}, effect: network},"
            " look: {description: x, run: [ls], kind: zzqy}}}\n"
        ),
        ["AS204", "AS614", "AS615"],
    ),
    "a rule that denies every call, beside a mistake in another": (
        (
            "capability: {toolkits: [files.read], approval: {rules: [{tool: read_file, decision: zzqy}, "
            "{tool: '*', decision: deny, reason: x}]}}\n"
        ),
        ["AS204", "AS624"],
    ),
    "an input that nothing uses, beside a mistake in another": (
        "inputs: {one: {type: string, zzqy: 1}, two: string}\ncontext: {task: '${inputs.one}'}\n",
        ["AS102", "AS703"],
    ),
    "an unknown key whose value can not be the missing one": (
        "execution: {loop_control: [{when: iteration > 3, zzqy: {a: 1}}]}\n",
        ["AS102", "AS104"],
    ),
    "a tool that the ceiling forbids, beside a mistake elsewhere": (
        "capability: {toolkits: [files.edit], ceiling: {effects: [none, read]}}\nmodel: {temperature: hot}\n",
        ["AS201", "AS620"],
    ),
    "an unknown tool, beside a section of a wrong type": (
        "capability: {toolkits: [files.read], identity: plenty}\nexecution: {require_successful_tools: [read_fil]}\n",
        ["AS201", "AS601"],
    ),
    "an unknown preset, beside an unknown key of another document": (
        "extends: audt\n---\npreset: house\ndescrption: x\n",
        ["AS102", "AS401"],
    ),
    "a call without its result, beside a text that cannot be filled": (
        (
            "context: {history: [{role: user, content: 'on ${inputs.zzqy}'},"
            " {role: assistant, content: '', tool_calls: [{id: a, name: x, arguments: {}}]},"
            " {role: user, content: x}]}\n"
        ),
        ["AS303", "AS708"],
    ),
    "a wrong value in a section that is misspelt": (
        "executoin: {max_nudges: many}\n",
        ["AS102", "AS201"],
    ),
}


def found(folder: Path, text: str, *, shows_all: bool = False) -> list[tuple[str, str | None]]:
    path = folder / "a.yaml"
    path.write_text(f"name: a\n{text}")
    report = check_paths([path], Options(ignore=("AS902",), shows_consequences=shows_all))
    return sorted({(one.code, one.caused_by) for one in report.diagnostics}, key=str)


@pytest.mark.parametrize("case", LINKED)
def test_what_follows_is_linked_and_left_out(tmp_path: Path, case: str) -> None:
    text, (code, other, cause) = LINKED[case]

    assert found(tmp_path, text) == [(code, None)]
    assert found(tmp_path, text, shows_all=True) == [(code, None), (other, cause)]


@pytest.mark.parametrize("case", APART)
def test_what_is_wrong_by_itself_is_told(tmp_path: Path, case: str) -> None:
    text, codes = APART[case]

    assert [code for code, _ in found(tmp_path, text)] == codes


def test_each_place_beyond_a_ceiling_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    asked = "capability: {ceiling: {effects: [write]}, toolkits: [files.edit]}\nexecution: {limits: {tokens: 9000}}"
    path.write_text(f"name: a\n{HOUSE.format(asked)}")

    report = check_paths([path], Options(select=("AS412",)))

    assert [one.path for one in report.diagnostics] == [
        "capability.ceiling.effects",
        "capability.toolkits[0]",
        "execution.limits.tokens",
    ]


CAUSE_AND_CONSEQUENCE = "name: a\ncapability: {toolkits: [files.read], ceiling: {effects: [none, reda]}}\n"


@pytest.mark.parametrize("options", [Options(select=("AS6",)), Options(ignore=("AS204", "AS902"))])
def test_what_is_left_out_hides_nothing(tmp_path: Path, options: Options) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(CAUSE_AND_CONSEQUENCE)

    report = check_paths([path], options)

    assert ([one.code for one in report.diagnostics], report.hidden) == (["AS620"], 0)


def test_what_a_comment_silences_hides_nothing_and_the_same_in_another_file_neither(tmp_path: Path) -> None:
    silenced, plain = tmp_path / "silenced.yaml", tmp_path / "plain.yaml"
    plain.write_text(CAUSE_AND_CONSEQUENCE)
    silenced.write_text(CAUSE_AND_CONSEQUENCE.replace("}}", "}}  # agentspec: ignore[AS204]"))

    report = check_paths([plain, silenced], Options(ignore=("AS902",)))

    told = [(Path(one.span.source.name).name, one.code) for one in report.diagnostics]
    assert told == [("plain.yaml", "AS204"), ("silenced.yaml", "AS620")]
