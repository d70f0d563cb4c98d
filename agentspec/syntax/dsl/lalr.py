"""lalr: run the parse tables that `build` made: shift, reduce, and say what would be accepted.

It knows no grammar and no error messages: what a production makes is asked of the builder that it is given.
Everything is a loop over explicit stacks, so that no input can exhaust the interpreter's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

TABLES = {start: Path(__file__).with_name(f"{start}.json") for start in ("document", "expression")}
END = "$END"


class Rule(NamedTuple):
    """A production: the nonterminal it makes, its length, which of its symbols are parts, and its name."""

    left: str
    size: int
    kept: list[int]  # -1 stands for an optional part that is absent
    name: str | None  # None passes the one part on


class Tables(NamedTuple):
    """The tables of one start symbol. An action is a state to go to, or `-1 - rule` to reduce by."""

    tokens: dict[str, list[str]]
    rules: list[Rule]
    actions: list[dict[str, int]]
    gotos: list[dict[str, int]]


@cache
def load(start: str) -> Tables:
    """The shipped tables of `document` or `expression`."""
    found = json.loads(TABLES[start].read_bytes())
    found["rules"] = [Rule(*rule) for rule in found["rules"]]
    return Tables(**found)


class Machine:
    """One parse: the stacks of states, values and places.

    One of the `builders` has a method for each production's name; it gets the start and end of the production's text,
    then its parts, with None for an optional one that is absent.
    """

    __slots__ = ("_reductions", "ends", "starts", "states", "tables", "values")

    def __init__(self, tables: Tables, *builders: object) -> None:
        self.tables = tables
        self.states = [0]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self._reductions = [_reduction(rule, builders) for rule in tables.rules]

    def feed(self, kind: str, value: object, start: int, end: int) -> bool:
        """Take one token after the reductions that it asks for; False where the grammar has no place for it."""
        states, values, starts, ends = self.states, self.values, self.starts, self.ends
        actions, gotos = self.tables.actions, self.tables.gotos
        while True:
            action = actions[states[-1]].get(kind)
            if action is None:
                return False
            if action >= 0:
                states.append(action)
                values.append(value)
                starts.append(start)
                ends.append(end)
                return True
            left, size, offsets, make = self._reductions[-1 - action]
            if size == 1:
                if make is not None:
                    values[-1] = make(starts[-1], ends[-1], values[-1])
                states[-1] = gotos[states[-2]][left]
                continue
            if size == 0:
                at = ends[-1] if ends else 0
                starts.append(at)
                ends.append(at)
                values.append(make(at, at) if make else None)
            else:
                parts = values[-size:] if offsets is None else [values[at] if at else None for at in offsets]
                made = make(starts[-size], ends[-1], *parts) if make else parts[0]
                del values[-size:], starts[1 - size :], states[-size:]
                ends[-size:] = ends[-1:]
                values.append(made)
            states.append(gotos[states[-1]][left])

    def accepts(self, kind: str, keep: int | None = None) -> bool:
        """Whether this kind of token could come next (after the first `keep` states). Nothing changes."""
        return self.after(kind, self.states[:keep]) is not None

    def after(self, kind: str, states: list[int]) -> list[int] | None:
        """The stack of states after one more token, or None; `states` itself is used up."""
        while True:
            action = self.tables.actions[states[-1]].get(kind)
            if action is None:
                return None
            if action >= 0:
                states.append(action)
                return states
            left, size, _, _ = self._reductions[-1 - action]
            if size:
                del states[-size:]
            states.append(self.tables.gotos[states[-1]][left])

    def cut(self, keep: int) -> list[tuple[Any, int, int]]:
        """Drop all but the first `keep` states; what they held, first to last, each with its start and end."""
        dropped = list(zip(self.values[keep - 1 :], self.starts[keep - 1 :], self.ends[keep - 1 :], strict=True))
        del self.states[keep:], self.values[keep - 1 :], self.starts[keep - 1 :], self.ends[keep - 1 :]
        return dropped


Reduction = tuple[str, int, tuple[int, ...] | None, Callable[..., Any] | None]


def _reduction(rule: Rule, builders: tuple[object, ...]) -> Reduction:
    """A rule made ready: parts as offsets from the top of the stack, None for all of them, 0 for an absent one."""
    whole = rule.kept == list(range(rule.size))
    offsets = None if whole else tuple(index - rule.size if index >= 0 else 0 for index in rule.kept)
    if rule.name is None:
        return (rule.left, rule.size, offsets, None)
    builder = next(each for each in builders if hasattr(each, rule.name))
    return (rule.left, rule.size, offsets, getattr(builder, rule.name))
