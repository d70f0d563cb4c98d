"""The lock is the same for the same libraries, whoever writes it, and two of them merge where they do not overlap."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from agentspec.api.libraries.lock import verify_libraries
from agentspec.compose.libraries.lock import Lock, Locked, in_order, lock_text, parse_lock, recovered
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source


def locked(name: str, version: str = "1.0.0") -> Locked:
    files = {f"presets/{letter}.yaml": letter * 64 for letter in "cab"}
    return Locked(name, version, f"../{name}", {"base": "^1"}, {"presets.x": "e" * 64}, files)


def test_what_is_written_is_read_again() -> None:
    odd = Locked("z", "1.0.0-beta.2", 'é\x7f"\\#a b', {}, {}, {"a\tb": "0"}, "c" * 40, "acme.inner")
    libraries = (locked("a"), locked("b", "1.10.0"), locked("b", "1.9.0"), odd)

    lock = parse_lock(Source("agentspec.lock", lock_text(libraries)))

    assert isinstance(lock, Lock)
    assert [(one.name, one.version) for one in lock.libraries] == [
        ("a", "1.0.0"),
        ("b", "1.9.0"),
        ("b", "1.10.0"),
        ("z", "1.0.0-beta.2"),
    ]
    assert lock.libraries[-1] == odd


def test_the_order_in_which_libraries_are_found_does_not_show() -> None:
    libraries = [locked(name, version) for name in "abc" for version in ("1.2.0", "2.0.0")]
    texts = set()
    for seed in range(5):
        random.Random(seed).shuffle(libraries)
        texts.add(lock_text(libraries))

    assert len(texts) == 1


def test_branches_that_lock_different_libraries_merge(tmp_path: Path) -> None:
    names = {"base": "ac", "ours": "abc", "theirs": "acd"}
    for side, letters in names.items():
        (tmp_path / side).write_text(lock_text(map(locked, letters)))

    merged = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert merged.returncode == 0, merged.stdout
    assert merged.stdout == lock_text(map(locked, "abcd"))


def test_every_torn_lock_is_known() -> None:
    text = lock_text(map(locked, "ab"))

    whole = [end for end in range(len(text)) if isinstance(parse_lock(Source("agentspec.lock", text[:end])), Lock)]

    assert whole == [len(text) - 1], "only the last line end may be missing"


@pytest.mark.parametrize("name", ["../../up", "a/b", "", ".hidden"])
def test_no_name_of_a_lock_leads_anywhere(name: str) -> None:
    found = parse_lock(Source("agentspec.lock", lock_text([locked("a")._replace(name=name)])))

    assert isinstance(found, Diagnostic)
    assert "was changed by hand" in found.message


def test_a_source_of_a_lock_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agentspec.lock").write_text(lock_text([locked("a")._replace(source="svn://h/x")]))

    assert [found.code for found in verify_libraries(tmp_path)] == ["AS459"]


def test_the_same_files_stay_locked_as_they_are_whoever_wrote_the_lock(project) -> None:
    lock = project.path / "agentspec.lock"
    read = parse_lock(Source("agentspec.lock", lock.read_text()))
    assert isinstance(read, Lock)
    other = lock_text([one._replace(exports={"presets.safe": "0" * 64}) for one in read.libraries])
    lock.write_text(other)

    assert project.findings() == []
    assert project.lock(is_frozen=True) == []
    assert project.lock() == []
    assert lock.read_text() == other


def test_both_sides_of_every_conflict_are_recovered() -> None:
    ours, theirs = (lock_text([locked("a"), locked("b", version)]) for version in ("1.0.0", "2.0.0"))
    marks = {
        "whole files": f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> theirs\n",
        "with a base": f"<<<<<<< HEAD\n{ours}||||||| base\n{lock_text([])}=======\n{theirs}>>>>>>> theirs\n",
        "inside a block": merged(ours, theirs),
    }

    for text in marks.values():
        found = recovered(Source("agentspec.lock", text))
        assert found == Lock(in_order([locked("a"), locked("b"), locked("b", "2.0.0")]))


def merged(ours: str, theirs: str) -> str:
    """Two texts with marks around each of their lines that are not the same."""
    lines = []
    for left, right in zip(ours.splitlines(), theirs.splitlines(), strict=True):
        lines += [left] if left == right else ["<<<<<<< HEAD", left, "=======", right, ">>>>>>> theirs"]
    return "\n".join(lines) + "\n"


def test_the_whole_blocks_of_a_torn_lock_are_recovered() -> None:
    text = lock_text([locked("a"), locked("b")])

    torn = recovered(Source("agentspec.lock", text[: text.index('name = "b"') + 40]))

    assert [one.name for one in torn.libraries] == ["a"]
