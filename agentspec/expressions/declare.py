"""declare: protobuf messages and CEL types for the names of a place.

Records are proto2 messages in a private descriptor pool, so that CEL finds a wrong field also in list elements, and
`has(x)` tells a missing value from a zero. The descriptors are written byte by byte: the generated modules of protobuf
would cost more to import than everything else here (encoding: https://protobuf.dev/programming-guides/encoding).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentspec.expressions.engine import cel
from agentspec.expressions.types import Type

PACKAGE = "record"
NAME = r"[A-Za-z_][A-Za-z0-9_]*\Z"
UNSELECTABLE = frozenset(("in", "true", "false", "null"))  # CEL's grammar has no selector of these names

# descriptor.proto, FieldDescriptorProto.Type and .Label
DOUBLE, INT64, INT32, BOOL, STRING, MESSAGE, ENUM = 1, 3, 5, 8, 9, 11, 14
OPTIONAL, REPEATED = 1, 3
SCALARS = {"number": DOUBLE, "integer": INT64, "boolean": BOOL, "string": STRING}
WRAPPERS = {"number": "DoubleValue", "integer": "Int64Value", "boolean": "BoolValue", "string": "StringValue"}
KNOWN = {"time": "Timestamp", "object": "Struct", "any": "Value", "list": "ListValue"}


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _bytes(field: int, value: str | bytes) -> bytes:
    body = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(name: str, number: int, kind: int, message: str = "", label: int = OPTIONAL) -> bytes:
    body = _bytes(1, name) + _number(3, number) + _number(4, label) + _number(5, kind)
    return body + _bytes(6, "." + message) if message else body


def _message_body(*fields: bytes) -> bytes:
    return b"".join(_bytes(2, field) for field in fields)


def _message(name: str, body: bytes) -> bytes:
    return _bytes(4, _bytes(1, name) + body)


def _file(name: str, package: str, body: bytes, syntax: str) -> bytes:
    return _bytes(1, name) + _bytes(2, package) + body + _bytes(12, syntax)


def _well_known() -> tuple[bytes, ...]:
    """The files struct.proto, wrappers.proto and timestamp.proto, as far as places use them."""
    google = "google.protobuf"
    entry = _message_body(_field("key", 1, STRING), _field("value", 2, MESSAGE, f"{google}.Value"))
    kinds = (
        _field("null_value", 1, ENUM, f"{google}.NullValue"),
        _field("number_value", 2, DOUBLE),
        _field("string_value", 3, STRING),
        _field("bool_value", 4, BOOL),
        _field("struct_value", 5, MESSAGE, f"{google}.Struct"),
        _field("list_value", 6, MESSAGE, f"{google}.ListValue"),
    )
    fields = _message_body(_field("fields", 1, MESSAGE, f"{google}.Struct.FieldsEntry", REPEATED))
    struct = (
        _message("Struct", fields + _bytes(3, _bytes(1, "FieldsEntry") + entry + _bytes(7, _number(7, 1))))
        + _message("Value", _message_body(*(kind + _number(9, 0) for kind in kinds)) + _bytes(8, _bytes(1, "kind")))
        + _message("ListValue", _message_body(_field("values", 1, MESSAGE, f"{google}.Value", REPEATED)))
        + _bytes(5, _bytes(1, "NullValue") + _bytes(2, _bytes(1, "NULL_VALUE") + _number(2, 0)))
    )
    wrappers = b"".join(
        _message(name, _message_body(_field("value", 1, SCALARS[kind]))) for kind, name in WRAPPERS.items()
    )
    time = _message("Timestamp", _message_body(_field("seconds", 1, INT64), _field("nanos", 2, INT32)))
    return (
        _file("google/protobuf/struct.proto", google, struct, "proto3"),
        _file("google/protobuf/wrappers.proto", google, wrappers, "proto3"),
        _file("google/protobuf/timestamp.proto", google, time, "proto3"),
    )


WELL_KNOWN = _well_known()
IMPORTS = b"".join(_bytes(3, f"google/protobuf/{name}.proto") for name in ("struct", "wrappers", "timestamp"))


class Classes(dict[str, Any]):
    """The message classes of a pool by full name, the well-known ones included.

    Each is made when a value of it is first needed: a check needs none.
    """

    def __init__(self, pool: Any) -> None:
        super().__init__()
        self._pool = pool

    def __missing__(self, name: str) -> Any:
        from google.protobuf.message_factory import GetMessageClass  # noqa: PLC0415 - heavy

        self[name] = made = GetMessageClass(self._pool.FindMessageTypeByName(name))
        return made


class Declared(NamedTuple):
    """The names of a place as CEL takes them. `records` has the type of every message by its full name."""

    pool: Any
    variables: dict[str, Any]
    records: dict[str, Type]
    classes: Classes

    def name_of(self, form: Type) -> str:
        """The full name of the message of a record."""
        return next(name for name, known in self.records.items() if known == form)


class _Messages:
    """Collects the messages that some types need."""

    def __init__(self) -> None:
        self.records: dict[str, Type] = {}
        self.bodies: dict[str, bytes] = {}

    def name_of(self, form: Type, path: str) -> str:
        """The full name of the message of a record, declared on first sight."""
        short = form.name if re.match(NAME, form.name) else path
        full = f"{PACKAGE}.{short}"
        while full in self.records and self.records[full] != form:
            short += "_"
            full = f"{PACKAGE}.{short}"
        if full not in self.records:
            self.records[full] = form
            named = ((name, inner) for name, inner in form.fields if can_select(name))
            fields = [self._field(name, number, inner, short) for number, (name, inner) in enumerate(named, 1)]
            self.bodies[short] = _message_body(*fields)
        return full

    def _field(self, name: str, number: int, form: Type, path: str) -> bytes:
        if form.kind == "list" and form.item is not None:
            kind, message = self._element(form.item, f"{path}_{name}")
            return _field(name, number, kind, message, REPEATED)
        if form.optional and form.kind in WRAPPERS:
            return _field(name, number, MESSAGE, f"google.protobuf.{WRAPPERS[form.kind]}")
        return _field(name, number, *self._element(form, f"{path}_{name}"))

    def _element(self, form: Type, path: str) -> tuple[int, str]:
        if form.kind in SCALARS:
            return SCALARS[form.kind], ""
        if form.kind == "record":
            return MESSAGE, self.name_of(form, path)
        return MESSAGE, f"google.protobuf.{KNOWN[form.kind]}"

    def file(self) -> bytes:
        body = b"".join(_message(name, fields) for name, fields in self.bodies.items())
        return _file("record.proto", PACKAGE, IMPORTS + body, "proto2")


def can_select(name: str) -> bool:
    """Whether an expression can say `record.NAME`."""
    return re.match(NAME, name) is not None and name not in UNSELECTABLE


def declare(names: dict[str, Type]) -> Declared:
    """Declare names. Loads CEL and protobuf, which is the expensive part of a first expression."""
    from google.protobuf import descriptor_pool  # noqa: PLC0415 - heavy

    messages = _Messages()
    variables = {name: _cel_type(cel().Type, form, name, messages) for name, form in names.items()}
    pool = descriptor_pool.DescriptorPool()
    for file in WELL_KNOWN:
        pool.AddSerializedFile(file)
    pool.AddSerializedFile(messages.file())
    return Declared(pool, variables, messages.records, Classes(pool))


def _cel_type(types: Any, form: Type, path: str, messages: _Messages) -> Any:
    match form.kind:
        case "record":
            return types(messages.name_of(form, path))
        case "list" if form.item is not None:
            return types.List(_cel_type(types, form.item, path, messages))
        case "object" if form.item is not None:
            return types.Map(types.STRING, _cel_type(types, form.item, path, messages))
        case "object":
            return types.Map(types.STRING, types.DYN)
        case _:
            known = {"number": types.DOUBLE, "integer": types.INT, "string": types.STRING, "boolean": types.BOOL}
            return {**known, "time": types.TIMESTAMP}.get(form.kind, types.DYN)
