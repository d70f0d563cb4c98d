"""What is open holds for all that builds on it, saved or not, and what is gone from disk holds no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.lsp.desk import Desk

MODEL = "model: {provider: script, options: {turns: [{text: a}]}}\n"
SCENARIO = "scenario: s\nfor: a.yaml\ntask: x\nmodel: [{text: hi}]\nexpect: {status: done}\n"
LIBRARY = "library: plat\nversion: 1.0.0\nexports: {presets: [safe]}\n---\npreset: safe\n"


def codes(desk: Desk, path: Path) -> list[str]:
    return [one.code for one in desk.report(str(path)).diagnostics]


@pytest.mark.parametrize(
    ("spec", "other", "saved", "unsaved", "saved_codes", "unsaved_codes"),
    [
        ("name: u\nextends: ./b.yaml\n", "b.yaml", "preset: b\n", "preset: b\nfoo: 1\n", [], ["AS102"]),
        (SCENARIO, "a.yaml", "name: a\n", "name: a\ninputs: {x: string}\n", [], ["AS425"]),
        ("name: c\ncapability: {tools: {t: {agent: ./d.yaml, description: d}}}\n", "d.yaml", "name: d\n", "name: d\ncapability: {tools: {t: {agent: ./d.yaml, description: d}}}\n", [], ["AS640"]),
        ("name: p\ncontext: {system: {file: p.md}}\n", "p.md", "Hello.", "Hello, ${nobody}.", [], ["AS302"]),
        ("name: q\ncontext: {system: {file: q.md}}\n", "q.md", None, "Hello.", ["AS711"], []),
        ("name: s\nexecution: {output: {schema: s.json}}\n", "s.json", "{}", "{", [], ["AS215"]),
        ("name: k\ncapability: {skills: {hi: ./hi}}\n", "hi/SKILL.md", "---\nname: hi\ndescription: d\n---\nHi", "Hi", [], ["AS641"]),
        ("name: l\nuse: {plat: {source: ./plat, version: '*'}}\nextends: plat.safe\n", "plat/library.yaml", LIBRARY, LIBRARY.replace("safe]", "other]"), ["AS440"], ["AS440", "AS445"]),
        ("name: t\nmodel: {provider: script, options: {file: t.yaml}}\n", "t.yaml", "- text: a\n", "- txt: a\n", [], ["AS808"]),
    ],
    ids=["preset", "spec of a scenario", "agent", "prompt", "new file", "schema", "skill", "library", "script"],
)  # fmt: skip
def test_an_unsaved_text_counts_in_the_findings_of_what_builds_on_it(
    tmp_path: Path,
    spec: str,
    other: str,
    saved: str | None,
    unsaved: str,
    saved_codes: list[str],
    unsaved_codes: list[str],
) -> None:
    desk, path, beside = Desk(), tmp_path / "spec.yaml", tmp_path / other
    beside.parent.mkdir(exist_ok=True)
    if saved is not None:
        beside.write_text(saved)
    if "model:" not in spec:
        spec += MODEL
    desk.put(str(path), spec)

    before = codes(desk, path)
    opened = desk.put(str(beside), unsaved)
    while_open = codes(desk, path)
    closed = desk.drop(str(beside))

    assert (before, while_open, codes(desk, path)) == (saved_codes, unsaved_codes, saved_codes)
    assert (opened[1:], closed) == ([str(path)], [str(path)])


def test_an_open_text_whose_file_is_gone_holds_no_more_until_it_is_back_or_changes(tmp_path: Path) -> None:
    desk, spec, base = Desk(), tmp_path / "spec.yaml", tmp_path / "base.yaml"
    base.write_text("preset: base\n")
    desk.put(str(spec), "name: a\nextends: ./base.yaml\n" + MODEL)
    desk.put(str(base), "preset: base\n")
    found = [codes(desk, spec)]

    base.unlink()
    gone = desk.change_on_disk({str(base)})
    found.append(codes(desk, spec))
    base.write_text("preset: base\n")
    back = desk.change_on_disk({str(base)})
    found.append(codes(desk, spec))
    base.unlink()
    desk.change_on_disk({str(base)})
    found.append(codes(desk, spec))
    typed = desk.put(str(base), "preset: base\n")
    found.append(codes(desk, spec))

    assert found == [[], ["AS402"], [], ["AS402"], []]
    assert [set(gone), set(back), set(typed)] == [{str(spec), str(base)}] * 3


def test_a_file_that_comes_into_a_folder_that_was_looked_through_counts(tmp_path: Path) -> None:
    desk, path = Desk(), tmp_path / "spec.yaml"
    desk.put(str(path), "name: a\nextends: bse\n")
    desk.report(str(path))

    (tmp_path / "base.yaml").write_text("preset: base\n")

    assert desk.change_on_disk({str(tmp_path / "base.yaml")}) == [str(path)]
