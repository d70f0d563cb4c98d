"""keywords: a misspelt word of the DSL's own is reported as that word and read on as it: `exends`, `preste`, `whne`.

Strategies of the recovery: each leaves everything alone and gives None where it does not help.
"""

from __future__ import annotations

import re
from typing import Final

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
RULE: Final = "when"
_RULE_LINE: Final = re.compile(r'(?:[^"\r\n#]|"[^"\r\n]*")*?=>')
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
    """`whne CONDITION => …`: the word was taken for a key, and what follows it does not fit."""
    if not state.tokens or state.tokens[-1][0] != "WORD" or not state.is_same_line(state.tokens[-1][1], token[1]):
        return None
    _, start, end = state.tokens[-1]
    keep = len(state.machine.states) - 1
    if not _RULE_LINE.match(state.text, end) or not state.machine.accepts("WHEN", keep):
        return None
    state.drop(keep)
    state.tokens.pop()
    _report(state, start, end, f"expected {quoted(RULE)}", next(iter(nearest(state.text[start:end], [RULE])), None))
    state.take(("WHEN", start, end))
    state.lexer.move(end, behind="WHEN")
    return state.next()


def _report(state: State, start: int, end: int, wanted: str, meant: str | None) -> None:
    message = f"{wanted}, found {quoted(state.text[start:end])}"
    fix = state.report.replace(f"write `{meant}`", start, end, meant) if meant else None
    state.report.add("AS050", start, end, message, help=f"did you mean `{meant}`?" if meant else None, fix=fix)
