"""results: what CEL gives, as plain Python and as text.

CEL's mappings have another order at every evaluation: keys are sorted here, so that two runs give the same.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, MutableSequence
from datetime import UTC, datetime, timedelta
from typing import Any

from agentspec.expressions.declare import PACKAGE

EXACT = 2**53  # up to here a double holds every integer


def plain(value: Any) -> Any:
    """What CEL gave, as plain Python: records as mappings, keys sorted, so that two runs give the same."""
    match value:
        case str() | None | bool() | int() | float() | datetime() | timedelta():
            return value
        case dict():
            pairs = sorted(value.items(), key=lambda pair: (type(pair[0]).__name__, pair[0]))
            return {key: plain(item) for key, item in pairs}
        case list():
            return [plain(item) for item in value]
        case bytes() | bytearray():
            return bytes(value)
        case _:
            return _message(value)


def _message(value: Any) -> Any:
    """A protobuf message as a mapping; repeated fields and well-known types as what they stand for."""
    descriptor = getattr(value, "DESCRIPTOR", None)
    if descriptor is None:
        return [plain(item) for item in value] if isinstance(value, Iterable) else value
    full_name = descriptor.full_name
    if not full_name.startswith(PACKAGE + "."):
        return _known(full_name.rpartition(".")[2], value)
    found = {}
    for field in descriptor.fields:
        held = getattr(value, field.name)
        if isinstance(held, MutableSequence):
            found[field.name] = [plain(item) for item in held]
        elif value.HasField(field.name):
            found[field.name] = plain(held)
    return dict(sorted(found.items()))


def _known(name: str, value: Any) -> Any:
    match name:
        case "Struct":
            return {key: plain(value.fields[key]) for key in sorted(value.fields)}
        case "ListValue":
            return [plain(item) for item in value.values]
        case "Value":
            kind = value.WhichOneof("kind")
            return None if kind in (None, "null_value") else plain(getattr(value, kind))
        case "Timestamp":
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value.seconds, microseconds=value.nanos // 1000)
        case _:
            return value.value


def show(value: Any) -> str:
    """A scalar as text: an integral double without `.0`, `true`, a time as RFC 3339 has it, null as nothing."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < EXACT:
            return str(int(value))
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case timedelta():
            return f"{show(value.total_seconds())}s"
        case _:
            return str(value)


def as_json(value: Any) -> str:
    """A value as JSON in one line, keys sorted, integral doubles without `.0`, times as text."""
    return json.dumps(_json(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _json(value: Any) -> Any:
    match value:
        case float() if value.is_integer() and abs(value) < EXACT:
            return int(value)
        case datetime() | timedelta():
            return show(value)
        case dict():
            return {key if isinstance(key, str) else show(key): _json(item) for key, item in value.items()}
        case list():
            return [_json(item) for item in value]
        case _:
            return value


def is_json(value: Any) -> bool:
    """Whether JSON can carry a value: no NaN, no infinity, no bytes, keys that are text."""
    match value:
        case None | bool() | int() | str():
            return True
        case float():
            return math.isfinite(value)
        case dict():
            return all(isinstance(key, str) and is_json(item) for key, item in value.items())
        case list():
            return all(is_json(item) for item in value)
        case _:
            return False
