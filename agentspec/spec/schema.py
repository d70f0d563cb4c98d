"""schema: the schema as the checks read it: loaded once, each node opened by the shape of what is written.

No pydantic here: `agentspec check` must start fast. schema.json is generated; see generate.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

Node: TypeAlias = Mapping[str, Any]
Answer = TypeVar("Answer")

MARK: Final = "x-agentspec"
FREE_PREFIX: Final = "x-"
ROOTS: Final[dict[str, str]] = {"agent": "Agent", "preset": "Preset", "library": "Library", "scenario": "Scenario"}
_REF: Final = "#/$defs/"
_FILE: Final = Path(__file__).with_name("schema.json")


@cache
def load() -> dict[str, Any]:
    """The generated JSON Schema of all documents."""
    schema: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return schema


def root(kind: str) -> Node:
    """The schema node of a kind of document: `agent`, `preset`, `library` or `scenario`."""
    node: Node = load()["$defs"][ROOTS[kind]]
    return node


def opened(node: Node) -> Node:
    """The definition that a node refers to, or the node itself."""
    reference = node.get("$ref")
    if reference is None:
        return node
    target: Node = load()["$defs"][reference.removeprefix(_REF)]
    return target


def record_name(node: Node) -> str | None:
    """The name of the record that a definition describes, or None for what is no definition."""
    return _record_names().get(id(node))


@cache
def _record_names() -> dict[int, str]:
    return {id(definition): name for name, definition in load()["$defs"].items()}


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A compiled pattern of the schema; `$` means the very end, as in ECMA regular expressions."""
    return re.compile(text[:-1] + r"\Z" if text.endswith("$") else text)


def told_once(question: Callable[[Node], Answer]) -> Callable[[Node], Answer]:
    """A question about a schema node that is answered once: the schema lives as long as the process."""
    known: dict[int, tuple[Node, Answer]] = {}  # the nodes are held, so that no other one has the same id

    @wraps(question)
    def ask(node: Node) -> Answer:
        answered = known.get(id(node))
        if answered is None:
            answered = known[id(node)] = node, question(node)
        return answered[1]

    return ask


class Form:
    """What may stand at a place, by the shape of what is written there. At most one branch for each shape but text."""

    __slots__ = ("boolean", "free", "mapping", "number", "sequence", "texts")

    def __init__(self, node: Node) -> None:
        self.mapping: Node | None = None
        self.sequence: Node | None = None
        self.number: Node | None = None
        self.boolean: Node | None = None
        self.texts: list[Node] = []
        self.free: Node | None = None
        for branch in branches(node):
            self._add(branch)

    def _add(self, branch: Node) -> None:
        kinds = branch.get("type")
        for kind in [kinds] if isinstance(kinds, str) else kinds or ["any"]:
            match kind:
                case "object":
                    self.mapping = branch
                case "array":
                    self.sequence = branch
                case "string":
                    self.texts.append(branch)
                case "integer" if self.number is not None:
                    pass
                case "integer" | "number":
                    self.number = branch
                case "boolean":
                    self.boolean = branch
                case _:
                    self.free = branch


def branches(node: Node) -> list[Node]:
    """The alternatives of a node, opened."""
    node = opened(node)
    if "properties" in node or "anyOf" not in node:
        return [node]
    return [inner for branch in node["anyOf"] for inner in branches(branch)]


@told_once
def form(node: Node) -> Form:
    """The form of a schema node."""
    return Form(node)


ANYTHING: Final[Node] = {}


def value_of(mapping: Node, name: str) -> Node | None:
    """The schema node of a key in a mapping's schema, or None where the key is unknown."""
    known: Node | None = mapping.get("properties", {}).get(name)
    if known is not None:
        return known
    if name.startswith(FREE_PREFIX) and "patternProperties" in mapping:
        return ANYTHING
    others = mapping.get("additionalProperties", True)
    if others is True:
        return ANYTHING
    return None if others is False else others
