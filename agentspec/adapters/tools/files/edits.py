"""edits: find what an edit means to replace, exactly once or wherever it stands. Positions and words, no files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from agentspec.adapters.tools.files.near_text import near_miss
from agentspec.adapters.tools.files.text_file import Change

_SHOWN = 5


class NoEdit(Exception):
    """An edit that fits nowhere, or in too many places; `str()` says what to give instead."""


def replacing(text: str, old: str, new: str, *, everywhere: bool) -> list[Change]:
    """The changes that put `new` in the place of `old`, of which there is exactly one unless `everywhere`.

    >>> replacing("a b a", "b", "c", everywhere=False)
    [Change(start=2, end=3, new='c')]
    """
    old, new = _unix(old), _unix(new)
    if not old:
        raise NoEdit("`old_string` is empty; `write_file` writes a whole file")
    if old == new:
        raise NoEdit("`old_string` and `new_string` are the same (line ends stay as the file has them)")
    starts = _starts(text, old) if everywhere else [_only(text, old, None)]
    if not starts:
        raise NoEdit(near_miss(text, old))
    return [Change(start, start + len(old), new) for start in starts]


def patching(text: str, hunks: Sequence[Mapping[str, Any]]) -> list[Change]:
    """The changes of all hunks, in order of their places. Raises `NoEdit` where one doesn't fit: then none is made."""
    changes = [_hunk(text, number, hunk) for number, hunk in enumerate(hunks, 1)]
    order = sorted(range(len(changes)), key=lambda index: (changes[index].start, changes[index].end, index))
    for one, other in pairwise(order):
        if changes[other].start < changes[one].end:
            raise NoEdit(f"the hunks {min(one, other) + 1} and {max(one, other) + 1} overlap; make one hunk of them")
    return [changes[index] for index in order]


def line_of(text: str, position: int) -> int:
    """The number of the line that a position lies in, from 1."""
    return text.count("\n", 0, position) + 1


def _hunk(text: str, number: int, hunk: Mapping[str, Any]) -> Change:
    old, new, line = _unix(hunk["old_string"]), _unix(hunk["new_string"]), hunk.get("line")
    try:
        if old == new:
            raise NoEdit("`old_string` and `new_string` are the same")
        if not old:
            start = _start_of_line(text, line)
            missing = "\n" if start == len(text) and text and not text.endswith("\n") else ""
            return Change(start, start, missing + new)
        start = _only(text, old, line)
        return Change(start, start + len(old), new)
    except NoEdit as problem:
        raise NoEdit(f"hunk {number}: {problem}; no hunk was applied") from problem


def _start_of_line(text: str, line: int | None) -> int:
    """Where a line begins; one more than there are is the end."""
    if line is None:
        raise NoEdit("an empty `old_string` inserts before `line`, which is missing")
    lines = text.split("\n")
    count = len(lines) - (not lines[-1])
    if line > count + 1:
        raise NoEdit(f"there is no line {line}; the file has {count}")
    return min(len(text), sum(len(each) + 1 for each in lines[: line - 1]))


def _only(text: str, old: str, line: int | None) -> int:
    """Where `old` begins: the one place, or the one in `line`."""
    start = text.find(old)
    if start < 0:
        raise NoEdit(near_miss(text, old))
    if text.find(old, start + 1) < 0:
        return start
    starts = _starts(text, old)
    lines = [line_of(text, each) for each in starts[:_SHOWN]]
    if (
        line is not None
        and (chosen := next((each for each in starts if line_of(text, each) == line), None)) is not None
    ):
        return chosen
    shown = ", ".join(map(str, lines)) + (", …" if len(starts) > _SHOWN else "")
    raise NoEdit(f"`old_string` stands {max(2, len(starts))} times (lines {shown}); give more of what is around it")


def _starts(text: str, old: str) -> list[int]:
    starts, at = [], text.find(old)
    while at >= 0:
        starts.append(at)
        at = text.find(old, at + len(old))
    return starts


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").removeprefix("\ufeff")
