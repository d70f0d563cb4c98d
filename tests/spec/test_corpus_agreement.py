"""The JSON Schema for editors finds what `check` finds of the structure, on every document of the repository."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from agentspec.checker.discover import all_rules
from agentspec.compose.documents import kind_of
from agentspec.spec.editors import schema_for_editors
from agentspec.spec.schema import load
from agentspec.spec.structure.shape import check_shape
from agentspec.syntax.read import parse_bytes
from agentspec.syntax.tree import Mapping, dotted, plain, walk
from tests.checker.test_peers import ROWS, unmarked

ROOT = Path(__file__).parents[2]
VALIDATOR = jsonschema.Draft202012Validator(schema_for_editors())


def texts() -> Iterator[tuple[str, str, str]]:
    """Where a text stands, its file name and itself."""
    for folder in ("examples", "stdlib"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".yaml", ".agent") and "script" not in path.stem:
                yield str(path.relative_to(ROOT)), path.name, path.read_text()
    for code, rule in all_rules().items():
        page = inspect.getdoc(rule) or ""
        for number, (language, text) in enumerate(
            re.findall(r"```(yaml|json|agent)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        ):
            yield f"{code}-{number}", f"a.{language}", text
    for row in ROWS:
        yield row.defect, row.file, unmarked(row)[0]


def documents() -> Iterator[tuple[str, Any]]:
    for where, name, text in texts():
        parsed = parse_bytes(name, text.encode())
        for index, document in enumerate(parsed.documents):
            if not document.has_broken and not is_patched(document.root):
                yield f"{where}.{index}", document


def is_patched(root: Any) -> bool:
    """Whether a document says what JSON has no words for: entries that are unset or appended."""
    entries = [entry for _, node in walk(root) if isinstance(node, Mapping) for entry in node.entries]
    return any(entry.operation != "set" or entry.final for entry in entries)


def test_a_document_of_the_repository_is_refused_by_both_or_by_none():
    refused = [(where, *both(document)) for where, document in documents()]

    assert [row for row in refused if not agree(*row[1:])] == []
    assert sum(bool(found) for _, found, _ in refused) > 20
    assert sum(not found for _, found, _ in refused) > 200


def both(document: Any) -> tuple[set[str], set[str]]:
    """The places that the structural check refuses of a document, and those that the schema does."""
    found = {one.path for one in check_shape(document.root, kind_of(document), partial=False)}
    return found, {dotted(tuple(error.absolute_path)) for error in VALIDATOR.iter_errors(plain(document.root))}


def agree(found: set[str], refused: set[str]) -> bool:
    """Whether for each place of the one there is one of the other at it, around it or inside it."""
    near = [(one, other) for one in found for other in refused if one.startswith(other) or other.startswith(one)]
    return {one for one, _ in near} == found and {other for _, other in near} == refused


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("name: a\nexecution: {max_iterations: '${inputs.n}'}\n", False),
        ("name: a\nexecution: {limits: '${inputs.n}'}\n", False),
        ("name: a\nexecution: {max_iterations: 'about ${inputs.n}'}\n", True),
        ("name: a\nexecution: {max_iterations: {$unset: true}}\n", False),
        ("name: a\nexecution: {max_iterations: {$unset: true, x: 1}}\n", True),
        ("name: a\nmodel: {provder: openai}\n", True),
        ("name: a\nx-note: {anything: [1, {}]}\n", False),
        ("preset: a\nexecution: {profile: verifer}\n", True),
        ("scenario: a\nfor: a.yaml\ntask: x\nmodel: [{text: x}]\nexpect: {status: done}\n", False),
        ("library: a\nversion: 1\n", True),
    ],
)
def test_what_stands_for_a_value_is_allowed_and_nothing_else(text, is_refused):
    value = yaml.safe_load(text)

    assert (not VALIDATOR.is_valid(value)) == is_refused


def test_the_schema_for_editors_is_a_json_schema_whose_keys_still_tell_what_they_are():
    schema = schema_for_editors()
    jsonschema.Draft202012Validator.check_schema(schema)

    for name, definition in load()["$defs"].items():
        for key, value in definition.get("properties", {}).items():
            told = schema["$defs"][name]["properties"][key]
            assert told.get("description") == value.get("description"), (name, key)
