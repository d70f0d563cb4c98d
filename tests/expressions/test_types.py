"""Types are read from every form that a document may write them in."""

import pytest

from agentspec.expressions.scope import make_scope
from agentspec.expressions.types import read_type, spell

FORMS = [
    ("number", "number"),
    (" string? ", "string?"),
    ("string[]", "string[]"),
    ("number?[]", "number?[]"),
    ("boolean[][]", "boolean[][]"),
    ("array", "any[]"),
    ("datetime", "any"),
    ({"enum": ["add", "sub"]}, '"add" | "sub"'),
    ({"enum": ["add", None]}, '("add")?'),
    ({"enum": [1, 2]}, "integer"),
    ({"enum": [1, 2.5]}, "number"),
    ({"enum": ["a", 1]}, "any"),
    ({"const": "x"}, '"x"'),
    ({"items": "string"}, "string[]"),
    ({"items": {"enum": ["a", "b"]}}, '("a" | "b")[]'),
    ({"fields": {"name": "string", "size": "integer?"}}, "{name: string, size: integer?}"),
    ({"values": "string"}, "object"),
    ({"any_of": ["string", "number"]}, "any"),
    ({"type": "string", "optional": True}, "string?"),
    ({"type": "string", "optional": True, "default": "x"}, "string"),
    ({"type": "string", "default": "x", "description": "a name"}, "string"),
    ({"type": {"items": "string"}}, "string[]"),
    ({"type": "array", "items": {"type": "integer"}}, "integer[]"),
    ({"type": ["string", "null"]}, "string?"),
    ({"type": ["string", "integer"]}, "any"),
    ({"type": "object"}, "object"),
    (
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]},
        "{a: string, b: integer?}",
    ),
    ({"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}, "{a: string}"),
    ({"$ref": "#/x"}, "any"),
    (True, "any"),
    (None, "any"),
    ([1], "any"),
]


@pytest.mark.parametrize(("form", "spelled"), FORMS, ids=[str(row[0]) for row in FORMS])
def test_a_form_is_read_as_a_type(form: object, spelled: str) -> None:
    assert spell(read_type(form)) == spelled


def test_parameters_are_read_from_shorthand_and_from_a_schema() -> None:
    schema = {"type": "object", "properties": {"lhs": {"type": "number"}}, "required": ["lhs"]}

    short, full = make_scope(parameters={"lhs": "number"}), make_scope(parameters={"schema": schema})

    assert short == full


def test_a_parameter_may_be_called_schema() -> None:
    scope = make_scope(parameters={"schema": "string"})

    assert scope.args == (("schema", read_type("string")),)


def test_what_is_not_given_is_unknown() -> None:
    assert make_scope() == (None, None, None, None)
