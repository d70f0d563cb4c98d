"""gap: give up one entry and leave a gap in its place, with its key where that could be read."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentspec.syntax.dsl.lalr import END
from agentspec.syntax.dsl.lexer import Token
from agentspec.syntax.dsl.lower import Gap, Grant, Lowering
from agentspec.syntax.dsl.state import CLOSERS, CLOSING, HEADS, State
from agentspec.syntax.dsl.sugar import GROUPS
from agentspec.syntax.tree import Broken, Entry, Scalar
from agentspec.text.source import Span

_NAMING = frozenset(("FINAL", "UNSET", *GROUPS))


class Dropped(NamedTuple):
    """An entry, rule or head that was given up: what the parser held of it, from its start."""

    gap: str  # the token that takes its place
    start: int
    parts: list[Any]
    depth: int  # brackets that it had opened


def cut_entry(state: State) -> Dropped:
    """Give up what is unfinished in the innermost block, down to where its next entry could begin."""
    machine = state.machine
    keep = len(machine.states)
    while not machine.accepts("BROKEN_HEAD", keep) and not _takes_entries(state, keep):
        keep -= 1
    before = len(state.openers)
    parts = state.drop(keep)
    values = [value for value, _, _ in parts]
    is_rule = bool(values) and isinstance(values[0], tuple) and values[0][0] == "WHEN"
    likely = ("BROKEN_RULE", "BROKEN") if is_rule else ("BROKEN_HEAD", "BROKEN", "BROKEN_RULE")
    gap = next(gap for gap in likely if machine.accepts(gap))
    return Dropped(gap, parts[0][1] if parts else state.at, values, before - len(state.openers))


def _takes_entries(state: State, keep: int) -> bool:
    accepts = state.machine.accepts
    return accepts("RBRACE", keep) and (accepts("BROKEN", keep) or accepts("BROKEN_RULE", keep))


def fill_gap(state: State, dropped: Dropped, end: int) -> None:
    """Put a gap up to `end` where an entry was given up."""
    value: object = None
    if dropped.gap == "BROKEN_HEAD":
        value = bool(dropped.parts) and isinstance(dropped.parts[0], tuple) and dropped.parts[0][0] in HEADS
    elif dropped.gap == "BROKEN":
        value = Gap(_known(state.lowering, dropped, end))
    state.take((dropped.gap, dropped.start, max(end, dropped.start)), value)


def _known(lowering: Lowering, dropped: Dropped, end: int) -> Entry | Grant | None:
    """What can be said of an entry that was given up: its key, or its sugar's group and name."""
    word, *rest = dropped.parts or [None]
    is_naming = isinstance(word, tuple) and word[0] in _NAMING
    key = _key(lowering, rest[0] if is_naming and rest else word)
    if key is None:
        return None
    broken = Broken(span=Span(lowering.source, key.span.end, max(end, key.span.end)))
    if not is_naming or not rest or word[0] not in GROUPS:
        return Entry(key=key, value=broken)
    span = Span(lowering.source, word[1], word[2])
    return Grant(GROUPS[word[0]], span, broken if word[0] == "TOOLKIT" else Entry(key=key, value=broken))


def _key(lowering: Lowering, value: object) -> Scalar | None:
    if isinstance(value, Scalar):
        return value
    if isinstance(value, tuple) and len(value) == 3:
        kind, start, end = value
        if kind == "STRING":
            return lowering.string(start, end, value)
        if lowering.text[start:end].isidentifier() or kind == "WORD":
            return lowering.word(start, end, value)
    return None


def pass_over(state: State, token: Token, dropped: Dropped) -> Token:
    """Skip to the next entry of the block, or to its end, fill the gap, and give the token to go on with."""
    state.report.muted = True
    depth, end = dropped.depth, max(state.at, dropped.start)
    while not _resumes(state, token, dropped, depth):
        kind, _, end = token
        depth += (kind in CLOSERS) - (kind in CLOSING and depth > 0)
        token = state.next()
    state.report.muted = False
    fill_gap(state, dropped, end)
    return token


def _resumes(state: State, token: Token, dropped: Dropped, depth: int) -> bool:
    """Whether the next entry begins here: on a line that is indented no deeper, or else outside of all brackets."""
    kind, start, _ = token
    gap = dropped.gap
    if kind == END or (kind == "RBRACE" and depth <= 0 and gap != "BROKEN_HEAD"):
        return True
    if not state.starts_line(start):
        return False
    if kind in HEADS and state.begins_document(start):
        return True
    has_own_line = state.starts_line(dropped.start)
    is_next = state.indent(start) <= state.indent(dropped.start) if has_own_line else depth <= 0
    return is_next and state.fits(gap, kind) and (gap != "BROKEN_HEAD" or kind in HEADS)
