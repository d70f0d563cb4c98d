"""json_path_parse: a JSONPath query (RFC 9535) as records. What is not well formed or typed is refused in words."""

from __future__ import annotations

import json
import re

from agentspec.adapters.tools.pure.json_path_cursor import Cursor
from agentspec.adapters.tools.pure.json_path_parts import (
    Call,
    Compare,
    Filter,
    Index,
    Junction,
    Literal,
    Name,
    Negation,
    Operand,
    Query,
    Segment,
    Selector,
    Slice,
    Test,
    Wildcard,
)
from agentspec.adapters.tools.pure.pure import Unfit

LONGEST = 2000
DEEPEST = 20

_SHORT = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_SIGN = re.compile(r"==|!=|<=|>=|<|>")
_WORDS = {"true": True, "false": False, "null": None}


# What each argument of a function has to be, and whether it gives a value or is true or false (RFC 9535, 2.4).
FUNCTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "length": (("value",), "value"),
    "count": (("nodes",), "value"),
    "value": (("nodes",), "value"),
    "match": (("value", "value"), "truth"),
    "search": (("value", "value"), "truth"),
}


def parse_query(text: str) -> Query:
    """A whole query, from `$` on. Raises `Unfit`."""
    if len(text) > LONGEST:
        raise Unfit(f"the query has {len(text)} characters; at most {LONGEST} are taken")
    if not text.startswith("$"):
        raise Unfit("a query begins with `$`, the whole document: `$.items[0].name`")
    cursor = Cursor(text)
    query = _Parser(cursor).query()
    if cursor.at < len(text):
        raise cursor.unexpected()
    return query


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._depth = 0

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unfit(f"the query is nested more than {DEEPEST} deep")

    # --- segments and selectors

    def query(self) -> Query:
        self._deeper()
        from_root = self._cursor.text[self._cursor.at] == "$"
        self._cursor.at += 1
        segments: list[Segment] = []
        while (segment := self._segment()) is not None:
            segments.append(segment)
        self._depth -= 1
        return Query(from_root, tuple(segments))

    def _segment(self) -> Segment | None:
        before = self._cursor.at
        self._cursor.skip()
        if self._cursor.sees("["):
            return Segment(self._bracketed(), is_deep=False)
        if self._cursor.takes(".."):
            return Segment(self._bracketed() if self._cursor.sees("[") else (self._short(),), is_deep=True)
        if self._cursor.takes("."):
            return Segment((self._short(),), is_deep=False)
        self._cursor.at = before
        return None

    def _short(self) -> Selector:
        if self._cursor.takes("*"):
            return Wildcard()
        name = self._cursor.read(_SHORT)
        if name is None:
            raise self._cursor.unexpected()
        return Name(name)

    def _bracketed(self) -> tuple[Selector, ...]:
        self._cursor.need("[")
        selectors = [self._selector()]
        self._cursor.skip()
        while self._cursor.takes(","):
            selectors.append(self._selector())
            self._cursor.skip()
        self._cursor.need("]")
        return tuple(selectors)

    def _selector(self) -> Selector:
        self._cursor.skip()
        if self._cursor.takes("*"):
            return Wildcard()
        if self._cursor.takes("?"):
            return Filter(self._either())
        if self._cursor.sees("'") or self._cursor.sees('"'):
            return Name(self._cursor.string())
        start = self._cursor.whole()
        before = self._cursor.at
        self._cursor.skip()
        if not self._cursor.takes(":"):
            self._cursor.at = before
            if start is None:
                raise self._cursor.unexpected()
            return Index(start)
        self._cursor.skip()
        end = self._cursor.whole()
        self._cursor.skip()
        step = None
        if self._cursor.takes(":"):
            self._cursor.skip()
            step = self._cursor.whole()
        return Slice(start, end, 1 if step is None else step)

    # --- filters

    def _either(self) -> Test:
        self._deeper()
        parts = [self._both()]
        self._cursor.skip()
        while self._cursor.takes("||"):
            parts.append(self._both())
            self._cursor.skip()
        self._depth -= 1
        return parts[0] if len(parts) == 1 else Junction(is_all=False, parts=tuple(parts))

    def _both(self) -> Test:
        parts = [self._basic()]
        self._cursor.skip()
        while self._cursor.takes("&&"):
            parts.append(self._basic())
            self._cursor.skip()
        return parts[0] if len(parts) == 1 else Junction(is_all=True, parts=tuple(parts))

    def _basic(self) -> Test:
        self._cursor.skip()
        if self._cursor.takes("!"):
            self._cursor.skip()
            if self._cursor.takes("("):
                return Negation(self._closed())
            return Negation(self._truth(self._operand()))
        if self._cursor.takes("("):
            return self._closed()
        left = self._operand()
        before = self._cursor.at
        self._cursor.skip()
        sign = self._cursor.read(_SIGN)
        if sign is None:
            self._cursor.at = before
            return self._truth(left)
        self._cursor.skip()
        return Compare(sign, _comparable(left), _comparable(self._operand()))

    def _closed(self) -> Test:
        inner = self._either()
        self._cursor.need(")")
        return inner

    def _truth(self, operand: Operand) -> Test:
        match operand:
            case Query():
                return operand
            case Call(name) if FUNCTIONS[name][1] == "truth":
                return operand
            case Call(name):
                raise Unfit(f"`{name}` gives a value: compare it with something")
            case Literal(value):
                raise Unfit(f"`{json.dumps(value)}` alone is no condition: compare it with something")

    def _operand(self) -> Operand:
        if self._cursor.sees("@") or self._cursor.sees("$"):
            return self.query()
        if self._cursor.sees("'") or self._cursor.sees('"'):
            return Literal(self._cursor.string())
        number = self._cursor.read(_NUMBER)
        if number is not None:
            return Literal(float(number) if set(number) & set(".eE") else int(number))
        word = self._cursor.read(_WORD)
        if word is None:
            raise self._cursor.unexpected()
        return Literal(_WORDS[word]) if word in _WORDS else self._call(word)

    def _call(self, name: str) -> Call:
        if name not in FUNCTIONS or not self._cursor.takes("("):
            raise Unfit(f"`{name}` is no function of a query; known: {', '.join(FUNCTIONS)}")
        self._deeper()
        arguments: list[Operand] = []
        self._cursor.skip()
        while not self._cursor.sees(")"):
            if arguments:
                self._cursor.need(",")
                self._cursor.skip()
            arguments.append(self._operand())
            self._cursor.skip()
        self._cursor.need(")")
        self._depth -= 1
        wanted = FUNCTIONS[name][0]
        if len(arguments) != len(wanted):
            raise Unfit(f"`{name}` takes {len(wanted)} values, not {len(arguments)}")
        for kind, argument in zip(wanted, arguments, strict=True):
            _require_kind(name, kind, argument)
        return Call(name, tuple(arguments))


def _require_kind(name: str, kind: str, argument: Operand) -> None:
    if kind == "nodes" and not isinstance(argument, Query):
        raise Unfit(f"`{name}` takes a query such as `@.items`")
    if kind == "value":
        _comparable(argument)


def _comparable(operand: Operand) -> Operand:
    """What stands for one value: not a query that may find several, not a function that is true or false."""
    match operand:
        case Query() if not operand.is_singular:
            raise Unfit("a query that may find several values can't be compared; name one, such as `@.items[0]`")
        case Call(name) if FUNCTIONS[name][1] == "truth":
            raise Unfit(f"`{name}` is true or false by itself: it can't be compared")
        case _:
            return operand
