"""expect: in words what the parser could take, and what it found instead."""

from __future__ import annotations

from agentspec.syntax.dsl.lalr import END, Machine
from agentspec.syntax.dsl.lexer import Token
from agentspec.syntax.dsl.state import State
from agentspec.syntax.findings import quoted

SIGNS = {
    "COLON": ":",
    "THEN": "=>",
    "LBRACE": "{",
    "EQUAL": "=",
    "APPEND": "+=",
    "COMMA": ",",
    "RSQB": "]",
    "RPAR": ")",
    "RBRACE": "}",
    "ARROW": "->",
    "LPAR": "(",
    "LSQB": "[",
    "VBAR": "|",
    "QMARK": "?",
    "EXTENDS": "extends",
    "FOR": "for",
}
# What stands where one of these may begin, the widest first.
_PARTS = (
    ("value", "a value"),
    ("type", "a type"),
    ("arm", "a type"),
    ("name", "a name"),
    ("parameter", "a parameter"),
    ("key", "a key"),
    ("word", "a word"),
)
_ALONE = (("WORD", "a key"), ("STRING", "a string"), ("WHEN", "`when`"))
_MOST = 3


def part(machine: Machine) -> str | None:
    """The part that has to come next (`a value`, `a type`, …), or None where a sign has to."""
    goals = machine.tables.gotos[machine.states[-1]]
    return next((words for name, words in _PARTS if name in goals), None)


def expected(machine: Machine) -> str:
    """What could come next, in at most three terms."""
    possible = [kind for kind in machine.tables.actions[machine.states[-1]] if machine.accepts(kind)]
    if "BROKEN_HEAD" in possible:
        return "`agent`, `preset`, `library` or `scenario`"
    first = part(machine) or next((words for kind, words in _ALONE if kind in possible), None)
    # A value or type may begin with a bracket, and any word may be one of the document's.
    hidden = {"LBRACE", "LSQB", "LPAR"} if first in ("a value", "a type") else set()
    hidden |= {"EXTENDS", "FOR"} if "WORD" in possible else set()
    signs = [f"`{sign}`" for kind, sign in SIGNS.items() if kind in possible and kind not in hidden]
    terms = [*([first] if first else []), *signs][:_MOST]
    if len(terms) < 2:
        return terms[0] if terms else "the end of the file"
    return f"{', '.join(terms[:-1])} or {terms[-1]}"


def found(state: State, token: Token) -> str:
    """The token that came instead."""
    kind, start, end = token
    if kind == END:
        return "the end of the file"
    if state.starts_line(start) and not state.fits("BROKEN_HEAD"):
        return "the end of the line"
    return quoted(state.text[start:end])
