"""canonical: short stable names for calls and their results, so that repetition can be seen without keeping either.

Two calls are the same when name and arguments are: the order of keys and the spacing of their JSON do not count.
"""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

import msgspec

from agentspec.core.calls.arguments import parse
from agentspec.core.messages import ToolCall, ToolResult

KEPT = 512  # characters of a call whose name is remembered
LENGTH = 16  # hexadecimal digits of a name: collisions are out of the question among the calls of one run

_QUICK = msgspec.json.Encoder(order="deterministic").encode
_ANY = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def text_digest(text: str) -> str:
    """The short name of a text, half characters included.

    >>> text_digest("a"), len(text_digest("b" * 10_000))
    ('ca978112ca1bbdca', 16)
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]


def call_key(name: str, arguments: Any) -> str:
    """The name of a call for comparing it with others. `arguments` are plain JSON values, or text that nobody can read.

    >>> call_key("read", {"path": "a", "from": 1}) == call_key("read", {"from": 1, "path": "a"})
    True
    """
    text = f"{name}\n{canonical(arguments)}"
    return _kept_digest(text) if len(text) <= KEPT else text_digest(text)


@functools.lru_cache(maxsize=256)  # who looks for repetition, for approval, for receipts: each names the same call
def _kept_digest(text: str) -> str:
    return text_digest(text)


def key_of(call: ToolCall) -> str:
    """The same of a call as the model wrote it, before anybody has read its arguments.

    >>> key_of(ToolCall(id="1", name="read", arguments='{"a":1}')) == call_key("read", {"a": 1})
    True
    """
    arguments = parse(call.arguments).arguments
    return call_key(call.name, call.arguments if arguments is None else arguments)


def canonical(arguments: Any) -> str:
    """Arguments as JSON with sorted keys.

    >>> canonical({"b": [1, 2], "a": None})
    '{"a":null,"b":[1,2]}'
    """
    try:
        return _QUICK(arguments).decode()
    except (OverflowError, ValueError):  # an integer of more than 64 bits, half of a character
        return _ANY(arguments)


def result_digest(result: ToolResult) -> str:
    """The name of what a tool returned: of the full text, or of the text that is there where nobody saw the whole.

    >>> result_digest(ToolResult(name="read", call_id="1", text="a")) == text_digest("a")
    True
    """
    return result.digest or text_digest(result.text)
