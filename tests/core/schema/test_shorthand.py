"""Short types become JSON Schema, closed, or are refused with the way out."""

import pytest

from agentspec.core.schema.shorthand import lower, lower_parameters
from agentspec.errors import SpecInvalid


@pytest.mark.parametrize(
    ("form", "schema"),
    [
        ("string", {"type": "string"}),
        ("any", {}),
        ("integer[]", {"type": "array", "items": {"type": "integer"}}),
        ("any[]", {"type": "array", "items": {}}),
        ("number[][]", {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
        ("string?", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"enum": ["add", "sub"]}, {"enum": ["add", "sub"]}),
        ({"items": {"enum": ["a"]}}, {"type": "array", "items": {"enum": ["a"]}}),
        (
            {"any_of": ["string", "number[]"]},
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}]},
        ),
        (
            {"type": "integer", "minimum": 1, "description": "how many"},
            {"type": "integer", "minimum": 1, "description": "how many"},
        ),
        ({"schema": {"type": "string", "format": "uri"}}, {"type": "string", "format": "uri"}),
        (
            {"fields": {"old": "string", "new": "string?"}},
            {
                "type": "object",
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                "required": ["old"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_a_short_type_is_lowered(form, schema):
    assert lower(form) == schema


def test_parameters_are_a_closed_object_with_what_is_needed():
    schema = lower_parameters(
        {
            "path": "string",
            "limit": {"type": "integer", "default": 10},
            "mode": {"enum": ["a", "b"], "optional": True, "description": "how"},
            "tags": "string[]?",
            "deep": {"type": "string?", "description": "x"},
        }
    )

    assert schema == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "mode": {"enum": ["a", "b"], "description": "how"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "deep": {"type": "string", "description": "x"},
        },
        "required": ["path"],
        "additionalProperties": False,
    }


def test_no_parameters_are_an_empty_closed_object():
    assert lower_parameters(None) == {"type": "object", "properties": {}, "additionalProperties": False}


def test_a_full_schema_is_taken_as_written():
    full = {"type": "object", "properties": {"a": {"type": "string"}}}

    assert lower_parameters({"schema": full}) == full
    assert lower_parameters({"schema": "string"})["required"] == ["schema"]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"a": "strin"}, "`a`: unknown type `strin`; did you mean `string`?"),
        ({"a": "str"}, "`a`: unknown type `str`; did you mean `string`?"),
        ({"a": "list"}, "`a`: unknown type `list`; did you mean `any[]`?"),
        ({"a": "quux"}, "`a`: unknown type `quux`; known: `string`, `integer`, `number`, `boolean`, `object`, `any`"),
        ({"a": {"type": "string", "defualt": 1}}, "`a`: unknown key `defualt`; did you mean `default`?"),
        ({"a": {"type": "string", "enum": ["x"]}}, "`a`: a type in a mapping has exactly one of `type`, `enum`, `items`, `fields`, `any_of`, `schema`; this one has 2"),
        ({"a": {"fields": {"b": {"items": "nmber"}}}}, "`a.b[]`: unknown type `nmber`; did you mean `number`?"),
        ({"a": {"enum": []}}, "`a`: `enum` holds a list that is not empty"),
        ({"a": 3}, "`a`: 3 is no type; write a name such as `string`, or a mapping"),
    ],
)  # fmt: skip
def test_an_unknown_form_names_its_place_and_the_way_out(form, message):
    with pytest.raises(SpecInvalid) as refused:
        lower_parameters(form)

    assert str(refused.value) == message


def test_endless_nesting_is_refused():
    form = "string"
    for _ in range(200):
        form = {"items": form}

    with pytest.raises(SpecInvalid, match="nested more than 64 deep"):
        lower(form)
