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
    "a key that is unset and unknown": (
        "execution: {max_nudgs: !unset }\n",
        ("AS102", "AS414", "AS102 execution.max_nudgs"),
    ),
}
APART = {
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
