"""cells: values of columns, between JSON and the database. What does not fit is refused before it is sent.

A database never sees a value of another type than its column's: half of the ways to confuse one end here.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from agentspec.adapters.tables.shape import SPOKEN, ColumnShape, Dialect
from agentspec.core.calls.cap import encodable

LONGEST = 1 << 20  # characters of one text


class Misfit(ValueError):
    """A value that its column can't hold; `str()` is the sentence that the model reads."""


def take(column: ColumnShape, value: Any, dialect: Dialect) -> Any:
    """The value as the database takes it. Raises `Misfit`."""
    if value is None:
        if not column.is_nullable:
            raise Misfit(f"`{column.name}` can't be null")
        return None
    taken = _TAKING[column.kind](column, value)
    if dialect == "sqlite" and isinstance(taken, Decimal):
        return int(taken) if taken == taken.to_integral_value() and abs(taken) < 2**63 else float(taken)
    return str(taken) if dialect == "sqlite" and isinstance(taken, dt.date | dt.time) else taken


def show_cell(column: ColumnShape, value: Any, dialect: Dialect) -> Any:
    """A value of a column as JSON carries it; SQLite has neither booleans nor JSON of its own."""
    if dialect == "sqlite" and column.kind == "boolean" and value in (0, 1):
        return bool(value)
    if dialect == "sqlite" and column.kind == "json" and isinstance(value, str):
        try:
            return show(json.loads(value))
        except (ValueError, RecursionError):
            return show(value)
    return show(value)


def show(value: Any) -> Any:
    """A value of a row as JSON carries it: exact numbers, times as ISO 8601, bytes as base64."""
    match value:
        case None | bool() | int() | str():
            return encodable(value) if isinstance(value, str) else value
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return _shown_decimal(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(bytes(value)).decode()
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case Mapping():
            return {str(key): show(item) for key, item in value.items()}
        case Sequence():
            return [show(item) for item in value]
        case _:
            return encodable(str(value))


def _shown_decimal(value: Decimal) -> int | float | str:
    """A number where JSON's readers keep it whole, else its digits as text."""
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return int(value) if abs(value) < 2**53 else format(value, "f")
    return float(value) if Decimal(repr(float(value))) == value else str(value)


def text(name: str, value: Any) -> str:
    """A text that every database takes."""
    if not isinstance(value, str):
        raise Misfit(f"`{name}` is a text, and `{value!r:.40}` is none")
    if len(value) > LONGEST:
        raise Misfit(f"`{name}` has {len(value)} characters; at most {LONGEST} are taken")
    if "\0" in value:
        raise Misfit(f"`{name}` holds a NUL character, which no text of a table may")
    if encodable(value) != value:
        raise Misfit(f"`{name}` holds half of a surrogate pair, which is no character")
    return value


def _text(column: ColumnShape, value: Any) -> str:
    return text(column.name, value)


def _enum(column: ColumnShape, value: Any) -> str:
    if column.members and value not in column.members:
        raise Misfit(f"`{column.name}` is one of " + ", ".join(f"`{member}`" for member in column.members))
    return text(column.name, value)


def _integer(column: ColumnShape, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _none_such(column, value)
    if not -(2 ** (column.bits - 1)) <= value < 2 ** (column.bits - 1):
        raise Misfit(f"`{column.name}` is an integer of {column.bits} bits, and this one is larger")
    return value


def _number(column: ColumnShape, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _none_such(column, value)
    try:
        number = float(value)
    except OverflowError:
        raise _none_such(column, value) from None
    if not math.isfinite(number):
        raise _none_such(column, value)
    return number


def _decimal(column: ColumnShape, value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _none_such(column, value)
    if isinstance(value, int) and abs(value) > 10**100:
        raise Misfit(f"`{column.name}` is larger than any number that is taken")
    try:
        number = Decimal(text(column.name, value)[:200] if isinstance(value, str) else repr(value))
    except InvalidOperation:
        raise _none_such(column, value) from None
    if not number.is_finite() or abs(number.adjusted()) > 100:
        raise _none_such(column, value)
    return number


def _boolean(column: ColumnShape, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _none_such(column, value)
    return value


def _parsed(parse: Callable[[str], Any]) -> Callable[[ColumnShape, Any], Any]:
    def taking(column: ColumnShape, value: Any) -> Any:
        try:
            return parse(text(column.name, value))
        except ValueError as error:
            if isinstance(error, Misfit):
                raise
            raise _none_such(column, value) from None

    return taking


def _json(column: ColumnShape, value: Any) -> str:
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise _none_such(column, value) from None
    if "\\u0000" in written:
        raise Misfit(f"`{column.name}` holds a NUL character, which no text of a table may")
    return text(column.name, written)


def _refused(column: ColumnShape, value: Any) -> Any:
    del value
    raise Misfit(f"`{column.name}` is {SPOKEN[column.kind]}, which a call can't give")


def _none_such(column: ColumnShape, value: Any) -> Misfit:
    shown = encodable(str(value))
    return Misfit(f"`{column.name}` is {SPOKEN[column.kind]}, and `{shown:.40}` is none")


_TAKING: dict[str, Callable[[ColumnShape, Any], Any]] = {
    "string": _text,
    "enum": _enum,
    "uuid": _parsed(lambda value: str(uuid.UUID(value))),
    "integer": _integer,
    "number": _number,
    "decimal": _decimal,
    "boolean": _boolean,
    "time": _parsed(dt.datetime.fromisoformat),
    "date": _parsed(dt.date.fromisoformat),
    "clock": _parsed(dt.time.fromisoformat),
    "json": _json,
    "bytes": _refused,
    "other": _refused,
}
