"""tap: a line for a shell whose pipeline ends in filters, changed so that what comes before them is kept as well. Pure.

Only a line whose pipes can be told without a shell is changed; all others stay as they are, and nothing is kept.
"""

from __future__ import annotations

from typing import NamedTuple

FILTERS = frozenset(
    (
        *("head", "tail", "grep", "egrep", "fgrep", "rg", "sed", "awk", "cut", "uniq", "wc", "tr", "column", "jq"),
        *("less", "more", "sort"),
    )
)
_UNCLEAR = ("`", "$(", "<<", "(", ")", "{", "}", "\n", "\\")  # what may hold pipes of its own


class Tapped(NamedTuple):
    """The changed line, and what runs before the filters, as it is written."""

    line: str
    producer: str


def tapped(line: str, place: str) -> Tapped | None:
    """The line with a copy of what its filters read written to `place`; None where there is nothing to keep.

    >>> tapped("make 2>&1 | grep -i warn | tail -5", "/dev/fd/9").line
    'make 2>&1 | tee /dev/fd/9 2>/dev/null | grep -i warn | tail -5'
    >>> tapped("make && ls", "/dev/fd/9") is None
    True
    """
    if any(mark in line for mark in _UNCLEAR):
        return None
    stages = _stages(line)
    if stages is None or len(stages) < 2:
        return None
    first = len(stages)
    while first > 1 and _program(line[slice(*stages[first - 1])]) in FILTERS:
        first -= 1
    if first == len(stages):
        return None
    at = stages[first][0]
    before = line[stages[0][0] : stages[first - 1][1]].strip()
    return Tapped(f"{line[:at]} tee {place} 2>/dev/null |{line[at:]}", before)


def _stages(line: str) -> list[tuple[int, int]] | None:
    """Where the stages of the last pipeline of the line begin and end; None where a quote stays open."""
    stages: list[tuple[int, int]] = []
    begin, quote, at = 0, "", 0
    while at < len(line):
        here, pair = line[at], line[at : at + 2]
        if quote:
            quote = "" if here == quote else quote
        elif here in "'\"":
            quote = here
        elif here == "#" and (at == 0 or line[at - 1].isspace()):
            return None  # the rest is a comment
        elif pair in ("||", "&&", "|&"):
            if pair == "|&":
                return None
            stages, begin, at = [], at + 2, at + 1
        elif here == ";" or (here == "&" and line[at - 1 : at] not in ("<", ">") and line[at + 1 : at + 2] != ">"):
            stages, begin = [], at + 1
        elif here == "|" and line[at - 1 : at] != ">":
            stages.append((begin, at))
            begin = at + 1
        at += 1
    return None if quote else [*stages, (begin, len(line))]


def _program(stage: str) -> str:
    words = stage.split()
    return words[0].rpartition("/")[2] if words else ""
