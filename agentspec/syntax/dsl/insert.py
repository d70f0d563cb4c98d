"""insert: put in what is missing: a sign, a bracket, or a part that then is broken.

Each function leaves everything alone and gives None, or reports one error and gives the token to go on with.
"""

from __future__ import annotations

import re

from agentspec.syntax.dsl.expect import SIGNS, part
from agentspec.syntax.dsl.gap import Dropped, cut_entry, fill_gap, pass_over
from agentspec.syntax.dsl.lalr import END
from agentspec.syntax.dsl.lexer import Token
from agentspec.syntax.dsl.state import CLOSERS, CLOSING, State
from agentspec.syntax.findings import quoted
from agentspec.text.diagnostic import Fix, Related
from agentspec.text.source import Span

MIXED = "a block holds either rules, each beginning with `when`, or keys"
KEY_FOLLOWS = re.compile(r"[ \t]*(?:[:{]|\+=|=(?![=>]))")
_LINE = re.compile(r"[^\r\n]*")
_AFTER = {"THEN": "the condition"}


def close(state: State) -> None:
    """Report the innermost open bracket as never closed, and close it here; what is unfinished in it is broken."""
    kind, start, end = state.openers[-1]
    if kind != "LBRACE" and state.fits(CLOSERS[kind]):
        _insert(state, CLOSERS[kind], None)
        return
    what = {"LBRACE": "block", "LSQB": "list"}.get(kind, "parenthesis")
    at = state.at
    is_elsewhere = not state.is_same_line(start, at) and bool(state.text[at:].strip())
    related = (Related(Span(state.source, at, at), "it seems to end here"),) if is_elsewhere else ()
    message = f"this {what} is not closed; its `{SIGNS[CLOSERS[kind]]}` is missing"
    state.report.add("AS051", start, end, message, related=related)
    if not state.fits(CLOSERS[kind]):
        if state.fits("BROKEN", CLOSERS[kind]):
            state.take(("BROKEN", at, at))
        else:
            fill_gap(state, cut_entry(state), at)
    if state.openers and state.openers[-1][1] == start:
        state.take((CLOSERS[kind], at, at))


def close_block(state: State, token: Token) -> Token | None:
    """A list or parenthesis ends, and a block in it does not."""
    closers = [CLOSERS[kind] for kind, _, _ in state.openers[:-3:-1]]
    if len(closers) < 2 or closers[0] != "RBRACE" or closers[1] != token[0] or token[0] == "RBRACE":
        return None
    close(state)
    return token


def close_brackets(state: State, token: Token) -> Token | None:
    """Several lists or parentheses end with the block, or with the line, that they stand in."""
    kind, start, end = token
    inner: list[str] = []
    for opener in reversed(state.openers):
        if opener[0] == "LBRACE":
            break
        inner.append(CLOSERS[opener[0]])
    is_end = kind in (END, "RBRACE") or (state.starts_line(start) and KEY_FOLLOWS.match(state.text, end))
    if not inner or not is_end or not state.fits(*inner, kind):
        return None
    for sign in inner:
        _insert(state, sign, None)
    return token


def insert_sign(state: State, token: Token) -> Token | None:
    """One sign or part is missing, and with it the token fits."""
    kind, start, end = token
    is_fresh = state.starts_line(start)
    for sign in _candidates(state, token, is_fresh=is_fresh):
        if state.fits(sign, kind):
            is_at_end = is_fresh or kind in (END, "RBRACE")
            _insert(state, sign, None if is_at_end else (start, end))
            if sign != "LBRACE":
                return token
            state.lexer.move(start)  # inside a block it may be another token: `when`
            return state.next()
    return None


def _candidates(state: State, token: Token, *, is_fresh: bool) -> list[str]:
    """What may be put in before a token, the likeliest first."""
    kind, start, end = token
    if not state.tokens:
        return []
    begins_key = KEY_FOLLOWS.match(state.text, end) is not None
    is_deeper = is_fresh and state.indent(start) > state.indent(state.tokens[-1][1])
    signs = ["BROKEN"] if is_fresh or kind in SIGNS or kind == END else []
    if begins_key and is_fresh:
        return [*signs, "RSQB", *(["LBRACE"] if is_deeper else []), "COMMA", "RPAR"]
    if begins_key and _has_brace_too_many(state, start):
        signs.append("LBRACE")
    if not is_fresh:
        signs.append("COLON")
    return [*signs, "THEN", "COMMA", "RSQB", "RPAR", *(["LBRACE"] if is_deeper else [])]


def _has_brace_too_many(state: State, start: int) -> bool:
    """Whether the line, from here on, closes a block more than are open on it."""
    rest = _LINE.match(state.text, start)
    assert rest is not None
    opened = sum(kind == "LBRACE" and state.is_same_line(first, start) for kind, first, _ in state.openers)
    return rest[0].count("}") > rest[0].count("{") + opened


def take_back_value(state: State, token: Token) -> Token | None:
    """`key:` without a value, and the next line's key was taken for it; likewise for a list that is not closed."""
    if token[0] not in ("COLON", "EQUAL", "APPEND", "LBRACE") or len(state.tokens) < 2:
        return None
    key = state.tokens[-1]
    if key[0] not in state.words | {"STRING"} or state.machine.starts[-1] != key[1]:
        return None
    keep = len(state.machine.states) - 1
    signs = ("BROKEN", "RSQB", "RPAR") if state.starts_line(key[1]) else ()
    for sign in signs or ("LBRACE",) * (state.tokens[-2][0] == "THEN"):
        states = state.machine.states[:keep]
        for kind in (sign, key[0], token[0]):
            states = state.machine.after(kind, states) or [] if states else []
        if states:
            state.drop(keep)
            state.tokens.pop()
            _insert(state, sign, None)
            state.take(key)
            return token
    if not signs or state.machine.after("WHEN", state.machine.states[:keep]) is None:
        return None
    state.drop(keep)
    state.tokens.pop()
    state.report.add("AS057", key[1], key[2], MIXED)
    return pass_over(state, token, Dropped("BROKEN_RULE", key[1], [], 0))


def _insert(state: State, sign: str, place: tuple[int, int] | None) -> None:
    """Report a missing sign or part, at the end of what stands before it where no place is given, and put it in."""
    at = state.at
    start, end = place or (at, at)
    before = quoted(_last_written(state), 30) if state.tokens else ""
    if sign == "COMMA" and state.tokens and not last_text(state):
        state.take((sign, at, at))  # a block was closed right here, and its comma was taken for one inside of it
        return
    if sign == "BROKEN":
        state.report.add("AS056", start, end, f"{part(state.machine) or 'a value'} is missing after {before}")
    else:
        related: tuple[Related, ...] = ()
        if sign in CLOSING and state.openers:
            _, first, last = state.openers[-1]
            related = (Related(Span(state.source, first, last), "opened here"),)
        text = SIGNS[sign]
        message = f"`{text}` is missing after {_AFTER.get(sign, before)}"
        state.report.add("AS055", start, end, message, fix=_insertion(state, sign, at), related=related)
    state.take((sign, at, at))


def _insertion(state: State, sign: str, at: int) -> Fix | None:
    if sign == "LBRACE":
        return None  # where its block ends is anybody's guess
    text = " =>" if sign == "THEN" else SIGNS[sign]
    return state.report.replace(f"insert `{text.strip()}`", at, at, text)


def _last_written(state: State) -> str:
    """The last token that was read: neither one that recovery has put in, nor what it has passed over."""
    read = (token for token in reversed(state.tokens) if token[2] > token[1] and not token[0].startswith("BROKEN"))
    return next((state.text[start:end] for _, start, end in read), "")


def last_text(state: State) -> str:
    _, start, end = state.tokens[-1]
    return state.text[start:end]
