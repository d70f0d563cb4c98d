"""Another spelling of a value is the same meaning; another value never is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentspec import spec
from agentspec.compose.libraries.spelling import AMOUNTS, EXPRESSIONS, FREE, NAMES, TYPES, meant
from agentspec.syntax.read import parse_bytes

SAME = {
    "blanks": ("where: 'args.x + 1.0'", "where: 'args.x  +  1.0'"),
    "a comment": ("where: 'args.x + 1.0'", 'where: "args.x + 1.0 // more"'),
    "a number": ("where: 'args.x + 1.0'", "where: 'args.x + 1.00'"),
    "a whole number": ("where: 'args.x + 16'", "where: 'args.x + 0x10'"),
    "parentheses": ("where: 'args.x + 1'", "where: '((args.x) + (1))'"),
    "quotes": ("""when: 'tool.name == "a"'""", """when: "tool.name == 'a'" """),
    "a duration": ("timeout: 60s", "timeout: 1m"),
    "a duration as a number": ("timeout: 60s", "timeout: 60"),
    "a size": ("max_size: 1KiB", "max_size: 1024"),
    "a type": ("inputs: {x: number}", "inputs: {x: {type: number}}"),
    "a parameter": ("tools: {t: {parameters: {when: string}}}", "tools: {t: {parameters: {when: {type: string}}}}"),
    "a remark": ("tools: {t: {run: [ls]}}", "tools: {t: {run: [ls], x-owner: us}}"),
    "the order of keys": ("model: {a: 1, b: 2.0}", "model: {b: 2, a: 1}"),
}
OTHER = {
    "another number": ("where: 'args.x + 1.0'", "where: 'args.x + 1.01'"),
    "another kind of number": ("where: 'args.x + 1.0'", "where: 'args.x + 1'"),
    "another order": ("where: 'args.x - (1 - 2)'", "where: '(args.x - 1) - 2'"),
    "a denial": ("where: '!args.x'", "where: '!!args.x'"),
    "another text": ("when: 'a == \"b\"'", "when: 'a == \"b \"'"),
    "another field": ("when: a.b", "when: a.c"),
    "an optional field": ("when: a.b", "when: a.?b"),
    "what cannot be read": ("when: 'a +'", "when: 'a  +'"),
    "another duration": ("timeout: 60s", "timeout: 60ms"),
    "blanks in a text": ("task: 'a b'", "task: 'a  b'"),
    "a duration that is a default": ("with: {timeout: 60s}", "with: {timeout: 1m}"),
    "an option": ("options: {when: 'a  b'}", "options: {when: 'a b'}"),
    "a header": ("headers: {x-key: a}", "headers: {x-key: b}"),
    "a tool with such a name": ("tools: {x-t: {run: [a]}}", "tools: {x-t: {run: [b]}}"),
    "another type": ("inputs: {x: number}", "inputs: {x: {type: string}}"),
    "a default more": ("inputs: {x: number}", "inputs: {x: {type: number, default: 1}}"),
    "something that is taken away": ("a: 1", "a: !unset"),
}


def form(text: str) -> str:
    [document] = parse_bytes("p.yaml", text.encode()).documents
    return json.dumps(meant(document.root), sort_keys=True)


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_another_spelling_means_the_same(one, other) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_another_value_means_something_else(one, other) -> None:
    assert form(one) != form(other)


def keys(node: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The keys of a schema, each with the kind of its values; `names` is a mapping by names that an author chooses."""
    for each in node if isinstance(node, list) else ():
        yield from keys(each, key)
    if not isinstance(node, dict):
        return
    yield key, node.get("x-agentspec", {}).get("kind", "")
    if node.get("additionalProperties"):
        yield key, "names"
    for name, each in node.items():
        inner = each.items() if name in ("properties", "$defs") and isinstance(each, dict) else [(key, each)]
        for inner_key, value in inner if name != "x-agentspec" else ():
            yield from keys(value, inner_key)


def test_the_keys_of_the_language_are_known_by_their_kinds() -> None:
    schema = json.loads(Path(spec.__file__).with_name("schema.json").read_bytes())
    kinds: dict[str, set[str]] = {}
    for key, kind in keys(schema):
        kinds.setdefault(kind, set()).add(key)

    assert kinds["expression"] == EXPRESSIONS
    assert kinds["duration"] | kinds["size"] == AMOUNTS
    assert (kinds["names"] | kinds["free"]) - (NAMES | TYPES | FREE) == {"output"}, "also of the language"


def test_a_lock_takes_another_spelling_under_the_same_version(project) -> None:
    tool = (
        "capability: {tools: {t: {description: T, parameters: {x: number}, expr: 'args.x + 1.0', returns: number}}}\n"
    )
    project.put("platform/presets/safe.yaml", f"preset: safe\n{tool}")
    project.lock(accept_changed=True)
    project.put("platform/presets/safe.yaml", f"preset: safe\n{tool.replace(' + 1.0', '  +  1.00')}x-note: hi\n")

    assert [found.split()[0] for found in project.findings()] == ["AS443"]
    assert project.lock() == []
    assert project.findings() == []


def test_what_a_library_knows_of_models_is_no_export(project) -> None:
    manifest = (project.path / "platform/library.yaml").read_text()
    project.put("platform/library.yaml", f"{manifest}models: {{openai: {{x: {{context_window: 1000}}}}}}\n")

    words = "what it knows of models"
    assert project.findings()[0].startswith(f"AS444 triage.yaml:2:26 {words} of `platform` means something else than ")
    assert project.lock() == [
        f"AS444 agentspec.lock:5:1 `platform` 1.4.2 means something else than was locked: {words}"
    ]
