"""Schemas that are written once are carried by every tool that names them."""

import pytest

from agentspec.core.schema.components import with_components
from agentspec.core.schema.validate import compile_schema
from agentspec.errors import SpecInvalid

COMPONENTS = {
    "Address": {
        "type": "object",
        "properties": {"street": {"type": "string"}, "country": {"$ref": "#/components/Country"}},
        "required": ["street"],
    },
    "Country": {"enum": ["de", "fr"]},
    "Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/Tree"}}}},
}


def test_a_schema_carries_what_it_names_and_what_that_names():
    schema = {"type": "object", "properties": {"to": {"$ref": "#/components/schemas/Address"}}}

    found = with_components(schema, COMPONENTS)

    assert list(found["$defs"]) == ["Address", "Country"]
    assert compile_schema(found).check({"to": {"street": "x", "country": "de"}}) == []
    assert compile_schema(found).check({"to": {"street": "x", "country": "it"}}) != []
    assert schema == {"type": "object", "properties": {"to": {"$ref": "#/components/schemas/Address"}}}


def test_a_component_may_name_itself():
    found = with_components({"$ref": "#/components/Tree"}, COMPONENTS)

    assert compile_schema(found).check({"children": [{"children": []}]}) == []
    assert compile_schema(found).check({"children": [{"children": 1}]}) != []


def test_a_part_of_a_component_can_be_named():
    found = with_components({"$ref": "#/components/Address/properties/street"}, COMPONENTS)

    assert found["$ref"] == "#/$defs/Address/properties/street"
    assert compile_schema(found).check("x") == []


def test_definitions_of_the_schema_itself_stay_its_own():
    schema = {
        "$defs": {"Country": {"type": "integer"}},
        "items": [{"$ref": "#/$defs/Country"}, {"$ref": "#/components/Country"}],
    }

    assert with_components(schema, COMPONENTS) == {
        "$defs": {"Country": {"type": "integer"}, "components.Country": {"enum": ["de", "fr"]}},
        "items": [{"$ref": "#/$defs/Country"}, {"$ref": "#/$defs/components.Country"}],
    }


def test_a_schema_that_names_none_is_as_it_was():
    assert with_components({"type": "string", "$ref": "#/$defs/x"}, COMPONENTS) == {
        "type": "string",
        "$ref": "#/$defs/x",
    }


def test_an_unknown_component_is_named_with_the_nearest():
    with pytest.raises(
        SpecInvalid, match=r"names the component `Adress`, which is not there; did you mean `Address`\?"
    ):
        with_components({"$ref": "#/components/Adress"}, COMPONENTS)
    with pytest.raises(SpecInvalid, match=r"`capability\.components` has none"):
        with_components({"$ref": "#/components/X"}, None)
