"""The DSL's grammar and the tables that are made from it."""

from __future__ import annotations

import json

import pytest

from agentspec.errors import InternalError
from agentspec.resources import resource
from agentspec.syntax.dsl.build import build, encode
from agentspec.syntax.dsl.lalr import TABLES, load
from agentspec.syntax.dsl.lower import Lowering
from agentspec.syntax.dsl.sugar import Sugar

GRAMMAR = resource("grammar", "agentspec.lark").read_text("utf-8")


@pytest.mark.parametrize("start", ["document", "expression"])
def test_the_shipped_tables_are_those_of_the_grammar(start):
    # Building refuses a grammar with a conflict, so this holds that too.
    fresh = encode(build(GRAMMAR)[start])

    assert TABLES[start].read_text("utf-8") == fresh, "run: python -m agentspec.syntax.dsl.build"
    assert json.loads(fresh)["rules"] == [list(rule) for rule in load(start).rules]


def test_a_conflict_that_lark_would_settle_by_itself_is_an_error():
    dangling = 'document: statement\nstatement: IF statement -> one\n | IF statement ELSE statement -> two\n | X -> leaf\nexpression: X -> x\nIF: "if"\nELSE: "else"\nX: "x"\n'

    with pytest.raises(InternalError, match="Shift/Reduce conflict for terminal ELSE"):
        build(dangling)


def test_a_production_of_several_parts_needs_a_name():
    with pytest.raises(InternalError, match="needs a `-> name`"):
        build('document: X X\nexpression: X\nX: "x"\n')


def test_each_production_has_its_builder_and_one_number_of_parts():
    counts: dict[str, set[int]] = {}
    for rule in load("document").rules:
        if rule.name is not None:
            counts.setdefault(rule.name, set()).add(len(rule.kept))

    assert [name for name in counts if hasattr(Lowering, name) == hasattr(Sugar, name)] == []
    assert {name: found for name, found in counts.items() if len(found) > 1} == {}


def test_tables_are_data_that_any_reader_takes():
    for path in TABLES.values():
        assert path.suffix == ".json"
        assert path.stat().st_size < 100_000
