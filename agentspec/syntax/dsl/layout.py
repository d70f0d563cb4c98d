"""layout: find missing and surplus brackets by comparing indents with them.

Only for a text whose brackets do not add up: in any other the layout is the author's own affair.
"""

from __future__ import annotations

from agentspec.syntax.dsl.insert import close
from agentspec.syntax.dsl.lexer import Token
from agentspec.syntax.dsl.state import CLOSERS, CLOSING, HEADS, State


def close_by_indent(state: State, token: Token) -> Token:
    """The token to go on with, after closing what its indent says was left open and passing what closes nothing."""
    kind, start, _ = token
    if not state.openers:
        return token
    if not state.starts_line(start):
        return _pass_stray(state, token) if kind == "RBRACE" and _begins_above(state, start) else token
    if kind in HEADS and state.begins_document(start):
        while state.openers:
            close(state)
        return token
    here = state.indent(start)
    is_closed = False
    while state.openers and _is_left_open(state, kind, here):
        close(state)
        is_closed = True
    if is_closed and kind == "WORD":
        state.lexer.move(start)  # outside of the block it may be another token: `when`
        token = state.next()
        kind = token[0]
    if kind in CLOSING and state.openers and here > state.indent(state.openers[-1][1]):
        return _pass_stray(state, token)
    return token


def _pass_stray(state: State, token: Token) -> Token:
    _, start, end = token
    sign = state.text[start:end]
    fix = state.report.replace(f"remove `{sign}`", start, end, "")
    state.report.add("AS052", start, end, f"this `{sign}` closes nothing", fix=fix)
    return close_by_indent(state, state.next())


def _begins_above(state: State, start: int) -> bool:
    """Whether the innermost bracket opens a block of several lines, which a `}` at the end of one can hardly close."""
    _, first, last = state.openers[-1]
    return state.ends_line(last) and not state.is_same_line(first, start)


def _is_left_open(state: State, kind: str, here: int) -> bool:
    """Whether the innermost bracket should have been closed before this token's line."""
    opener, start, _ = state.openers[-1]
    own = state.indent(start)
    return here < own or (here == own and kind != CLOSERS[opener])
