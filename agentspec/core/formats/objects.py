"""objects: the JSON objects that stand in prose, and where one was cut off.

A decoder is tried at each `{`, and what it reads is jumped over: so a stray brace or quote hides nothing that follows.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

MOST_TRIES = 2_000  # braces at which a decoder is tried; a reply has a few dozen
_WORDS = ("true", "false", "null")
_ESCAPE_AT_END = re.compile(r"\\(u[0-9a-fA-F]{0,3})?\Z")


class Found(NamedTuple):
    """The objects of a text in their order; `cut` is where one begins that the text ends in the middle of."""

    objects: tuple[Object, ...]
    cut: int | None = None


class Object(NamedTuple):
    """One object, and where it stands."""

    start: int
    end: int
    value: dict[str, Any]


def _refuse(word: str) -> Any:
    raise ValueError(f"`{word}` is no JSON")


DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)  # line ends within strings are what models write


def find_objects(text: str) -> Found:
    """The outermost JSON objects of a text.

    An object that the end of the text cuts off hides what it contains: `find_objects('{"a": {"b": 1}').objects` is
    empty, for what is inside may be a piece of something else.

    >>> [found.value for found in find_objects('So: {oops} {"a": {"b": 1}} and {"c": 2}').objects]
    [{'a': {'b': 1}}, {'c': 2}]
    >>> find_objects('{"a": {"b": 1}').cut
    0
    """
    objects: list[Object] = []
    position = text.find("{")
    for _ in range(MOST_TRIES):
        if position < 0:
            break
        try:
            value, end = DECODER.raw_decode(text, position)
        except json.JSONDecodeError as fault:
            if _is_beginning(text, fault):
                return Found(tuple(objects), position)
            end = position + 1
        except (ValueError, RecursionError):
            end = position + 1
        else:
            objects.append(Object(position, end, value))
        position = text.find("{", end)
    return Found(tuple(objects))


def _is_beginning(text: str, fault: json.JSONDecodeError) -> bool:
    """Whether the decoder failed only because the text is over: all of it could be the beginning of an object."""
    if fault.msg.startswith("Unterminated string"):
        return True
    rest = text[fault.pos :].strip()
    if not rest:
        return True
    if fault.msg.startswith("Invalid \\"):
        return _ESCAPE_AT_END.search(text) is not None
    return fault.msg.startswith("Expecting value") and (rest == "-" or any(word.startswith(rest) for word in _WORDS))
