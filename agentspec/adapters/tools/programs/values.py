"""values: what a program brought back, as plain JSON values and as text for the model."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

_MAX_DEPTH = 64


class NotCarried(ValueError):
    """A value that JSON can't carry; `str()` names it."""


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON knows it: maps with text keys in order, integral doubles as integers, times as text.

    Times and bytes are written as the JSON form of protocol buffers has them (protobuf.dev, "ProtoJSON format").
    Raises `NotCarried` for infinities, NaN and whatever has no such form.
    """
    if depth > _MAX_DEPTH:
        raise NotCarried(f"a value is nested more than {_MAX_DEPTH} deep")
    match value:
        case str() | None | bool() | int():
            return value
        case float():
            if not math.isfinite(value):
                raise NotCarried(f"JSON has no number for `{value}`")
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        case bytes():
            return base64.b64encode(value).decode()
        case dt.datetime():
            return value.isoformat().replace("+00:00", "Z")
        case dt.timedelta():
            return f"{plain(value.total_seconds())}s"
        case Mapping():
            return {
                str(key): plain(item, depth + 1) for key, item in sorted(value.items(), key=lambda pair: str(pair[0]))
            }
        case Sequence():
            return [plain(item, depth + 1) for item in value]
        case _:
            raise NotCarried(f"JSON can't carry a `{type(value).__name__}`")


def text_of(value: Any) -> str:
    """A plain value as the model reads it: text as it is, nothing for null, all else as JSON."""
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False, sort_keys=True)
