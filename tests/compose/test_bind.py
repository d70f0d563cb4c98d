"""A preset's inputs in its text: whole values, parts of texts, parts of expressions."""

from __future__ import annotations

import pytest

from agentspec.compose.bind import Absent, bind
from agentspec.compose.overrides import read_value
from agentspec.syntax.tree import Broken, Mapping, Node, Scalar, plain
from agentspec.text.source import Source, Span

PLACE = Span(Source("given", ""), 0, 0)


def flow(text: str) -> Node:
    found = read_value(Source("x", text), 0)
    assert isinstance(found, Scalar | Mapping)
    return found


VALUES: dict[str, Node] = {
    "n": Scalar(value=3, span=PLACE),
    "city": Scalar(value="Rome", span=PLACE),
    "deep": Scalar(value=True, span=PLACE),
    "outer": Scalar(value="${inputs.own}", span=PLACE),
    "gone": Absent(value=None, span=PLACE),
    "unknown": Broken(span=PLACE),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${inputs.n}", 3),
        ("${ inputs.n }", 3),
        ("${inputs.deep}", True),
        ("${inputs.city}", "Rome"),
        ("${inputs.outer}", "${inputs.own}"),
        ("to ${inputs.city}, ${inputs.n} times", "to Rome, 3 times"),
        ("${inputs.deep}!", "true!"),
        ("[${inputs.gone}]", "[]"),
        ("via ${inputs.outer}", "via ${inputs.own}"),
        ("$${inputs.n}", "$${inputs.n}"),
        ("$${inputs.n} ${inputs.n}", "$${inputs.n} 3"),
        ("${inputs.other} ${run.turn}", "${inputs.other} ${run.turn}"),
        ("${inputs.n + 1}", "${3 + 1}"),
        ("${inputs.city + ' inputs.city'}", "${\"Rome\" + ' inputs.city'}"),
        ("${inputs.outer + 'x'}", "${(inputs.own) + 'x'}"),
        ("${inputs.nn}", "${inputs.nn}"),
        ("${my_inputs.n}", "${my_inputs.n}"),
        ("${inputs.unknown}", None),
        ("a ${inputs.unknown}", None),
        ("${", "${"),
        ("${inputs.n", "${inputs.n"),
        ("plain", "plain"),
    ],
)
def test_a_text_with_slots(text: str, expected: object) -> None:
    bound = bind(Scalar(value=text, span=PLACE), VALUES)

    assert plain(bound) == expected
    assert isinstance(bound, Broken) is (expected is None)


def test_what_asks_for_nothing_is_the_same_node_and_sources_stay() -> None:
    tree = flow("{a: {b: 1, c: ['x', '${inputs.n}']}, d: {e: [1]}}")
    assert isinstance(tree, Mapping)

    bound = bind(tree, VALUES)

    assert isinstance(bound, Mapping)
    assert plain(bound) == {"a": {"b": 1, "c": ["x", 3]}, "d": {"e": [1]}}
    assert plain(tree) == {"a": {"b": 1, "c": ["x", "${inputs.n}"]}, "d": {"e": [1]}}
    assert bound.get("d") is tree.get("d")
    assert bind(tree, {}) is tree


def test_an_entry_or_item_that_is_only_an_absent_input_is_left_out() -> None:
    tree = flow("{a: '${inputs.gone}', b: ['${inputs.gone}', x], c: 'text ${inputs.gone}'}")

    assert plain(bind(tree, VALUES)) == {"b": ["x"], "c": "text "}
