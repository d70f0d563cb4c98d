"""A rename changes every word that means the same and nothing else: whatever was found before is found after it."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from agentspec.checker.check import check_paths
from agentspec.errors import NotAllowed
from agentspec.lsp.desk import Desk
from agentspec.lsp.references import Declaration
from agentspec.lsp.rename import renamable
from agentspec.syntax.format import Form
from tests.lsp.workspaces import WORKSPACE, put, spelled

NEW = "zebra"
NAMES = {
    "base.yaml": ["base", "depth"],
    "desk.scenario.yaml": ["it adds"],
    "desk.yaml": ["Count", "ask", "cheap", "desk", "echo", "find_rows", "main", "most", "orders", "plat", "text", "tickets", "times", "who", "word"],
    "library.yaml": ["house"],
    "other.agent": ["boss", "calc", "helper", "it helps", "it shouts", "lhs", "loud", "peek", "second", "shout", "team", "topic"],
    "safe.yaml": ["depth", "folder", "look"],
    "sums.yaml": ["calc", "lhs", "rhs"],
}  # fmt: skip
"""All that has a name in the workspace, by the file that declares it."""


FILES = {"safe.yaml": ["safe"], "sums.yaml": ["sums"]}  # what is found by the name of its file
OFTEN = ("who", "plat")  # tried in every run of the tests


def found_in(folder: Path) -> list[tuple[str, str, int]]:
    report = check_paths([folder])
    return [(one.code, Path(one.span.source.name).name, one.span.first.line) for one in report.diagnostics]


def all_declared(desk: Desk, folder: Path, texts: dict[str, str]) -> dict[tuple[str, str], Declaration]:
    """All that a word of some files names and that can be renamed, by file and name."""
    found = {}
    for name, text in texts.items():
        for word in re.finditer(r"[\w-]+", text) if not name.endswith(".md") else ():
            part = desk.sheet(str(folder / name)).part_at(word.start())
            assert part is not None
            with contextlib.suppress(NotAllowed):
                one = renamable(part, word.start())
                found[Path(one.target.source.name).name, one.target.text] = one
    return found


def renamed(texts: dict[str, str], desk: Desk, folder: Path, one: Declaration) -> dict[str, str]:
    """The files after a rename, of which every edit changes the name and nothing else."""
    after = dict(texts)
    for edit in sorted(desk.renamed(one, NEW), key=lambda one: -one.span.start):
        path = str(Path(edit.span.source.name).resolve().relative_to(folder.resolve()))
        start, end = edit.span.start, edit.span.end
        assert (after[path][start:end], edit.text) == (one.target.text, NEW)
        after[path] = after[path][:start] + NEW + after[path][end:]
    return after


@pytest.fixture(scope="module")
def declared(desk: Desk, workspace: Path) -> dict[tuple[str, str], Declaration]:
    return all_declared(desk, workspace, WORKSPACE)


def test_all_that_has_a_name_is_known_by_it(declared: dict[tuple[str, str], Declaration], workspace: Path) -> None:
    names = {file: sorted(name for other, name in declared if other == file) for file, _ in declared}

    assert names == {file: sorted([*known, *FILES.get(file, ())]) for file, known in NAMES.items()}
    assert found_in(workspace) == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        pytest.param(file, name, marks=() if name in OFTEN else pytest.mark.slow)
        for file, names in NAMES.items()
        for name in names
    ],
)
def test_after_a_rename_the_check_finds_what_it_found_before(
    desk: Desk,
    workspace: Path,
    tmp_path: Path,
    declared: dict[tuple[str, str], Declaration],
    file: str,
    name: str,
) -> None:
    after = renamed(WORKSPACE, desk, workspace, declared[file, name])

    put(tmp_path, after)
    assert found_in(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dsl", "json"])
def test_a_rename_keeps_what_a_check_finds_in_every_spelling(tmp_path: Path, form: Form) -> None:
    texts, desk, folder = spelled(form), Desk(), tmp_path / "before"
    put(folder, texts)
    desk.folders = frozenset([str(folder)])
    found = all_declared(desk, folder, texts)

    renamable_here = [each for each in found.values() if each.target.text not in ("safe", "sums")]
    for index, one in enumerate(renamable_here[::3]):  # each is tried in the other spelling
        put(tmp_path / str(index), renamed(texts, desk, folder, one))

        assert found_in(tmp_path / str(index)) == []

    assert {name for _, name in found} == {name for names in (*NAMES.values(), *FILES.values()) for name in names}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "name", "new", "reason"),
    [
        ("safe.yaml", "safe", NEW, "`safe` is the name of its file, too: a library finds it by that"),
        ("desk.yaml", "echo", "calc", "`calc` cannot be the name: "),
        ("desk.yaml", "echo", "look", "`look` cannot be the name: "),
        ("desk.yaml", "echo", "tickets__find", "`tickets__find` cannot be the name: "),
        ("desk.yaml", "who", "most", "`most` cannot be the name: "),
        ("desk.yaml", "word", "times", "`times` cannot be the name: "),
        ("desk.yaml", "word", "a-b", "`a-b` cannot be the name: "),
        ("desk.yaml", "cheap", "main", "`main` cannot be the name: "),
        ("desk.yaml", "Count", "a b", "`a b` cannot be the name: "),
        ("desk.yaml", "tickets", "echo #", "`echo #` cannot be the name: "),
        ("desk.yaml", "plat", "", "`` cannot be the name: "),
        ("other.agent", "second", "helper", "`helper` cannot be the name: "),
        ("other.agent", "team", "second", "`second` cannot be the name: "),
        ("other.agent", "shout", "sh{out", "`sh{out` cannot be the name: "),
        ("other.agent", "loud", "true", "`true` cannot be the name: "),
    ],
)
def test_a_name_that_is_taken_or_impossible_is_refused_with_a_reason(
    desk: Desk, declared: dict[tuple[str, str], Declaration], file: str, name: str, new: str, reason: str
) -> None:
    with pytest.raises(NotAllowed) as refused:
        desk.renamed(declared[file, name], new)

    assert str(refused.value).startswith(reason)


def test_a_refusal_tells_where_the_new_name_does_harm_not_what_was_wrong_before(tmp_path: Path) -> None:
    tool = "    one: {description: a, run: [a]}\n"
    desk, path = Desk(), tmp_path / "a.yaml"
    text = f"name: a\ninputs: {{who: string, most: string}}\ncapability:\n  tools:\n{tool}{tool}"
    desk.put(str(path), text)
    part = desk.sheet(str(path)).part_at(0)
    assert part is not None

    with pytest.raises(NotAllowed) as refused:
        desk.renamed(renamable(part, text.index("who")), "most")

    assert str(refused.value) == f"`most` cannot be the name: duplicate key `most` ({path}:2)"


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("review: plat.rev", r"`review` is not named by a spec; it comes with `.*house/skills/review/SKILL.md`"),
        ("source: ./ho", r"`./house` is not named by a spec; it comes with `house`"),
        ("extends:\n  - use: plat.safe\n    wi", r"nothing here has a name that can be changed"),
    ],
)
def test_what_has_no_name_of_its_own_is_not_renamed(desk: Desk, workspace: Path, before: str, reason: str) -> None:
    part = desk.sheet(str(workspace / "desk.yaml")).part_at(
        offset := WORKSPACE["desk.yaml"].index(before) + len(before)
    )
    assert part is not None

    with pytest.raises(NotAllowed) as refused:
        renamable(part, offset)

    assert re.fullmatch(reason, str(refused.value))
