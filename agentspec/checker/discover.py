"""discover: the rules that exist, found by looking into the family folders. Nothing registers itself.

A check loads a rule where something is there that it asks for: which rules look at all, and what they ask of a document
before they find anything, stands in `asked.json`, which `agentspec.checker.keep` writes. All others are pages, which
cost nothing until somebody asks for them.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.asked import Place, is_there
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject

RULES = Path(__file__).parent / "rules"
ASKED = Path(__file__).with_name("asked.json")
PACKAGE = "agentspec.checker.rules."
FAMILIES = tuple(f"as{number}" for number in range(10))


class Kept(NamedTuple):
    """A rule that looks: its code, its module, and the places that it asks for; None where it asks for everything."""

    code: str
    module: str
    asked: frozenset[Place] | None


def _modules(families: tuple[str, ...]) -> list[str]:
    folders = sorted(path for path in RULES.iterdir() if path.name.split("_")[0] in families)
    return [
        f"{PACKAGE}{folder.name}.{path.stem}"
        for folder in folders
        for path in sorted(folder.glob("*.py"))
        if path.stem != "__init__"
    ]


def _classes(module: str) -> list[type[Rule]]:
    found = vars(importlib.import_module(module)).values()
    return [item for item in found if isinstance(item, type) and issubclass(item, Rule) and item.__module__ == module]


@cache
def _kept() -> tuple[Kept, ...]:
    rows = json.loads(ASKED.read_text(encoding="utf-8")).items()
    return tuple(
        Kept(code, PACKAGE + module, None if asked is None else frozenset(map(tuple, asked)))
        for code, (module, asked) in rows
    )


@cache
def _places() -> tuple[Place, ...]:
    return tuple({place: None for kept in _kept() for place in kept.asked or ()})


@cache
def _rule(kept: Kept) -> Rule:
    return next(rule() for rule in _classes(kept.module) if rule.code == kept.code)


def rules_for(subject: Subject) -> Iterator[Rule]:
    """The rules that may find something in a document, by code.

    What a rule asks of an empty agent without an error decides whether it finds anything: where an agent has none of
    that either, it finds nothing.
    """
    if subject.kind != "agent" or not subject.is_whole or subject.errors:
        yield from map(_rule, _kept())
        return
    there = {place for place in _places() if is_there(subject, place)}
    for kept in _kept():
        if kept.asked is None or not there.isdisjoint(kept.asked):
            yield _rule(kept)


@cache
def all_rules() -> dict[str, type[Rule]]:
    """Every rule by its code, also those that are only a page."""
    rules = [rule for module in _modules(FAMILIES) for rule in _classes(module)]
    return {rule.code: rule for rule in sorted(rules, key=lambda rule: rule.code)}
