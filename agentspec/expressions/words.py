"""words: types and signatures of CEL in the words of the language, so that its own never reach people."""

from __future__ import annotations

import re

from agentspec.expressions.groups import GROUPS

WORDS = {
    "double": "number",
    "int": "integer",
    "uint": "unsigned integer",
    "bool": "boolean",
    "string": "string",
    "bytes": "bytes",
    "dyn": "any value",
    "null_type": "null",
    "null": "null",
    "timestamp": "time",
    "google.protobuf.Timestamp": "time",
    "duration": "duration",
    "google.protobuf.Duration": "duration",
    "type": "type",
    "optional_type": "optional value",
    "map": "mapping",
    "google.protobuf.Struct": "mapping",
    "google.protobuf.Value": "any value",
    "google.protobuf.ListValue": "list",
}
NAMED = frozenset((*GROUPS, "args", "inputs", "row"))
INNER = r"(?:wrapper|type)\((.*)\)\Z|wrapper<(.*)>\Z"
NONE_BEFORE = frozenset(("null", "bytes", "any value"))


def split_types(text: str) -> list[str]:
    """The types of `(double, list(string))`, one by one."""
    parts, depth, at = [], 0, 0
    inner = text.strip()[1:-1]
    for index, character in enumerate(inner):
        depth += (character in "(<") - (character in ")>")
        if character == "," and depth == 0:
            parts.append(inner[at:index].strip())
            at = index + 1
    return [part for part in (*parts, inner[at:].strip()) if part]


def base(name: str) -> str:
    """The CEL type without its wrapper: `wrapper(int)` is `int`, `list(string)` is `list`."""
    match = re.match(INNER, name)
    name = next((part for part in match.groups() if part), name) if match else name
    return re.split(r"[(<]", name, maxsplit=1)[0].strip()


def word(name: str) -> str:
    """A CEL type in our words: `number`, `list of strings`, ``record `turn` ``."""
    kind = base(name)
    if kind.startswith("record."):
        name = kind.removeprefix("record.").strip("_")
        return f"record `{name}`" if name in NAMED else "record"
    if kind in ("list", "google.protobuf.ListValue"):
        item = re.search(r"[(<](.*)[)>]", name)
        inner = word(item[1]) if item else "any value"
        return "list" if inner == "any value" else f"list of {plural(inner)}"
    return WORDS.get(kind, "value")


def plural(text: str) -> str:
    if text.startswith("list of"):
        return f"lists{text[4:]}"
    return {"any value": "values", "null": "nulls", "bytes": "bytes", "duration": "durations"}.get(
        text, f"records {text[7:]}" if text.startswith("record `") else text + "s"
    )


def a(name: str) -> str:
    """A CEL type with its article: `a number`, `an integer`, `null`."""
    text = word(name)
    if text in NONE_BEFORE:
        return text
    return f"the {text}" if text.startswith("record `") else f"{'an' if text[0] in 'aeio' else 'a'} {text}"
