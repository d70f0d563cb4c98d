"""The laws of fmt and convert over documents made by chance, as untidy as their authors can be."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.syntax import dsl, yaml
from agentspec.syntax.format import format_text
from agentspec.syntax.tree import Parsed
from agentspec.text.source import LINE_END, Source
from tests.syntax.format.documents import Documents
from tests.syntax.format.laws import check_laws
from tests.syntax.format.untidy import Dsl, Yaml

MANY = 1250  # by 16: 20 000 documents


def made(chance: random.Random, spelling: str) -> Parsed:
    """Documents of one author in one file, which can be read whole."""
    author = Documents(chance, size=2)
    documents = author.documents()
    if spelling == "yaml":
        parsed = yaml.parse(Source("x.yaml", Yaml(author).text(documents)))
    else:
        parsed = dsl.parse(Source("x.agent", Dsl(author).text(documents)))
    assert [found for found in parsed.diagnostics if found.severity == "error"] == []
    return parsed


@pytest.mark.parametrize("spelling", ["yaml", "dsl"])
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(chance=st.randoms(use_true_random=False))
def test_the_laws_hold(spelling, chance):
    check_laws(made(chance, spelling))


def with_ends(parsed: Parsed, end: str) -> Parsed:
    """The same file with other line ends."""
    source = Source(parsed.source.name, LINE_END.sub(end, parsed.source.text))
    return yaml.parse(source) if parsed.spelling == "yaml" else dsl.parse(source)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("spelling", ["yaml", "dsl"])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(chance=st.randoms(use_true_random=False))
def test_line_ends_do_not_change_the_form(spelling, end, chance):
    parsed = made(chance, spelling)

    assert format_text(with_ends(parsed, end)) == format_text(with_ends(parsed, "\n"))


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["yaml", "dsl"])
@pytest.mark.parametrize("start", range(0, 8 * MANY, MANY))
def test_the_laws_hold_for_many(spelling, start):
    for seed in range(start, start + MANY):
        check_laws(made(random.Random(seed), spelling))
