"""every_key: documents that use the whole language: no key of the schema is left out, whatever holds it.

All chance comes from one `random.Random`. What was not used yet is chosen first, so that a few dozen documents use all.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from agentspec.spec.schema import branches, load, opened, record_name, root
from tests.spec.documents import JUNK, SAMPLES, kind_of_sample

Key: TypeAlias = tuple[str | None, str]  # the record of the schema, and a key of it
HEADS = {"agent": "name", "preset": "preset", "library": "library", "scenario": "scenario"}
TEXTS = ("a", "some text", "${inputs.x} and ${env.Y}", "ünï 🚀", "# no\n- c\n", "null", "when x => y", "30s")


def all_keys() -> set[Key]:
    """Every key of every record."""
    return {(name, key) for name, node in load()["$defs"].items() for key in node.get("properties", ())}


def _is_record(node: Any) -> bool:
    return "properties" in node


@cache
def _below(name: str) -> frozenset[Key]:
    """The keys of a record and of all that can stand in it."""
    found: set[str] = set()
    waiting: list[Any] = [load()["$defs"][name]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            inner = str(node.get("$ref", "")).rpartition("/")[2]
            if inner and inner not in found:
                found.add(inner)
                waiting.append(load()["$defs"][inner])
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return frozenset((one, key) for one in {name, *found} for key in load()["$defs"][one].get("properties", ()))


def _reach(node: Any) -> frozenset[Key]:
    names = {record_name(opened(branch)) for branch in _leaves(node)}
    return frozenset().union(*(_below(name) for name in names if name is not None))


def _leaves(node: Any) -> list[Any]:
    """The records that may stand at a place, through lists and mappings by name."""
    found: list[Any] = []
    for branch in branches(node):
        if _is_record(branch):
            found.append(branch)
        for inner in (branch.get("items"), branch.get("additionalProperties"), branch.get("else")):
            found += _leaves(inner) if isinstance(inner, dict) else []
    return found


class Author:
    """Writes documents by chance. `slips` is how often a key is misspelt or a value is none of its place."""

    def __init__(self, chance: random.Random, slips: float = 0.0) -> None:
        self.chance = chance
        self.slips = slips
        self.used: Counter[Key] = Counter()

    def document(self, kind: str) -> dict[str, Any]:
        """A document of a kind, with a name that both spellings have a place for."""
        return {**self._record(root(kind), 7), HEADS[kind]: self.chance.choice(("a", "read-er", "b2"))}

    def _slips(self) -> bool:
        return self.chance.random() < self.slips

    def _unused(self, node: Any) -> int:
        return sum(1 for key in _reach(node) if not self.used[key])

    def _value(self, node: Any, depth: int) -> Any:
        if self._slips():
            return self.chance.choice(JUNK)
        ways = branches(node)
        self.chance.shuffle(ways)
        return self._branch(max(ways, key=self._unused) if self.chance.random() < 0.7 else ways[0], depth)

    def _branch(self, branch: Any, depth: int) -> Any:
        mark = kind_of_sample(branch)
        if "const" in branch or "enum" in branch:
            return self.chance.choice(branch.get("enum", [branch.get("const")]))
        if mark == "reference" and "/" in branch.get("pattern", ""):
            return "server/tool"
        if mark in SAMPLES:
            return self.chance.choice(SAMPLES[mark])
        low = branch.get("minimum", 0)
        match branch.get("type"):
            case "object":
                return self._record(branch, depth) if _is_record(branch) else self._named(branch, depth)
            case "array":
                most = max(branch.get("minItems", 0), self.chance.randint(0, 2) if depth > 0 else 0)
                return [self._value(branch["items"], depth - 1) for _ in range(most)]
            case "string":
                return self.chance.choice(TEXTS)
            case "integer" | "number" as kind:
                return self.chance.choice([low, low + 1, 60] if kind == "integer" else [0.25, 1, 2.5])
            case "boolean":
                return self.chance.choice([True, False])
            case _:
                return self.chance.choice([1, "x", [1, {"a": None}], {"x-y": "${z}"}])

    def _record(self, branch: Any, depth: int) -> dict[str, Any]:
        keys = branch["properties"]
        free = sorted(keys, key=lambda key: self._rank(branch, key))
        chosen = {*branch.get("required", ()), *free[: self.chance.randint(1, 6) if depth > 0 else 0]}
        chosen -= {part["required"][0] for part in branch.get("oneOf", ())}
        for group in (branch[word] for word in ("oneOf", "anyOf") if word in branch):
            chosen.add(min((part["required"][0] for part in group), key=lambda name: self._rank(branch, name)))
        for part in branch.get("allOf", ()):
            first, second = part["not"]["required"]
            if {first, second} <= chosen:
                chosen.discard(second if second not in branch.get("required", ()) else first)
        found: dict[str, Any] = {}
        for key in (key for key in keys if key in chosen):
            self.used[record_name(branch), key] += 1
            found[self._slip_of(key) if self._slips() else key] = self._value(keys[key], depth - 1)
        return found

    def _rank(self, branch: Any, key: str) -> tuple[bool, int, float]:
        """What was never used first, then what leads to most that never was."""
        is_used = self.used[record_name(branch), key] > 0
        return is_used, -self._unused(branch["properties"][key]), self.chance.random()

    def _named(self, branch: Any, depth: int) -> dict[str, Any]:
        if "else" in branch and self.chance.random() < 0.2:
            return {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
        branch = branch.get("else", branch)
        inside = branch.get("additionalProperties", True)
        if inside is True:
            return self.chance.choice([{}, {"any": [1, None]}, {"x-a": "b", "deep": {"c": True}}])
        names = branch.get("propertyNames", {}).get("enum", ["a", "b2", "read_file"])
        most = self.chance.randint(0 if self.chance.random() < 0.2 else 1, 2) if depth > 0 else 0
        return {name: self._value(inside, depth - 1) for name in self.chance.sample(names, min(most, len(names)))}

    def _slip_of(self, key: str) -> str:
        at = self.chance.randrange(len(key))
        return self.chance.choice(
            (key[:at] + key[at + 1 :] or "z", key + "s", key.replace("_", "-") + "x", key.upper())
        )


def whole_language(author: Author) -> Iterator[tuple[str, dict[str, Any]]]:
    """Documents of all kinds, until every key of the language stands in one of them."""
    for kind in itertools.cycle(["agent", "preset", "agent", "library", "agent", "scenario"]):
        if author.used.keys() >= all_keys():
            return
        yield kind, author.document(kind)
