"""No key that names a file or a folder lets a library out of the project: every path of the schema is looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentspec import spec
from agentspec.compose.libraries.outside import PATHS, outside
from agentspec.syntax.read import parse_bytes
from agentspec.syntax.tree import dotted

ELSEWHERE = {
    "folder": "a skill is looked for in its library",
    "skills": "a skill is looked for in its library",
    "roots": "of a ceiling: it only takes away",
    "exclude": "a pattern that takes away",
    "paths": "a pattern of the calls that a rule is about",
    "secrets": "a pattern that takes away",
    "watch_paths": "nothing acts on it yet",
    **dict.fromkeys(("args", "match", "models", "text", "tool"), "a pattern of words, not of paths"),
}
"""The other keys that hold paths or patterns of them, and why none of them reaches anything."""


def named(node: Any, key: str = "") -> Iterator[str]:
    """The keys of a schema whose values are paths, or patterns of them."""
    if isinstance(node, list):
        for each in node:
            yield from named(each, key)
    elif isinstance(node, dict):
        if node.get("x-agentspec", {}).get("kind") in ("path", "glob"):
            yield key
        for name, each in node.items():
            inner = each.items() if name in ("properties", "$defs") and isinstance(each, dict) else [(key, each)]
            for inner_key, value in inner:
                yield from named(value, inner_key)


def test_every_key_that_holds_a_path_is_looked_at_or_reaches_nothing() -> None:
    schema = json.loads(Path(spec.__file__).with_name("schema.json").read_bytes())

    assert set(named(schema)) - PATHS == set(ELSEWHERE)


@pytest.mark.parametrize("key", sorted(PATHS))
@pytest.mark.parametrize("path", ["/srv/x", "../x", "a/../../x", "~/x"])
def test_a_path_that_leads_out_is_found_at_every_key(key, path) -> None:
    tree = (
        parse_bytes("p.yaml", f"a: {{{key}: {path}}}\nb: {{{key}: inside/x}}\nc: {{{key}: ..x}}\n".encode())
        .documents[0]
        .root
    )

    assert [(right.name, dotted(right.path)) for right in outside(tree)] == [(path, f"a.{key}")]
