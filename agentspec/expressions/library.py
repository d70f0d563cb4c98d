"""library: the project's own functions of expressions. Pure: what they give depends on what they get alone.

A failure is a sentence, which the reader of the expression's error sees. Money is added and rounded
as decimals, from the shortest spelling of each number, so that 0.1 + 0.2 is 0.3.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from itertools import islice
from typing import Any

from agentspec.expressions.engine import SAID, cel
from agentspec.expressions.results import as_json, plain

MOST_TEXT = 65_536
MOST_MADE = 16 * 1024 * 1024  # characters of a text that is made of others
MOST_ITEMS = 10_000
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FORMATS = frozenset("YmdHMSj%")


def call(name: str, values: tuple[Any, ...]) -> Any:
    """Call a function by its name in expressions. Raises `ValueError` with `SAID` and a sentence, nothing else."""
    try:
        return FUNCTIONS[name](*(plain(value) for value in values))
    except _Sentence as error:
        raise ValueError(f"{SAID}{error}") from None
    except (ArithmeticError, TypeError, KeyError, ValueError, RecursionError):
        raise ValueError(f"{SAID}`{name}` cannot be computed from these values") from None


class _Sentence(Exception):
    """A failure in words for people."""


def _truncate(text: str, most: int) -> str:
    if most < 0:
        raise _Sentence("`text.truncate` needs a length of 0 or more")
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"[:most]


def _repeat(text: str, times: int) -> str:
    if times > 0 and len(text) * times > MOST_TEXT:
        raise _Sentence("`text.repeat` would give more than 64 KiB")
    return text * times


def _pad(text: str, width: int) -> str:
    if width > MOST_TEXT:
        raise _Sentence("a text is padded to at most 64 KiB")
    return " " * (width - len(text))


def _fits(size: int, name: str) -> None:
    if size > MOST_MADE:
        raise _Sentence(f"`{name}` would give more than 16 MiB")


def _replace(text: str, old: str, new: str, most: int = -1) -> str:
    count = text.count(old) if old else len(text) + 1
    _fits(len(text) + (count if most < 0 else min(count, most)) * len(new), "replace")
    return text.replace(old, new, most)


def _join(items: list[str], separator: str = "") -> str:
    if not all(isinstance(item, str) for item in items):
        raise _Sentence("`join` takes a list of texts")
    _fits(sum(map(len, items)) + len(items) * len(separator), "join")
    return separator.join(items)


def _regex_replace(text: str, pattern: str, new: str, most: int = -1) -> str:
    """How often a pattern matches is only known behind it: so often at most as the text is long."""
    _fits((len(text) + 1) * max(len(new), 1), "regex.replace")
    return str(_regex("regex.replace(text, pattern, new, most)", text, pattern, new=new, most=most))


def _decode(text: str) -> Any:
    try:
        return json.loads(text, parse_int=float, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise _Sentence("this text is not JSON") from None


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _valid(text: str) -> bool:
    try:
        _decode(text)
    except _Sentence:
        return False
    return True


def _get(value: Any, pointer: str, other: Any = None) -> Any:
    """The part at a JSON pointer (RFC 6901)."""
    if pointer and not pointer.startswith("/"):
        raise _Sentence("a JSON pointer begins with `/`")
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return other
    return value


@cache
def _program(text: str) -> Any:
    """A program of CEL over `text` and `pattern`: patterns of authors run on RE2, never on `re`."""
    string = cel().Type.STRING
    names = {"text": string, "pattern": string, "new": string, "most": cel().Type.INT}
    config = cel().NewEnvConfigFromYaml("extensions:\n- name: optional\n- name: regex\n")
    return cel().NewEnv(config=config, variables=names).compile(text)


def _regex(program: str, text: str, pattern: str, **more: Any) -> Any:
    result = _program(program).eval(data={"text": text, "pattern": pattern, **more})
    if result.type() == cel().Type.ERROR:
        raise _Sentence(str(result.value()).removeprefix("INVALID_ARGUMENT: "))
    return result.plain_value()


def _clamp(x: float, low: float, high: float) -> float:
    if low > high:
        raise _Sentence("`math.clamp` needs a lower bound that is not above the upper one")
    return min(max(x, low), high)


def _round_to(x: float, digits: int) -> float:
    if not math.isfinite(x) or not -300 <= digits <= 300:
        return x
    return float(Decimal(repr(x)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def _numbers(name: str, items: list[Any]) -> list[int | float]:
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise _Sentence(f"`{name}` needs a list of numbers")
    return items


def _sum(items: list[Any]) -> int | float:
    numbers = _numbers("list.sum", items)
    if all(isinstance(item, int) for item in numbers):
        return sum(numbers)
    if not all(math.isfinite(item) for item in numbers):
        return math.fsum(numbers)
    return float(sum(Decimal(repr(item)) for item in numbers))


def _some(name: str, items: list[Any]) -> list[Any]:
    if not items:
        raise _Sentence(f"`{name}` needs at least one item")
    return items


def _mean(items: list[Any]) -> float:
    return float(_sum(_some("list.mean", items)) / len(items))


def _median(items: list[Any]) -> float:
    ordered = sorted(_numbers("list.median", _some("list.median", items)))
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else _sum(ordered[middle - 1 : middle + 1]) / 2)


def _extreme(name: str, pick: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    def extreme(items: list[Any]) -> Any:
        _some(name, items)
        if not all(isinstance(item, str) for item in items):
            _numbers(name, items)
        return pick(items)

    return extreme


def _range(start: int, end: int | None = None) -> list[int]:
    numbers = range(start) if end is None else range(start, end)
    if len(numbers) > MOST_ITEMS:
        raise _Sentence("`list.range` gives at most 10 000 numbers")
    return list(numbers)


def _same(left: Any, right: Any) -> bool:
    """Equal as CEL has it: numbers across kinds, but a boolean is no number."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _within(value: Any, items: list[Any]) -> bool:
    return any(_same(value, item) for item in items)


def _distinct(items: list[Any]) -> list[Any]:
    found: list[Any] = []
    for item in islice(items, MOST_ITEMS):
        if not _within(item, found):
            found.append(item)
    return found


def _index_of(items: list[Any], value: Any) -> int:
    return next((index for index, item in enumerate(items) if _same(item, value)), -1)


def _format(at: datetime, pattern: str) -> str:
    """`strftime` for the codes that mean the same everywhere, whatever the locale of the machine."""
    out, rest = [], pattern
    while rest:
        before, mark, rest = rest.partition("%")
        out.append(before)
        if not mark:
            break
        if rest[:1] not in FORMATS or not rest:
            raise _Sentence(f"`time.format` does not know `%{rest[:1]}`")
        out.append("%" if rest[0] == "%" else at.astimezone(UTC).strftime("%" + rest[0]))
        rest = rest[1:]
    return "".join(out)


def _from_date(day: str) -> datetime:
    try:
        return datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise _Sentence("a day is written `2026-01-31`") from None


def _from_unix(seconds: float) -> datetime:
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        raise _Sentence("this is no time between the years 1 and 9999") from None


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "text.upper": str.upper,
    "text.lower": str.lower,
    "text.trim": str.strip,
    "text.lines": str.splitlines,
    "text.words": str.split,
    "text.truncate": _truncate,
    "text.pad_start": lambda text, width: _pad(text, width) + text,
    "text.pad_end": lambda text, width: text + _pad(text, width),
    "text.repeat": _repeat,
    "bounded.replace": _replace,
    "bounded.join": _join,
    "bounded.regex.replace": _regex_replace,
    "text.count": lambda text, part: text.count(part) if part else 0,
    "text.is_blank": lambda text: not text.strip(),
    "text.bytes": lambda text: len(text.encode()),
    "text.before": lambda text, mark: text.partition(mark)[0] if mark else "",
    "text.after": lambda text, mark: text.partition(mark)[2] if mark else text,
    "json.encode": as_json,
    "json.decode": _decode,
    "json.valid": _valid,
    "json.get": _get,
    "hash.sha256": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "hash.sha512": lambda text: hashlib.sha512(text.encode()).hexdigest(),
    "hash.short": lambda text: hashlib.sha256(text.encode()).hexdigest()[:12],
    "hash.crc32": lambda text: zlib.crc32(text.encode()),
    "regex.matches": lambda text, pattern: _regex("text.matches(pattern)", text, pattern),
    "regex.find": lambda text, pattern: _regex("regex.extract(text, pattern).orValue('')", text, pattern),
    "math.pow": math.pow,
    "math.log": math.log,
    "math.log10": math.log10,
    "math.exp": math.exp,
    "math.clamp": _clamp,
    "math.round_to": _round_to,
    "list.sum": _sum,
    "list.mean": _mean,
    "list.median": _median,
    "list.min": _extreme("list.min", min),
    "list.max": _extreme("list.max", max),
    "list.count": lambda items, value: sum(_same(item, value) for item in items),
    "list.index_of": _index_of,
    "list.range": _range,
    "list.union": lambda left, right: _distinct([*left, *right]),
    "list.difference": lambda left, right: [item for item in _distinct(left) if not _within(item, right)],
    "list.intersection": lambda left, right: [item for item in _distinct(left) if _within(item, right)],
    "time.date": lambda at: at.astimezone(UTC).strftime("%Y-%m-%d"),
    "time.format": _format,
    "time.unix": lambda at: at.timestamp(),
    "time.from_unix": _from_unix,
    "time.from_date": _from_date,
    "time.weekday": lambda at: DAYS[at.astimezone(UTC).weekday()],
    "time.days_between": lambda start, end: (end - start).days,
    "time.seconds": lambda span: span.total_seconds(),
}
