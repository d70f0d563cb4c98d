"""arguments: read the argument text of one tool call, repairing its form once.

Never guesses content: text that stops in the middle of something, or that the output limit has cut, is a problem for
the model to mend, not a call with half its arguments.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

import msgspec

from agentspec.core.calls.cap import encodable
from agentspec.core.record import Record

MAX_CHARACTERS = 8 * 1024 * 1024
MAX_REPAIRED = 1024 * 1024  # a repair reads token by token
MAX_DEPTH = 64
_PREVIEW = 60  # characters on each side of the fault

_FENCE = re.compile(r"\s*```[a-zA-Z0-9]*\s*\n?(.*?)\s*```\s*\Z", re.DOTALL)
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<single>'(?:[^'\\]|\\.)*')
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<comma>,)
    | (?P<colon>:)
    | (?P<number>-?\d[\w.+-]*)
    | (?P<word>[A-Za-z_]\w*)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}
_CLOSERS = {"{": "}", "[": "]"}
_PLAIN = frozenset((str, int, bool))  # a whole number of more than 64 bits is read as a float: not by this reader
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Parsed(Record, frozen=True):
    """What an argument text says: `arguments`, or else a `problem` in words for the model."""

    arguments: dict[str, Any] | None
    repaired: bool = False
    problem: str = ""


class Unreadable(ValueError):
    """Strict JSON says no; `position` in characters where it is known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


def parse(text: str | None, *, was_cut: bool = False) -> Parsed:
    """Read the arguments of a call; with `was_cut` (nothing said that the reply is complete) none is repaired.

    Empty and blank text, and the word `None`, are no arguments at all.

    >>> parse('{"path": "a.txt",}')
    Parsed(arguments={'path': 'a.txt'}, repaired=True, problem='')
    """
    plain = _plain(text) if text and len(text) <= MAX_CHARACTERS else None
    if plain is not None:
        return Parsed(plain)
    if text is None or not text or text.isspace() or text.strip() == "None":
        return Parsed(None, problem=_cut("")) if was_cut else Parsed({})
    if len(text) > MAX_CHARACTERS:
        return Parsed(None, problem=f"the arguments are {len(text)} characters long; at most {MAX_CHARACTERS} are read")
    try:
        value, repaired = _strict(text), False
    except Unreadable as fault:
        if was_cut:
            return Parsed(None, problem=_cut(text))
        mended = _mend(text)
        if mended is None:
            return Parsed(None, problem=_words(text, fault))
        value, repaired = mended, True
    if isinstance(value, str) and not was_cut and (inner := _inner(value)) is not None:
        value, repaired = inner, True
    if not isinstance(value, dict):
        return Parsed(None, problem=f"the arguments must be a JSON object, not {_kind(value)}: {_preview(text, 0)}")
    return Parsed(value, repaired)


def decode(text: str) -> Any:
    """Standard JSON without what the standard library lets pass: NaN, infinities, duplicate keys, lone surrogates.

    Raises `Unreadable`.
    """
    plain = _plain(text)
    return _strict(text) if plain is None else plain


def _strict(text: str) -> Any:
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise Unreadable(f"more than {MAX_DEPTH} levels of nesting")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Unreadable(error.msg[:1].lower() + error.msg[1:], error.pos) from error
    except (ValueError, RecursionError) as error:  # an integer of more than 4 300 digits
        raise Unreadable(str(error)) from error
    if "\\u" in text or not text.isascii():
        return _encodable(value)
    return value


def _plain(text: str) -> dict[str, Any] | None:
    """An object of words and whole numbers, by a reader that is faster and less strict; None where they may differ.

    It takes a key that is given twice: then there are more colons than keys.
    """
    if "\\u" in text:
        return None
    try:
        value = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None
    if type(value) is not dict or len(value) != text.count(":"):
        return None
    return value if _PLAIN.issuperset(map(type, value.values())) else None


def _depth(text: str) -> int:
    """The deepest nesting of brackets outside strings; a broken text may give any number."""
    deepest = level = 0
    for piece in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text, re.DOTALL):
        mark = piece[0]
        if mark in "[{":
            level += 1
            deepest = max(deepest, level)
        elif mark in "]}":
            level -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Unreadable(f"the key `{_clip(key)}` is given twice")
            seen.add(key)
    return found


def _no_constant(name: str) -> NoReturn:
    raise Unreadable(f"`{name}` is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Unreadable(f"the number `{_clip(text)}` is too large")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)


def _encodable(value: Any) -> Any:
    """The same value with U+FFFD for lone surrogates, which no UTF-8 text can carry."""
    match value:
        case str():
            return encodable(value)
        case list():
            return [_encodable(item) for item in value]
        case dict():
            return {_encodable(key): _encodable(item) for key, item in value.items()}
        case _:
            return value


def _mend(text: str) -> Any:
    """The value of a text that is JSON but for its form, or None."""
    if len(text) > MAX_REPAIRED:
        return None
    fenced = _FENCE.match(text)
    rewritten = _rewrite(fenced[1] if fenced else text)
    if rewritten is None:
        return None
    try:
        return decode(rewritten)
    except Unreadable:
        return None


def _rewrite(text: str) -> str | None:
    """JSON for the tokens of `text`: quotes and literals changed, a trailing comma dropped, the end closed."""
    out: list[str] = []
    kinds: list[str] = [""]
    stack: list[str] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        token = _TOKEN.match(text, position)
        piece = token and _piece(token, stack)
        if token is None or piece is None:
            return None
        kind = str(token.lastgroup)
        if kind == "close" and kinds[-1] == "comma" and kinds[-2] not in ("open", "comma", "colon"):
            out.pop()
        out.append(piece)
        kinds.append(kind)
        position = token.end()
    # A number at the very end may lack digits, and after a comma or colon something is missing: not ours to invent.
    if stack and kinds[-1] not in ("string", "single", "close", "word"):
        return None
    return "".join(out) + "".join(reversed(stack))


def _piece(token: re.Match[str], stack: list[str]) -> str | None:
    """One token as strict JSON, or None where it has no place; `stack` holds the brackets that are still to close."""
    piece = token[str(token.lastgroup)]
    match token.lastgroup:
        case "string" | "single":
            return _requoted(piece)
        case "word":
            return _WORDS.get(piece)
        case "open":
            stack.append(_CLOSERS[piece])
        case "close" if not stack or stack.pop() != piece:
            return None
        case _:
            pass
    return piece


def _requoted(token: str) -> str:
    """A string token as strict JSON: double quotes outside, raw control characters and `\\'` mended."""
    body = _ESCAPE.sub(lambda found: "'" if found[1] == "'" else found[0], token[1:-1])
    if token[0] == "'":
        body = re.sub(r'(\\.)|"', lambda found: found[1] or '\\"', body, flags=re.DOTALL)
    return '"' + _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", body) + '"'


def _inner(value: str) -> dict[str, Any] | None:
    """The object that was encoded twice, or None."""
    try:
        inner = decode(value)
    except Unreadable:
        return None
    return inner if isinstance(inner, dict) else None


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case _:
            return "a list"


def _clip(text: str) -> str:
    return _printable(text if len(text) <= _PREVIEW else text[:_PREVIEW] + "…")


def _printable(text: str) -> str:
    return _CONTROL.sub(" ", encodable(text))


def _preview(text: str, position: int) -> str:
    """The text around a position, bounded: a broken payload must not fill the next request (half a megabyte did)."""
    start = max(0, position - _PREVIEW)
    shown = text[start : position + _PREVIEW]
    shown = ("…" if start else "") + _printable(shown) + ("…" if position + _PREVIEW < len(text) else "")
    return f"`{shown}`"


def _words(text: str, fault: Unreadable) -> str:
    if fault.position is None:
        return f"the arguments are not valid JSON: {fault.message}; {len(text)} characters: {_preview(text, 0)}"
    at = f"at character {fault.position + 1} of {len(text)}" if fault.position < len(text) else "at their end"
    shown = _preview(text, fault.position)
    return f"the arguments are not valid JSON: {fault.message} {at}, near {shown}; send the whole call again"


def _cut(text: str) -> str:
    return (
        "the reply was cut off, or did not say that it was complete, "
        f"after {len(text)} characters of arguments, so the call was not run; "
        "send it again, with less in one call if it was long"
    )
