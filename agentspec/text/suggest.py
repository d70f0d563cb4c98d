"""suggest: the word that somebody most likely meant.

Ranked by restricted Damerau-Levenshtein distance (as Elm does), case ignored; nothing is offered when nothing is near.
"""

from __future__ import annotations

from collections.abc import Iterable


def distance(left: str, right: str) -> int:
    """Edits (insert, delete, replace, swap neighbours) between two words; the optimal string alignment distance."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _shape(word: str) -> str:
    return word.lower().replace("-", "_")


def nearest(word: str, known: Iterable[str], *, most: int = 1) -> list[str]:
    """The known words within a third of the word's length (at least 1, at most 2 edits), the nearest first."""
    shape = _shape(word)
    limit = max(1, min(2, len(shape) // 3)) if len(shape) > 2 else 0
    ranked: list[tuple[int, str]] = []
    for candidate in known:
        other = _shape(candidate)
        if abs(len(other) - len(shape)) > limit:
            continue
        edits = distance(shape, other)
        if edits <= limit:
            ranked.append((edits, candidate))
    ranked.sort()
    return [candidate for _, candidate in ranked[:most]]
