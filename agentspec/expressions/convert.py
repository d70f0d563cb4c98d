"""convert: Python values into what CEL takes. What does not fit is refused in words.

Text that goes in is bounded: an evaluation holds the interpreter, so its input must not grow without end.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from agentspec.errors import ExpressionError
from agentspec.expressions.declare import WRAPPERS, Declared, can_select
from agentspec.expressions.types import Type

MOST_TEXT = 65_536  # UTF-8 bytes of one text that goes in
DEEPEST = 64
INTEGERS = range(-(2**63), 2**63)

Convert: TypeAlias = Callable[[Any], Any]


def text_in(value: Any) -> str:
    """A text that fits: whole Unicode, at most 64 KiB."""
    if not isinstance(value, str):
        raise ExpressionError(f"a text is expected, not {kind_of(value)}")
    if len(value) * 4 > MOST_TEXT and len(value.encode("utf-8", "surrogatepass")) > MOST_TEXT:
        raise ExpressionError("a text that an expression reads is at most 64 KiB long")
    return value


def integer_in(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ExpressionError(f"an integer is expected, not {kind_of(value)}")
    if value not in INTEGERS:
        raise ExpressionError("an integer has at most 64 bits")
    return value


def number_in(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(f"a number is expected, not {kind_of(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ExpressionError("this number is too large") from None


def boolean_in(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ExpressionError(f"a boolean is expected, not {kind_of(value)}")
    return value


def time_in(value: Any) -> datetime:
    """A time from an aware datetime, or from seconds since 1970."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise ExpressionError(f"a time with its zone is expected, not {kind_of(value)}")
    return value


SCALARS: dict[str, Convert] = {
    "string": text_in,
    "integer": integer_in,
    "number": number_in,
    "boolean": boolean_in,
    "time": time_in,
}
KINDS = {bool: "a boolean", int: "an integer", float: "a number", str: "a text", dict: "a mapping", list: "a list"}


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    return "null" if value is None else KINDS.get(type(value), f"`{type(value).__name__}`")


def free_in(value: Any, depth: int = 0) -> Any:
    """Free data as JSON has it: every number is a double, so that `2` and `2.0` are the same."""
    if depth > DEEPEST:
        raise ExpressionError(f"data that an expression reads is at most {DEEPEST} levels deep")
    match value:
        case None | bool():
            return value
        case str():
            return text_in(value)
        case int() | float():
            return number_in(value)
        case Mapping():
            return {text_in(key): free_in(item, depth + 1) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
            return [free_in(item, depth + 1) for item in items]
        case _:
            raise ExpressionError(f"an expression cannot read {kind_of(value)}")


# Free data within a record is a google.protobuf.Value; its bytes are written here, which is faster than setting fields
# and needs no recursion through protobuf (struct.proto; https://protobuf.dev/programming-guides/encoding).


def _size(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _part(tag: bytes, body: bytes) -> bytes:
    return tag + _size(len(body)) + body


def value_bytes(value: Any) -> bytes:
    """A value of `free_in` as the wire form of google.protobuf.Value."""
    match value:
        case None:
            return b"\x08\x00"
        case bool():
            return b"\x20\x01" if value else b"\x20\x00"
        case float():
            return b"\x11" + struct.pack("<d", value)
        case str():
            return _part(b"\x1a", value.encode())
        case dict():
            return _part(b"\x2a", struct_bytes(value))
        case _:
            return _part(b"\x32", list_bytes(value))


def struct_bytes(value: dict[str, Any]) -> bytes:
    entries = (_part(b"\x0a", key.encode()) + _part(b"\x12", value_bytes(item)) for key, item in value.items())
    return b"".join(_part(b"\x0a", entry) for entry in entries)


def list_bytes(value: list[Any]) -> bytes:
    return b"".join(_part(b"\x0a", value_bytes(item)) for item in value)


class Converter:
    """Makes the messages of one set of declared names."""

    def __init__(self, declared: Declared, names: Mapping[str, Type]) -> None:
        self.classes = declared.classes
        self.full_names = {form: name for name, form in declared.records.items()}
        self.records: dict[Type, Convert] = {}
        self.names = {name: self.top(form) for name, form in names.items()}

    def top(self, form: Type) -> Convert:
        """How a value of a name itself goes in."""
        match form.kind:
            case "record":
                return self.record(form)
            case "list" if form.item is not None:
                return _each(self.top(form.item))
            case "object":
                return self.mapping(form)
            case "any":
                return free_in
            case kind:
                return SCALARS[kind]

    def mapping(self, form: Type) -> Convert:
        convert = free_in if form.item is None else self.top(form.item)

        def mapping(value: Any) -> Any:
            if not isinstance(value, Mapping):
                raise ExpressionError(f"a mapping is expected, not {kind_of(value)}")
            return {text_in(key): convert(item) for key, item in value.items()}

        return mapping

    def record(self, form: Type) -> Convert:
        known = self.records.get(form)
        if known is not None:
            return known
        make = self.classes[self.full_names[form]]
        fields = [(name, self.field(inner)) for name, inner in form.fields if can_select(name)]

        def record(value: Any) -> Any:
            filled = {}
            for name, convert in fields:
                found = read_field(value, name)
                if found is None:
                    continue
                try:
                    filled[name] = convert(found)
                except ExpressionError as error:
                    raise ExpressionError(f"`{name}`: {error}") from None
            return make(**filled)

        self.records[form] = record
        return record

    def field(self, form: Type) -> Convert:
        """How a value of a field goes into its message."""
        if form.kind == "list" and form.item is not None:
            inner = self.field(form.item._replace(optional=False))
            return self.list_value if form.item.kind == "list" else _each(inner)
        if form.optional and form.kind in WRAPPERS:
            wrapper, convert = self.classes[f"google.protobuf.{WRAPPERS[form.kind]}"], SCALARS[form.kind]
            return lambda value: wrapper(value=convert(value))
        match form.kind:
            case "record":
                return self.record(form)
            case "object":
                return self.struct_value
            case "any":
                return self.any_value
            case "list":
                return self.list_value
            case "time":
                return self.time_value
            case kind:
                return SCALARS[kind]

    def any_value(self, value: Any) -> Any:
        return self.parsed("Value", value_bytes(free_in(value)))

    def struct_value(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise ExpressionError(f"a mapping is expected, not {kind_of(value)}")
        return self.parsed("Struct", struct_bytes(free_in(value)))

    def list_value(self, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise ExpressionError(f"a list is expected, not {kind_of(value)}")
        return self.parsed("ListValue", list_bytes(free_in(value)))

    def parsed(self, name: str, body: bytes) -> Any:
        message = self.classes[f"google.protobuf.{name}"]()
        message.ParseFromString(body)
        return message

    def time_value(self, value: Any) -> Any:
        since = time_in(value) - datetime(1970, 1, 1, tzinfo=UTC)
        seconds, rest = divmod(since, timedelta(seconds=1))
        return self.classes["google.protobuf.Timestamp"](seconds=seconds, nanos=rest.microseconds * 1000)


def read_field(value: Any, name: str) -> Any:
    """The value of a field of a mapping or a record, None where it has none."""
    if type(value) is dict or isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def _each(convert: Convert) -> Convert:
    def each(value: Any) -> Any:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise ExpressionError(f"a list is expected, not {kind_of(value)}")
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return [convert(item) for item in items]

    return each
