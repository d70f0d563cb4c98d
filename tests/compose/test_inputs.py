"""Inputs: what a spec declares, what a run gives it, and what does not fit."""

from __future__ import annotations

import pytest

from agentspec.compose.inputs import accept, declared_inputs
from agentspec.compose.load import input_types, input_values, unset_inputs
from agentspec.compose.overrides import read_value
from agentspec.expressions.types import spell
from agentspec.syntax.tree import Mapping
from agentspec.text.source import Source

SPEC = """\
name: a
inputs:
  branch: {type: string, default: main}
  retries: integer
  share: number?
  deep: {type: boolean, default: false}
  level: {enum: [low, high]}
  paths: string[]
  place: {fields: {city: string, zip: string?}}
"""


def declared(form: str):
    root = read_value(Source("x", f"{{inputs: {{x: {form}}}}}"), 0)
    assert isinstance(root, Mapping)
    return declared_inputs(root)["x"]


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        ("string", "a", "a"),
        ("integer", 3, 3),
        ("integer", 3.0, 3),
        ("number", 3, 3.0),
        ("number", 2.5, 2.5),
        ("boolean", False, False),
        ("any", {"a": [1]}, {"a": [1]}),
        ("object", {"a": 1}, {"a": 1}),
        ("string?", None, None),
        ("'string[]'", ["a", "b"], ["a", "b"]),
        ("'integer[]'", [], []),
        ("'number[]'", [1, 2.5], [1.0, 2.5]),
        ("{enum: [low, high]}", "low", "low"),
        ("{enum: [1, 2]}", 2, 2),
        ("{enum: [a, null]}", None, None),
        ("{items: {enum: [a, b]}}", ["a"], ["a"]),
        ("{fields: {city: string, n: 'integer?'}}", {"city": "Rome"}, {"city": "Rome"}),
        ("{type: integer, optional: true}", None, None),
    ],
)
def test_a_value_of_the_declared_type_is_taken(form: str, value: object, expected: object) -> None:
    found, problem = accept(value, declared(form))

    assert (found, problem) == (expected, None)
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("form", "value", "problem"),
    [
        ("string", 5, "it must be a `string`, not an integer"),
        ("string", None, "it must be a `string`, not null"),
        ("integer", 2.5, "it must be an `integer`, not a number"),
        ("integer", True, "it must be an `integer`, not a boolean"),
        ("number", "5", "it must be a `number`, not a string"),
        ("number", True, "it must be a `number`, not a boolean"),
        ("boolean", 1, "it must be a `boolean`, not an integer"),
        ("object", [], "it must be an `object`, not a list"),
        ("'string[]'", "a", "it must be a `string[]`, not a string"),
        ("'string[]'", ["a", 5], "`[1]` must be a `string`, not an integer"),
        ("{enum: [low, high]}", "mid", 'it must be one of `"low"`, `"high"`'),
        ("{enum: [1, 2]}", True, "it must be one of `1`, `2`"),
        ("{fields: {city: string}}", {}, "it lacks the field `city`"),
        ("{fields: {city: string}}", {"city": "a", "ctiy": 1}, "it has no field `ctiy`; did you mean `city`?"),
        ("{fields: {at: {fields: {city: string}}}}", {"at": {"city": 5}}, "`at.city` must be a `string`, not an integer"),
    ],
)  # fmt: skip
def test_another_value_is_refused_with_the_reason(form: str, value: object, problem: str) -> None:
    assert accept(value, declared(form)) == (value, problem)


def test_types_and_values_are_given_to_expressions(folder) -> None:
    composed = folder.load(SPEC, inputs=["retries=3", "share=1", "paths=[a, b]", "level=high"])

    assert composed.diagnostics == []
    assert {name: spell(found) for name, found in input_types(composed)} == {
        "branch": "string",
        "retries": "integer",
        "share": "number?",
        "deep": "boolean",
        "level": '"low" | "high"',
        "paths": "string[]",
        "place": "{city: string, zip: string?}",
    }
    assert input_values(composed) == {
        "branch": "main",
        "retries": 3,
        "share": 1.0,
        "deep": False,
        "level": "high",
        "paths": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("branch=1.10", "1.10"),
        ("branch=true", "true"),
        ("branch=", ""),
        ("branch='quoted'", "quoted"),
        ("branch=a=b # c: d", "a=b # c: d"),
        ("branch=012", "012"),
    ],
)
def test_the_text_for_a_string_stays_as_it_is_written(folder, text: str, value: str) -> None:
    composed = folder.load(SPEC, inputs=[text])

    assert composed.diagnostics == []
    assert composed.inputs == {"branch": value}


def test_python_values_are_taken_as_they_are(folder) -> None:
    composed = folder.load(SPEC, inputs={"retries": 3, "branch": "5", "place": {"city": "Rome"}})

    assert composed.diagnostics == []
    assert composed.inputs == {"retries": 3, "branch": "5", "place": {"city": "Rome"}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["retires=3"], "AS423 --input retires=3:1:1 unknown input `retires`; did you mean `retries`?"),
        (["retries=often"], ("AS424 --input retries=often:1:9 the input `retries` does not fit:"
            " it must be an `integer`, not a string")),
        (["level=mid"], 'AS424 --input level=mid:1:7 the input `level` does not fit: it must be one of `"low"`, `"high"`'),
        (["retries"], "AS421 --input retries:1:1 `--input` needs `NAME=VALUE`"),
        (["=3"], "AS421 --input =3:1:1 `--input` needs `NAME=VALUE`"),
        (["paths=[a"], "AS421 --input paths=[a:1:7 cannot read `[a`: this `[` is never closed"),
        ({"retires": 3}, "AS423 input retires:1:1 unknown input `retires`; did you mean `retries`?"),
        ({"retries": "3"}, "AS424 input retries:1:1 the input `retries` does not fit: it must be an `integer`, not a string"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_input_is_found_in_its_own_text(folder, given: object, expected: str) -> None:
    assert folder.findings(SPEC, inputs=given) == [expected]


def test_a_spec_without_inputs_says_so(folder) -> None:
    [found] = folder.load("name: a\n", inputs=["branch=x"]).diagnostics

    assert (found.code, found.message, found.help) == (
        "AS423",
        "unknown input `branch`",
        "this spec declares no inputs",
    )


def test_what_is_missing_matters_only_when_a_run_starts(folder) -> None:
    composed = folder.load(SPEC, inputs=["paths=[a]"])

    assert composed.diagnostics == []
    assert [(found.code, found.message, found.span.text) for found in unset_inputs(composed)] == [
        ("AS425", "the input `retries` has no value", "retries"),
        ("AS425", "the input `level` has no value", "level"),
        ("AS425", "the input `place` has no value", "place"),
    ]


def test_a_default_must_be_of_its_own_type(folder) -> None:
    found = folder.findings("name: a\ninputs: {n: {type: integer, default: often}, m: {enum: [a], default: b}}\n")

    assert found == [
        "AS426 spec.yaml:2:38 the default of `n` does not fit: it must be an `integer`, not a string",
        'AS426 spec.yaml:2:70 the default of `m` does not fit: it must be one of `"a"`',
    ]
