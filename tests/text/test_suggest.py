"""Did you mean: the word that is nearest, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.text.suggest import distance, nearest

KEYS = ["max_iterations", "max_nudges", "loop_control", "limits", "stall", "output", "on"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("max_iteratons", ["max_iterations"]),
        ("max-iterations", ["max_iterations"]),
        ("LIMITS", ["limits"]),
        ("limtis", ["limits"]),
        ("stal", ["stall"]),
        ("on", ["on"]),
        ("no", []),
        ("x", []),
        ("temperature", []),
    ],
)
def test_the_nearest_word_is_offered_or_none(word: str, expected: list[str]) -> None:
    assert nearest(word, KEYS) == expected


def test_more_words_come_by_nearness_then_by_name() -> None:
    assert nearest("labell", ["labels", "other", "label", "la_bels"], most=3) == ["label", "labels", "la_bels"]


@pytest.mark.parametrize(
    ("left", "right", "edits"),
    [("", "", 0), ("ab", "ba", 1), ("abc", "ac", 1), ("kitten", "sitting", 3), ("ca", "abc", 3)],
)
def test_the_distance_counts_edits_and_swaps(left: str, right: str, edits: int) -> None:
    assert distance(left, right) == edits


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_is_the_same_both_ways(left: str, right: str) -> None:
    assert distance(left, right) == distance(right, left)
    assert (distance(left, right) == 0) == (left == right)
