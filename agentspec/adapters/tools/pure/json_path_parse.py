"""json_path_parse: a JSONPath query (RFC 9535) as records. What is not well formed or typed is refused in words."""

from __future__ import annotations

import json
import re

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
from agentspec.core.calls.cap import encodable

LONGEST = 2000
DEEPEST = 20
MOST_WHOLE = 2**53 - 1

_BLANK = re.compile(r"[ \t\n\r]*")
_SHORT = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*")
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_SIGN = re.compile(r"==|!=|<=|>=|<|>")
_STRING = re.compile(r"'(?:[^'\\\x00-\x1f]|\\.)*'|\"(?:[^\"\\\x00-\x1f]|\\.)*\"")
_ESCAPE = re.compile(r"\\.|\"", re.DOTALL)
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
    parser = _Parser(text)
    query = parser.query()
    if parser.at < len(text):
        raise parser.unexpected()
    return query


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._depth = 0

    def unexpected(self) -> Unfit:
        if self.at >= len(self.text):
            return Unfit("the query ends too early")
        return Unfit(f"unexpected `{self.text[self.at]}` at character {self.at + 1} of the query")

    # --- pieces of text

    def _skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _sees(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def _takes(self, sign: str) -> bool:
        if not self._sees(sign):
            return False
        self.at += len(sign)
        return True

    def _need(self, sign: str) -> None:
        self._skip()
        if not self._takes(sign):
            raise self.unexpected()

    def _read(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unfit(f"the query is nested more than {DEEPEST} deep")

    # --- segments and selectors

    def query(self) -> Query:
        self._deeper()
        from_root = self.text[self.at] == "$"
        self.at += 1
        segments: list[Segment] = []
        while (segment := self._segment()) is not None:
            segments.append(segment)
        self._depth -= 1
        return Query(from_root, tuple(segments))

    def _segment(self) -> Segment | None:
        before = self.at
        self._skip()
        if self._sees("["):
            return Segment(self._bracketed(), is_deep=False)
        if self._takes(".."):
            return Segment(self._bracketed() if self._sees("[") else (self._short(),), is_deep=True)
        if self._takes("."):
            return Segment((self._short(),), is_deep=False)
        self.at = before
        return None

    def _short(self) -> Selector:
        if self._takes("*"):
            return Wildcard()
        name = self._read(_SHORT)
        if name is None:
            raise self.unexpected()
        return Name(name)

    def _bracketed(self) -> tuple[Selector, ...]:
        self._need("[")
        selectors = [self._selector()]
        self._skip()
        while self._takes(","):
            selectors.append(self._selector())
            self._skip()
        self._need("]")
        return tuple(selectors)

    def _selector(self) -> Selector:
        self._skip()
        if self._takes("*"):
            return Wildcard()
        if self._takes("?"):
            return Filter(self._either())
        if self._sees("'") or self._sees('"'):
            return Name(self._string())
        start = self._whole()
        before = self.at
        self._skip()
        if not self._takes(":"):
            self.at = before
            if start is None:
                raise self.unexpected()
            return Index(start)
        self._skip()
        end = self._whole()
        self._skip()
        step = None
        if self._takes(":"):
            self._skip()
            step = self._whole()
        return Slice(start, end, 1 if step is None else step)

    def _whole(self) -> int | None:
        text = self._read(_WHOLE)
        if text is None:
            return None
        if abs(int(text)) > MOST_WHOLE:
            raise Unfit(f"`{text[:40]}` is too large for an index")
        return int(text)

    def _string(self) -> str:
        quoted = self._read(_STRING)
        if quoted is None:
            raise Unfit(f"the text that begins at character {self.at + 1} of the query never ends")
        own, foreign = ('\\"', "\\'") if quoted[0] == '"' else ("\\'", '\\"')
        try:
            if foreign in quoted.replace("\\\\", ""):
                raise ValueError(foreign)
            text = json.loads(_as_json(quoted, own))
        except ValueError:
            raise Unfit(f"the text {quoted[:60]} has an escape that JSON does not know") from None
        if encodable(text) != text:
            raise Unfit(f"the text {quoted[:60]} holds half of a surrogate pair, which is no character")
        return str(text)

    # --- filters

    def _either(self) -> Test:
        self._deeper()
        parts = [self._both()]
        self._skip()
        while self._takes("||"):
            parts.append(self._both())
            self._skip()
        self._depth -= 1
        return parts[0] if len(parts) == 1 else Junction(is_all=False, parts=tuple(parts))

    def _both(self) -> Test:
        parts = [self._basic()]
        self._skip()
        while self._takes("&&"):
            parts.append(self._basic())
            self._skip()
        return parts[0] if len(parts) == 1 else Junction(is_all=True, parts=tuple(parts))

    def _basic(self) -> Test:
        self._skip()
        if self._takes("!"):
            self._skip()
            if self._takes("("):
                return Negation(self._closed())
            return Negation(self._truth(self._operand()))
        if self._takes("("):
            return self._closed()
        left = self._operand()
        before = self.at
        self._skip()
        sign = self._read(_SIGN)
        if sign is None:
            self.at = before
            return self._truth(left)
        self._skip()
        return Compare(sign, _comparable(left), _comparable(self._operand()))

    def _closed(self) -> Test:
        inner = self._either()
        self._need(")")
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
        if self._sees("@") or self._sees("$"):
            return self.query()
        if self._sees("'") or self._sees('"'):
            return Literal(self._string())
        number = self._read(_NUMBER)
        if number is not None:
            return Literal(float(number) if set(number) & set(".eE") else int(number))
        word = self._read(_WORD)
        if word is None:
            raise self.unexpected()
        return Literal(_WORDS[word]) if word in _WORDS else self._call(word)

    def _call(self, name: str) -> Call:
        if name not in FUNCTIONS or not self._takes("("):
            raise Unfit(f"`{name}` is no function of a query; known: {', '.join(FUNCTIONS)}")
        self._deeper()
        arguments: list[Operand] = []
        self._skip()
        while not self._sees(")"):
            if arguments:
                self._need(",")
                self._skip()
            arguments.append(self._operand())
            self._skip()
        self._need(")")
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


def _as_json(quoted: str, own: str) -> str:
    """The text in double quotes, as JSON has it."""

    def turned(found: re.Match[str]) -> str:
        if found[0] == own:
            return "'" if own == "\\'" else own
        return '\\"' if found[0] == '"' else found[0]

    return f'"{_ESCAPE.sub(turned, quoted[1:-1])}"'
