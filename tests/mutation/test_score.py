"""Mistakes made in valid specs are found, where they are made, with the right way out, and next to nothing else is said.

`pytest -s` prints the score by class of mistakes; `python scripts/mistakes.py` writes it to docs/mistakes.md.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agentspec.compose.documents import kind_of
from scripts.mistakes import PAGE
from tests.mutation.corpus import findings, lend, of_files, valid
from tests.mutation.defect import defects, put
from tests.mutation.kinds import KINDS
from tests.mutation.score import Outcome, all_lines, outcomes, tally, whole_score
from tests.mutation.sites import sites_of

NAMES = {kind.name for kind in KINDS}
STRICT = ("structure", "names")  # what a checker can know for certain
SLIPS = [kind for kind in KINDS if kind.name.endswith(("one slip", "two slips"))]
OTHERS = [kind for kind in KINDS if kind not in SLIPS]


def hold(told: list[Outcome]) -> None:
    """The figures that the project keeps (Q1 to Q4)."""
    print("", *all_lines(told), sep="\n")  # noqa: T201 - the score, with `-s`
    lost = [one for one in told if not one.is_found]
    assert [str(one) for one in lost if one.defect.kind.group in STRICT] == []
    assert tally(told).found >= 0.99
    assert [str(one) for one in told if one.is_found and not one.is_placed] == []
    assert tally(one for one in told if one.defect.kind in SLIPS).led >= 0.95
    assert tally(one for one in told if one.defect.change.suggests is False).led >= 0.98
    assert tally(told).findings <= 1.05


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    folder = tmp_path_factory.mktemp("sample")
    specs = list(valid(of_files(), folder))
    # Slips alone are held to a share that a few of them decide about, so there are many of them.
    return [*outcomes([*defects(specs, SLIPS, 2), *defects(specs, OTHERS, 1, one_in=4)], folder)]


def test_a_sample_of_mistakes_is_found_placed_and_led_out_of(sample: list[Outcome]) -> None:
    hold(sample)


def test_every_class_of_mistakes_is_tried_and_shown(sample: list[Outcome]) -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert len(NAMES) == len(KINDS) >= 25
    assert len(sample) >= 400
    assert len({one.defect.kind.name for one in sample}) > 0.9 * len(NAMES)
    assert {name for name in NAMES if f"| {name} | " not in page} == set()


def test_two_mistakes_in_one_spec_are_both_told(tmp_path: Path) -> None:
    """What is linked to one mistake is never another one. A misspelt key and a wrong value, each in another section."""
    chance = random.Random(7)
    for spec in valid(of_files(), tmp_path):
        keys = [key for key in sites_of(spec).keys if len(key.path) == 2 and key.path[0] != "context"]
        documents = sites_of(spec).parsed.documents
        if not keys or not spec.is_yaml or len(documents) > 1 or kind_of(documents[0]) not in ("agent", "preset"):
            continue  # `context` has no place in others
        key = chance.choice(keys).entry.key.span
        text = put(spec.text, key, f"{key.text}zzqy")
        lend(spec, tmp_path)

        found = findings(spec, f"{text}context: {{systm: x}}\n" if "\ncontext:" not in text else text, tmp_path)

        told = {(one.code, one.span.text) for one in found}
        assert ("AS102", f"{key.text}zzqy") in told
        assert "\ncontext:" in text or ("AS102", "systm") in told


@pytest.mark.slow
def test_all_mistakes_in_all_specs_in_every_dress(tmp_path: Path) -> None:
    hold(whole_score(tmp_path))
