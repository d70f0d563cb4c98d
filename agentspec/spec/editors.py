"""editors: the JSON Schema as an editor needs it: with what stands for a value that only a run, or a layer, knows.

It allows nothing that a check of the structure would refuse.
"""

from __future__ import annotations

import copy
from typing import Any, Final

from agentspec.spec.schema import load

LATER: Final = "Later"
REFERENCE: Final = {"$ref": f"#/$defs/{LATER}"}
SAID_OUTSIDE: Final = ("description", "default", "x-default")  # what an editor shows of a key
STANDS_FOR: Final[dict[str, Any]] = {
    "description": "An interpolation in place of a value, a value that is taken away, or one that nobody may change.",
    "anyOf": [
        {"type": "string", "pattern": r"^\$\{[^${}]*\}$"},
        {"type": "object", "properties": {"$unset": {"const": True}}, "required": ["$unset"], "maxProperties": 1},
        {"type": "object", "required": ["$final"], "maxProperties": 1},
    ],
}


def schema_for_editors() -> dict[str, Any]:
    """The schema of all documents, in which `${inputs.x}` may stand for any value.

    >>> schema_for_editors()["$defs"]["Execution"]["properties"]["max_iterations"]["anyOf"][1]
    {'$ref': '#/$defs/Later'}
    """
    schema = copy.deepcopy(load())
    for definition in schema["$defs"].values():
        _widen(definition)
    schema["$defs"][LATER] = STANDS_FOR
    return schema


def _widen(node: Any) -> None:
    """Let what stands for a value stand at every place inside a node."""
    if not isinstance(node, dict):
        return
    if isinstance(properties := node.get("properties"), dict):
        node["properties"] = {name: _or_later(value) for name, value in properties.items()}
    for word in ("items", "additionalProperties"):
        if word in node:
            node[word] = _or_later(node[word])
    _widen(node.get("else"))
    for branch in node.get("anyOf", ()):
        _widen(branch)


def _or_later(value: Any) -> Any:
    _widen(value)
    is_any_text = isinstance(value, dict) and value.get("type") == "string" and not {"pattern", "enum"} & set(value)
    if not isinstance(value, dict) or not value or is_any_text:
        return value
    outside = {word: value.pop(word) for word in SAID_OUTSIDE if word in value}
    return {"anyOf": [value, REFERENCE], **outside}
