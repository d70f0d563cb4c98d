"""recovery: report what does not fit and go on, so that one pass finds every error and keeps what is intact.

The strategies are tried in order. Each either leaves everything alone and gives None, or reports one error, changes
the state so that parsing goes on, and gives the token to go on with. The last one always works: it gives up the
innermost entry, leaves a gap with its key in its place, and skips to the next entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agentspec.errors import InternalError
from agentspec.syntax.dsl.expect import SIGNS, expected, found
from agentspec.syntax.dsl.gap import cut_entry, pass_over
from agentspec.syntax.dsl.insert import (
    KEY_FOLLOWS,
    MIXED,
    close,
    close_block,
    close_brackets,
    insert_sign,
    last_text,
    take_back_value,
)
from agentspec.syntax.dsl.keywords import mend_first_word, mend_keyword, mend_when
from agentspec.syntax.dsl.lalr import END
from agentspec.syntax.dsl.lexer import Token
from agentspec.syntax.dsl.state import CLOSING, State
from agentspec.syntax.findings import quoted
from agentspec.syntax.tree import Broken, Entry
from agentspec.text.source import Span

Strategy = Callable[[State, Token], Token | None]

_TO_BRACE = re.compile(r"[^\r\n{]*(?=\{)")
_APART = re.compile(r"-?[0-9]+(?:\.[0-9]+)?[ \t]+[A-Za-zµ%]+")  # a quantity
_PROSE = re.compile(r"(?:(?![ \t]+[\w.\-]+[ \t]*:(?:[ \t\r\n]|\Z))[^\r\n#}])*")
_MEANT = {"ARROW": ("THEN",), "THEN": ("ARROW",), "EQUAL": ("THEN", "COLON"), "COLON": ("ARROW",)}
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
_YAML = "a spec in YAML is named `*.yaml`"
_JSON = "a spec in JSON is named `*.json`"


def recover(state: State, token: Token) -> Token:
    """The token to go on with after one that does not fit; the error is reported."""
    for strategy in STRATEGIES:
        following = strategy(state, token)
        if following is not None:
            return following
    raise InternalError("the last strategy of the DSL's recovery always helps")


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
    text = state.text[first:end]
    if _APART.fullmatch(text):
        fix = state.report.replace("close the gap", first, end, "".join(text.split()))
        state.report.add("AS054", first, end, "a unit stands right behind its number", fix=fix)
    else:
        written = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
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
    while index and (state.tokens[index - 1][0] in state.words or state.tokens[index - 1][0] == "COMMA"):
        index -= 1
    words = state.tokens[index:]
    if len(words) < 2 or index < 2 or state.tokens[index - 1][0] != "COLON":
        return None
    if not state.openers or state.openers[-1][0] != "LBRACE":
        return None
    entries = state.machine.values[-2] if len(state.machine.values) > 1 else None
    last = entries[-1] if isinstance(entries, list) and entries else None
    if not isinstance(last, Entry) or last.value.span.start != words[0][1]:
        return None
    is_single_line = state.is_same_line(words[0][1], words[-1][1])
    is_word = kind in state.words and (kind == "WORD" or not state.ends_line(token[2]))
    is_comma = kind == "COMMA" and words[0][0] != "NUMBER"
    goes_on = (is_word or is_comma) and not state.starts_line(start)
    ends = state.starts_line(start) or kind in (END, "RBRACE")
    return words[0][1] if is_single_line and (goes_on or ends) else None


def _mend_sign(state: State, token: Token) -> Token | None:
    """A sign that is written otherwise: `->` for `=>`, `=` for `:`."""
    kind, start, end = token
    meant = next((sign for sign in _MEANT.get(kind, ()) if state.fits(sign)), None)
    if meant is None:
        return None
    right = SIGNS[meant]
    fix = state.report.replace(f"write `{right}`", start, end, right)
    state.report.add("AS050", start, end, f"`{right}` is written here, not `{state.text[start:end]}`", fix=fix)
    state.take((meant, start, end))
    return state.next()


def _quote_title(state: State, token: Token) -> Token | None:
    """`scenario title …`: a word where the head of a document takes a string only."""
    kind, start, end = token
    if state.openers or kind not in state.words or kind == "NUMBER" or state.starts_line(start) or state.fits("WORD"):
        return None
    if not state.fits("STRING") or state.fits(kind):
        return None
    text = state.text[start:end]
    fix = state.report.replace(f'write `"{text}"`', start, end, f'"{text}"')
    state.report.add("AS054", start, end, f"`{text}` needs quotes here", fix=fix)
    state.take(("STRING", start, end))
    return state.next()


def _mend_head(state: State, token: Token) -> Token | None:
    """The head of a document is garbled, but its block begins on the same line."""
    _, start, end = token
    if state.openers or state.fits("BROKEN_HEAD") or state.starts_line(start):
        return None
    brace = _TO_BRACE.match(state.text, start)
    if brace is None or not (state.fits("LBRACE") or state.fits("BROKEN", "LBRACE")):
        return None
    if not state.fits("LBRACE"):
        state.report.add("AS056", start, end, f"a name is missing after {quoted(last_text(state))}")
        state.take(("BROKEN", state.at, state.at))
    else:
        message = f"expected {expected(state.machine)}, found {found(state, token)}"
        state.report.add("AS050", start, end, message)
    state.lexer.move(brace.end())
    return state.next()


def _misplace(state: State, token: Token) -> Token | None:
    """A head where no head can stand: `tool` outside of `capability`, `when` among keys."""
    if not state.tokens or token[0] not in state.words | {"STRING"}:
        return None
    kind, start, end = state.tokens[-1]
    word = state.text[start:end]
    if not state.is_same_line(start, token[1]) or not state.fits("COLON"):
        return None
    if kind in _PLACES:
        message = f"`{word}` stands only {_PLACES[kind]}; as a key it is followed by `:` or `{{`"
    elif word == "when":
        message = MIXED
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
    return pass_over(state, following, cut_entry(state))


def _skip(state: State, token: Token) -> Token:
    """Nothing helps: the entry is broken, and parsing goes on with the next."""
    kind, start, end = token
    is_outside = not state.openers and state.fits("BROKEN_HEAD")
    is_at_end = state.starts_line(start) or kind in (END, "RBRACE")
    place = (state.at, state.at) if is_at_end and state.tokens and not is_outside else (start, end)
    code = "AS060" if is_outside else "AS050"
    message = f"expected {expected(state.machine)}, found {found(state, token)}"
    state.report.add(code, *place, message, help=_other_spelling(state, token))
    return pass_over(state, token, cut_entry(state))


def _other_spelling(state: State, token: Token) -> str | None:
    """How a file is named that begins as this one does, where it begins in another spelling."""
    if state.tokens:
        return None
    if token[0] == "LBRACE":
        return _JSON
    return _YAML if KEY_FOLLOWS.match(state.text, token[2]) is not None else None


STRATEGIES: tuple[Strategy, ...] = (
    _close_at_end,
    mend_keyword,
    mend_when,
    mend_first_word,
    _quote_text,
    _mend_sign,
    take_back_value,
    _misplace,
    _quote_title,
    _mend_head,
    close_brackets,
    close_block,
    insert_sign,
    _drop_stray,
    _skip,
)
