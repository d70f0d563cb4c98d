"""Mistakes made in valid specs are found, where they are made, with the right way out, and next to nothing else is said.

`pytest -s` prints the score by class of mistakes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.mutation.corpus import Spec, of_files, valid, written
from tests.mutation.defect import defects
from tests.mutation.kinds import KINDS
from tests.mutation.score import Outcome, line, lines, outcomes, tally


def tried(specs: Iterable[Spec], most: int, folder: Path, one_in: int = 1) -> list[Outcome]:
    told = list(outcomes(defects(valid(specs, folder), KINDS, most, one_in), folder))
    print("", *lines(told), line("all", tally(told)), sep="\n")  # noqa: T201 - the score, with `-s`
    return told


def hold(told: list[Outcome]) -> None:
    """The figures that the project keeps."""
    strict = [one for one in told if one.defect.kind.group in ("structure", "names")]
    assert tally(strict).found > 0.99
    assert tally(told).found >= 0.99
    assert tally(told).placed > 0.98
    assert tally(told).led >= 0.95
    assert tally(told).findings <= 1.1


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    return tried(of_files(), 1, tmp_path_factory.mktemp("sample"), one_in=2)


def test_a_sample_of_mistakes_is_found_placed_and_led_out_of(sample: list[Outcome]) -> None:
    hold(sample)


def test_every_class_of_mistakes_is_tried(sample: list[Outcome]) -> None:
    names = {kind.name for kind in KINDS}

    assert len(names) == len(KINDS) >= 25
    assert len(sample) >= 400
    assert len({one.defect.kind.name for one in sample}) > 0.9 * len(names)


@pytest.mark.slow
def test_all_mistakes_in_all_specs_are_found_placed_and_led_out_of(tmp_path: Path) -> None:
    hold(tried(written(), 4, tmp_path))
