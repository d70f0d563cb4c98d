"""schema: what the structural check relies on holds for the generated file, and editors can use it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from agentspec.spec.describe import all_keys
from agentspec.spec.schema import MARK, ROOTS, branches, load

WORDS = {
    *("type", "enum", "const", "not", "pattern", "minLength", "minimum", "maximum", "exclusiveMinimum", "minItems"),
    *(
        "items",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "anyOf",
        "oneOf",
    ),
    *("allOf", "dependentRequired", "if", "else", "$ref", "description", "default", "x-default", MARK),
}


def nodes(node: Any) -> Iterator[Any]:
    """The schema nodes below a node, itself included; what stands in conditions is JSON Schema's own."""
    if not isinstance(node, dict):
        return
    yield node
    for word, inside in node.items():
        match word, inside:
            case "properties", dict():
                for value in inside.values():
                    yield from nodes(value)
            case "items" | "additionalProperties" | "propertyNames" | "else", dict():
                yield from nodes(inside)
            case "anyOf", list() if "properties" not in node:
                for branch in inside:
                    yield from nodes(branch)


def all_nodes() -> list[Any]:
    return [node for definition in load()["$defs"].values() for node in nodes(definition)]


def test_it_is_a_json_schema():
    jsonschema.Draft202012Validator.check_schema(load())


def test_it_uses_only_the_words_that_the_structural_check_knows():
    assert {word for node in all_nodes() for word in node} - WORDS == set()


def test_what_is_written_chooses_its_branch_by_its_shape_alone():
    def shapes(branch: Any) -> list[str]:
        kind = branch.get("type", "any")
        return ["number" if one == "integer" else one for one in ([kind] if isinstance(kind, str) else kind)]

    for node in all_nodes():
        found = [shape for branch in branches(node) for shape in shapes(branch) if shape not in ("string", "number")]
        assert len(found) == len(set(found)), node


def test_every_mapping_with_fixed_keys_is_closed_but_for_an_authors_own_keys_and_appends():
    for name, definition in load()["$defs"].items():
        assert definition["additionalProperties"] is False, name
        assert definition["patternProperties"] == {"^x-": True, "^[+]": {"type": "array"}}, name


@pytest.mark.parametrize("kind", ROOTS)
def test_every_key_has_its_line_of_documentation(kind):
    keys = list(all_keys(kind))

    assert [doc.path for doc in keys if not doc.doc.endswith(".")] == []
    assert [doc.path for doc in keys if len(doc.doc) > 240] == []


@pytest.mark.parametrize(
    ("document", "problems"),
    [
        ({"name": "a", "model": {"timeout": "5s"}}, 0),
        ({"name": "a", "modle": {}}, 1),
        ({"name": "a", "model": {"timeout": 5}}, 1),
        ({"preset": "a"}, 0),
        ({"library": "a", "version": "1.0.0"}, 0),
        ({"library": "a"}, 1),
        ({"scenario": "a", "for": "b", "expect": {"status": "done"}}, 0),
        ({}, 1),
    ],
)
def test_an_editor_tells_the_documents_apart(document, problems):
    assert len(list(jsonschema.Draft202012Validator(load()).iter_errors(document))) == problems


def test_the_structural_check_loads_neither_pydantic_nor_jsonschema():
    program = "import sys, agentspec.spec.structure.shape, agentspec.spec.describe, agentspec.spec.defaults; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert {"pydantic", "jsonschema", "lark", "rich"} & set(loaded) == set()
