"""across: values of a JSON text that a find reaches over from outside of them; its names and its structure stay.

It knows no pattern: where something was found is told to it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*')  # a text, with a colon where it is a name; a number
STRUCTURE = re.compile(r'[",:{}\[\]]')
Span = tuple[int, int]


def blank_across(text: str, spans: Iterable[Span], hidden: str) -> str:
    """A JSON text with a word in place of each value that one of the spans touches and does not lie in.

    >>> blank_across('{"pin": "12", "n": 3}', [(1, 9)], "-")
    '{"pin": "-", "n": 3}'
    """
    reaching = sorted(span for span in spans if STRUCTURE.search(text, *span))
    if not reaching:
        return text
    starts, ends = [start for start, _ in reaching], _farthest(reaching)
    parts, done = [], 0
    for token in TOKEN.finditer(text):
        start, end = token.span()
        if token[2] is None and _is_touched(start, end, starts, ends):
            parts += [text[done:start], json.dumps(hidden)]
            done = end
    return "".join([*parts, text[done:]])


def _farthest(spans: Sequence[Span]) -> list[int]:
    """For each span, how far it and those before it reach."""
    ends, farthest = [], 0
    for _, end in spans:
        farthest = max(farthest, end)
        ends.append(farthest)
    return ends


def _is_touched(start: int, end: int, starts: Sequence[int], ends: Sequence[int]) -> bool:
    before = bisect_left(starts, end)  # those that begin before the token ends
    return before > 0 and ends[before - 1] > start
