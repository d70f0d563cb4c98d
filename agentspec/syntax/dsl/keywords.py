"""keywords: a misspelt word of the DSL's own is reported as that word and read on as it: `exends`, `preste`, `whne`.

Strategies of the recovery: each leaves everything alone and gives None where it does not help.
"""

from __future__ import annotations

import re
from typing import Final

from agentspec.syntax.dsl.bare import OPERATOR
from agentspec.syntax.dsl.expect import expected
from agentspec.syntax.dsl.lexer import Token
from agentspec.syntax.dsl.state import State
from agentspec.syntax.findings import quoted
from agentspec.text.suggest import nearest

KEYWORDS: Final = {
    "extends": "EXTENDS",
    "agent": "AGENT",
    "preset": "PRESET",
    "library": "LIBRARY",
    "scenario": "SCENARIO",
}
HEADS: Final = {
    "tool": "TOOL",
    "toolkit": "TOOLKIT",
    "mcp": "MCP",
    "resource": "RESOURCE",
    "skill": "SKILL",
    "final": "FINAL",
    "unset": "UNSET",
}
RULE: Final = "when"
FOREIGN: Final = ("if", "case", "on", "match")  # how rules begin elsewhere
MOST_STATES: Final = 3  # of the parser that a key alone makes
_NAME_FOLLOWS: Final = re.compile(r"""[ \t]+["\w]""")


def mend_keyword(state: State, token: Token) -> Token | None:
    """A word where only words of the language can stand, and one of them is near."""
    kind, start, end = token
    if kind != "WORD" or not _NAME_FOLLOWS.match(state.text, end):
        return None
    near = nearest(state.text[start:end], [word for word, name in KEYWORDS.items() if state.fits(name)])
    if not near:
        return None
    _report(state, start, end, f"expected {expected(state.machine)}", near[0])
    state.take((KEYWORDS[near[0]], start, end))
    return state.next()


def mend_when(state: State, token: Token) -> Token | None:
    """`whne CONDITION => …`: it fits nowhere, or was taken for a key that nothing fits behind."""
    if _begins_rule(state, token) and state.starts_line(token[1]) and state.fits("WHEN"):
        return _read_as_rule(state, token)
    last = state.tokens[-1] if state.tokens else None
    if last is None or not _begins_rule(state, last) or not state.is_same_line(last[1], token[1]):
        return None
    depths = range(len(state.machine.states) - 1, max(0, len(state.machine.states) - 1 - MOST_STATES), -1)
    keep = next((depth for depth in depths if state.machine.accepts("WHEN", depth)), None)
    if keep is None:
        return None
    state.drop(keep)
    return _read_as_rule(state, state.tokens.pop())


def mend_first_word(state: State, token: Token) -> Token | None:
    """`tol NAME …`, `fnal KEY …`: it was taken for a key, which no name can follow."""
    if len(state.tokens) < 2 or token[0] not in state.words | {"STRING"}:
        return None
    kind, start, end = state.tokens[-1]
    is_first = state.starts_line(start) or state.tokens[-2][0] == "LBRACE"
    if kind != "WORD" or not is_first or not state.is_same_line(start, token[1]):
        return None
    depths = range(len(state.machine.states) - 1, max(0, len(state.machine.states) - 1 - MOST_STATES), -1)
    keep = next((depth for depth in depths if state.machine.accepts("UNSET", depth)), None)
    if keep is None:
        return None
    known = [word for word, name in HEADS.items() if state.machine.accepts(name, keep)]
    near = nearest(state.text[start:end], known)
    if not near:
        return None
    state.drop(keep)
    state.tokens.pop()
    _report(state, start, end, f"expected {quoted(near[0])}", near[0])
    state.take((HEADS[near[0]], start, end))
    return token


def _begins_rule(state: State, token: Token) -> bool:
    kind, start, end = token
    return kind == "WORD" and state.text[start:end] != RULE and state.lexer.is_condition(end)


def _read_as_rule(state: State, token: Token) -> Token:
    _, start, end = token
    word = state.text[start:end]
    if OPERATOR.match(state.text, end):  # the word is the first of the condition
        fix = state.report.replace(f"insert `{RULE}`", start, start, f"{RULE} ")
        state.report.add("AS055", start, end, f"{quoted(RULE)} is missing before {quoted(word)}", fix=fix)
        end = start
    else:
        meant = RULE if word in FOREIGN else next(iter(nearest(word, [RULE])), None)
        _report(state, start, end, f"expected {quoted(RULE)}", meant)
    state.take(("WHEN", start, end))
    state.lexer.move(end, behind="WHEN")
    return state.next()


def _report(state: State, start: int, end: int, wanted: str, meant: str | None) -> None:
    message = f"{wanted}, found {quoted(state.text[start:end])}"
    fix = state.report.replace(f"write `{meant}`", start, end, meant) if meant else None
    state.report.add("AS050", start, end, message, help=f"did you mean `{meant}`?" if meant else None, fix=fix)
