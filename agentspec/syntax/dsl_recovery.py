"""dsl_recovery: report what does not fit and go on, so that one pass finds every error and keeps what is intact.

The strategies are tried in order. Each either leaves everything alone and gives None, or reports one error, changes
the state so that parsing goes on, and gives the token to go on with. The last one always works: it gives up the
innermost entry, leaves a gap with its key in its place, and skips to the next entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agentspec.errors import InternalError
from agentspec.syntax.dsl_expect import SIGNS, expected, found, part
from agentspec.syntax.dsl_gap import Dropped, cut_entry, fill_gap, pass_over
from agentspec.syntax.dsl_lexer import Token
from agentspec.syntax.dsl_state import CLOSERS, CLOSING, KEYWORDS, State
from agentspec.syntax.findings import quoted
from agentspec.syntax.lalr import END
from agentspec.syntax.tree import Broken, Entry
from agentspec.text.diagnostic import Fix, Related
from agentspec.text.source import Span

Strategy = Callable[[State, Token], Token | None]

_KEY_FOLLOWS = re.compile(r"[ \t]*(?:[:{]|\+=|=(?![=>]))")
_LINE = re.compile(r"[^\r\n]*")
_TO_BRACE = re.compile(r"[^\r\n{]*(?=\{)")
_PROSE = re.compile(r"(?:(?![ \t]+[\w.\-]+[ \t]*:(?:[ \t\r\n]|\Z))[^\r\n#}])*")
_WORDS = frozenset(("WORD", "NUMBER", *KEYWORDS))
_TAKEN_FOR = {"ARROW": "THEN", "THEN": "ARROW", "EQUAL": "COLON", "COLON": "ARROW"}
_PLACES = {
    "TOOL": "directly in `capability { … }`",
    "TOOLKIT": "directly in `capability { … }`",
    "MCP": "directly in `capability { … }`",
    "RESOURCE": "directly in `capability { … }`",
    "SKILL": "directly in `capability { … }`",
    "AGENT": "at the top of the file",
    "PRESET": "at the top of the file",
    "LIBRARY": "at the top of the file",
    "SCENARIO": "at the top of the file",
}
_STRAY = frozenset(("RPAR", "RSQB", "COMMA", "QMARK", "VBAR", "ARROW", "THEN"))
_MIXED = "a block holds either rules, each beginning with `when`, or keys"
_YAML = "a spec in YAML is named `*.yaml`"
_AFTER = {"THEN": "the condition"}


def recover(state: State, token: Token) -> Token:
    """The token to go on with after one that does not fit; the error is reported."""
    for strategy in STRATEGIES:
        following = strategy(state, token)
        if following is not None:
            return following
    raise InternalError("the last strategy of the DSL's recovery always helps")


def close(state: State) -> None:
    """Report the innermost open bracket as never closed, and close it here; what is unfinished in it is broken."""
    kind, start, end = state.openers[-1]
    if kind != "LBRACE" and state.fits(CLOSERS[kind]):
        _insert(state, CLOSERS[kind], None)
        return
    what = {"LBRACE": "block", "LSQB": "list"}.get(kind, "parenthesis")
    state.report.add("AS051", start, end, f"this {what} is not closed; its `{SIGNS[CLOSERS[kind]]}` is missing")
    at = state.at
    if not state.fits(CLOSERS[kind]):
        if state.fits("BROKEN", CLOSERS[kind]):
            state.take(("BROKEN", at, at))
        else:
            fill_gap(state, cut_entry(state), at)
    if state.openers and state.openers[-1][1] == start:
        state.take((CLOSERS[kind], at, at))


# Strategies.


def _close_at_end(state: State, token: Token) -> Token | None:
    """The text ends with open brackets."""
    if token[0] != END or not state.openers:
        return None
    close(state)
    state.lowering.has_broken = True  # what the text ended before is not known
    return token


def _quote_text(state: State, token: Token) -> Token | None:
    """`key: several words` without quotes: the first word was taken for the value and the next for a key."""
    first = _prose_start(state, token)
    if first is None:
        return None
    entries = state.machine.values[-2]
    prose = _PROSE.match(state.text, first)
    assert prose is not None
    end = first + len(prose[0].rstrip(" \t,"))
    written = '"' + state.text[first:end].replace("\\", "\\\\").replace('"', '\\"') + '"'
    fix = state.report.replace("put quotes around it", first, end, written)
    state.report.add("AS054", first, end, "a text of several words needs quotes", fix=fix)
    state.drop(len(state.machine.states) - 1)
    entries[-1].value = Broken(span=Span(state.source, first, end))
    state.lowering.has_broken = True
    state.lexer.move(end)
    return state.next()


def _prose_start(state: State, token: Token) -> int | None:
    """Where a text begins that lacks its quotes, if the tokens before this one look like that."""
    kind, start, _ = token
    index = len(state.tokens)
    while index and (state.tokens[index - 1][0] in _WORDS or state.tokens[index - 1][0] == "COMMA"):
        index -= 1
    words = state.tokens[index:]
    if len(words) < 2 or index < 2 or state.tokens[index - 1][0] != "COLON" or state.openers[-1][0] != "LBRACE":
        return None
    entries = state.machine.values[-2] if len(state.machine.values) > 1 else None
    last = entries[-1] if isinstance(entries, list) and entries else None
    if not isinstance(last, Entry) or last.value.span.start != words[0][1]:
        return None
    is_single_line = state.is_same_line(words[0][1], words[-1][1])
    is_word = kind in _WORDS and (kind == "WORD" or not state.ends_line(token[2]))
    is_comma = kind == "COMMA" and words[0][0] != "NUMBER"
    goes_on = (is_word or is_comma) and not state.starts_line(start)
    ends = state.starts_line(start) or kind in (END, "RBRACE")
    return words[0][1] if is_single_line and (goes_on or ends) else None


def _mend_sign(state: State, token: Token) -> Token | None:
    """A sign that is written otherwise: `->` for `=>`, `=` for `:`."""
    kind, start, end = token
    meant = _TAKEN_FOR.get(kind)
    if meant is None or not state.fits(meant):
        return None
    right = SIGNS[meant]
    fix = state.report.replace(f"write `{right}`", start, end, right)
    state.report.add("AS050", start, end, f"`{right}` is written here, not `{state.text[start:end]}`", fix=fix)
    state.take((meant, start, end))
    return state.next()


def _take_back_value(state: State, token: Token) -> Token | None:
    """`key:` without a value, and the next line's key was taken for it; likewise for a list that is not closed."""
    if token[0] not in ("COLON", "EQUAL", "APPEND", "LBRACE") or len(state.tokens) < 2:
        return None
    key = state.tokens[-1]
    if key[0] not in _WORDS | {"STRING"} or state.machine.starts[-1] != key[1]:
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
    state.report.add("AS057", key[1], key[2], _MIXED)
    return pass_over(state, token, Dropped("BROKEN_RULE", key[1], [], 0))


def _mend_head(state: State, token: Token) -> Token | None:
    """The head of a document is garbled, but its block begins on the same line."""
    _, start, end = token
    if state.openers or state.fits("BROKEN_HEAD") or state.starts_line(start):
        return None
    brace = _TO_BRACE.match(state.text, start)
    if brace is None or not (state.fits("LBRACE") or state.fits("BROKEN", "LBRACE")):
        return None
    if not state.fits("LBRACE"):
        state.report.add("AS056", start, end, f"a name is missing after {quoted(_last(state))}")
        state.take(("BROKEN", state.at, state.at))
    else:
        message = f"expected {expected(state.machine)}, found {found(state, token)}"
        state.report.add("AS050", start, end, message)
    state.lexer.move(brace.end())
    return state.next()


def _last(state: State) -> str:
    _, start, end = state.tokens[-1]
    return state.text[start:end]


def _insert_sign(state: State, token: Token) -> Token | None:
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
    begins_key = _KEY_FOLLOWS.match(state.text, end) is not None
    is_deeper = is_fresh and state.indent(start) > state.indent(state.tokens[-1][1])
    signs = ["BROKEN"] if is_fresh or kind in CLOSING or kind in ("COMMA", "LBRACE", "LPAR", "THEN", END) else []
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


def _insert(state: State, sign: str, place: tuple[int, int] | None) -> None:
    """Report a missing sign or part, at the end of what stands before it where no place is given, and put it in."""
    at = state.at
    start, end = place or (at, at)
    before = quoted(_last(state), 30) if state.tokens else ""
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


def _close_brackets(state: State, token: Token) -> Token | None:
    """Several lists or parentheses end with the block, or with the line, that they stand in."""
    kind, start, end = token
    inner: list[str] = []
    for opener in reversed(state.openers):
        if opener[0] == "LBRACE":
            break
        inner.append(CLOSERS[opener[0]])
    is_end = kind in (END, "RBRACE") or (state.starts_line(start) and _KEY_FOLLOWS.match(state.text, end))
    if not inner or not is_end or not state.fits(*inner, kind):
        return None
    for sign in inner:
        _insert(state, sign, None)
    return token


def _close_block(state: State, token: Token) -> Token | None:
    """A list or parenthesis ends, and a block in it does not."""
    closers = [CLOSERS[kind] for kind, _, _ in state.openers[:-3:-1]]
    if len(closers) < 2 or closers[0] != "RBRACE" or closers[1] != token[0] or token[0] == "RBRACE":
        return None
    close(state)
    return token


def _misplace(state: State, token: Token) -> Token | None:
    """A head where no head can stand: `tool` outside of `capability`, `when` among keys."""
    if not state.tokens or token[0] not in _WORDS | {"STRING"}:
        return None
    kind, start, end = state.tokens[-1]
    word = state.text[start:end]
    if not state.is_same_line(start, token[1]) or not state.fits("COLON"):
        return None
    if kind in _PLACES:
        message = f"`{word}` stands only {_PLACES[kind]}; as a key it is followed by `:` or `{{`"
    elif word == "when":
        message = _MIXED
    else:
        return None
    state.report.add("AS057", start, end, message)
    dropped = cut_entry(state)
    return pass_over(state, token, dropped._replace(parts=[]))


def _drop_stray(state: State, token: Token) -> Token | None:
    """A sign that closes or separates nothing, after which all goes on."""
    kind, start, end = token
    if kind not in _STRAY and not (kind == "RBRACE" and not state.openers):
        return None
    sign = state.text[start:end]
    fix = state.report.replace(f"remove `{sign}`", start, end, "")
    if kind in CLOSING:
        state.report.add("AS052", start, end, f"this `{sign}` closes nothing", fix=fix)
    else:
        state.report.add("AS050", start, end, f"expected {expected(state.machine)}, found `{sign}`", fix=fix)
    following = state.next()
    if state.fits(following[0]) or following[0] in (END, *CLOSING):
        return following
    state.report.muted = True
    return pass_over(state, following, cut_entry(state))


def _skip(state: State, token: Token) -> Token:
    """Nothing helps: the entry is broken, and parsing goes on with the next."""
    kind, start, end = token
    is_outside = not state.openers and state.fits("BROKEN_HEAD")
    is_at_end = state.starts_line(start) or kind in (END, "RBRACE")
    place = (state.at, state.at) if is_at_end and state.tokens and not is_outside else (start, end)
    code = "AS060" if is_outside else "AS050"
    message = f"expected {expected(state.machine)}, found {found(state, token)}"
    state.report.add(code, *place, message, help=_YAML if _looks_like_yaml(state, token) else None)
    return pass_over(state, token, cut_entry(state))


def _looks_like_yaml(state: State, token: Token) -> bool:
    return not state.tokens and _KEY_FOLLOWS.match(state.text, token[2]) is not None


STRATEGIES: tuple[Strategy, ...] = (
    _close_at_end,
    _quote_text,
    _mend_sign,
    _take_back_value,
    _misplace,
    _mend_head,
    _close_brackets,
    _close_block,
    _insert_sign,
    _drop_stray,
    _skip,
)
