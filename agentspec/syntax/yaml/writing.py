"""writing: plain values as YAML that reads back to the same values under the 1.2 core schema.

Block style throughout; a string that could be read as anything else is written in double quotes, as JSON has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

# What needs no quotes: words of letters, with blanks and a few harmless signs inside.
PLAIN = re.compile(r"[A-Za-z_](?:[\w ./+-]*[\w/+-])?", re.ASCII)
RESERVED = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


def yaml_text(values: dict[str, Any]) -> str:
    """The document, with a line end."""
    return "\n".join(_mapping(values, "")) + "\n"


def _mapping(values: dict[str, Any], indent: str) -> Iterator[str]:
    for name, value in values.items():
        yield from _item(f"{indent}{_string(str(name))}:", value, indent)


def _item(head: str, value: Any, indent: str) -> Iterator[str]:
    match value:
        case dict() if value:
            yield head
            yield from _mapping(value, indent + "  ")
        case list() if value:
            yield head
            for inner in value:
                yield from _entry(inner, indent + "  ")
        case str() if _is_block(value):
            yield f"{head} |"
            yield from (f"{indent}  {line}" if line else "" for line in value[:-1].split("\n"))
        case _:
            yield f"{head} {_scalar(value)}"


def _entry(value: Any, indent: str) -> Iterator[str]:
    if not isinstance(value, dict | list) or not value:
        yield from _item(f"{indent}-", value, indent)
        return
    inner = _mapping(value, indent + "  ") if isinstance(value, dict) else _nested(value, indent + "  ")
    first, *rest = inner
    yield f"{indent}- {first.lstrip()}"
    yield from rest


def _nested(values: list[Any], indent: str) -> Iterator[str]:
    for value in values:
        yield from _entry(value, indent)


def _is_block(text: str) -> bool:
    body = text[:-1]
    is_simple = text.endswith("\n") and not text.endswith("\n\n") and body[:1] not in ("", " ", "\n", "\t")
    return is_simple and all(line.isprintable() and not line.endswith(" ") for line in body.split("\n"))


def _scalar(value: Any) -> str:
    match value:
        case dict():
            return "{}"
        case list():
            return "[]"
        case str():
            return _string(value)
        case _:
            return json.dumps(value)


def _string(text: str) -> str:
    is_plain = PLAIN.fullmatch(text) and text.lower() not in RESERVED
    if is_plain:
        return text
    return "".join(_escaped(character) for character in json.dumps(text, ensure_ascii=False))


def _escaped(character: str) -> str:
    # What is not printed could steer a terminal, and most of it may not stand in YAML as it is.
    return character if character.isprintable() else f"\\U{ord(character):08X}"
