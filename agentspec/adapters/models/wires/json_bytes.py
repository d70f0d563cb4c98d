"""json_bytes: JSON as servers write it and as every server can read it.

What comes in is mended where its meaning is clear; what goes out is always well formed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from agentspec.core.calls.cap import encodable

_encode = msgspec.json.encode
_decode = msgspec.json.decode


def to_json(value: Any) -> bytes:
    """JSON bytes of plain data: NaN and infinity become null, lone surrogates U+FFFD; numbers of any size are kept.

    >>> to_json({"a": [1, "x"]})
    b'{"a":[1,"x"]}'
    """
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        return json.dumps(cleaned(value), ensure_ascii=False, separators=(",", ":")).encode()


def from_json(data: bytes) -> Any:
    """A value out of JSON; broken UTF-8 is replaced, lone surrogates and NaN are read. Raises `ValueError`."""
    try:
        return _decode(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"), strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def cleaned(value: Any) -> Any:
    """`value` with only what JSON in UTF-8 can carry."""
    match value:
        case str():
            return encodable(value)
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {encodable(str(key)): cleaned(item) for key, item in value.items()}
        case list() | tuple():
            return [cleaned(item) for item in value]
        case _:
            return value
