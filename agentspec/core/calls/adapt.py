"""adapt: bring arguments that a schema refuses nearer to it, where the change of form is safe, and say what changed.

Never touches a value whose own type the schema allows; never invents content.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from agentspec.core.calls.arguments import Unreadable, decode
from agentspec.core.schema.quick import TYPES

_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")
_MAX_DEPTH = 64
_DROP = object()


class Adapted(NamedTuple):
    """The arguments as far as they could be brought, and each change in words."""

    value: Any
    changes: tuple[str, ...]


def join(where: str, step: str | int) -> str:
    """The path of a member: `edits[0].old`."""
    if isinstance(step, int):
        return f"{where}[{step}]"
    return f"{where}.{step}" if where else step


def unwrap(schema: Any, value: Any) -> Adapted:
    """Decode lists and objects that came as JSON inside a string, once, and only where the schema wants no string."""
    return _adapt(schema, value, lenient=False)


def coerce(schema: Any, value: Any) -> Adapted:
    """`unwrap`, and turn `"3"` to 3, 3 to `"3"`, `x` to `[x]`; drop unknown arguments and null for absent ones."""
    return _adapt(schema, value, lenient=True)


def complete(schema: Any, value: Any) -> Any:
    """A valid value with the defaults of its schema filled in, and whole numbers as integers where it wants those."""
    return _complete(schema, schema, value, 0)


def _complete(root: Any, schema: Any, value: Any, depth: int) -> Any:
    schema = _resolve(root, schema)
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return value
    match value:
        case float() if schema.get("type") == "integer" and value.is_integer():
            return int(value)
        case list() if isinstance(schema.get("items"), Mapping):
            return [_complete(root, schema["items"], item, depth + 1) for item in value]
        case dict() if isinstance(properties := schema.get("properties"), Mapping):
            whole = {name: _complete(root, properties.get(name), item, depth + 1) for name, item in value.items()}
            for name, inner in properties.items():
                if name not in whole and isinstance(inner, Mapping) and "default" in inner:
                    whole[name] = _copy(inner["default"])
            return whole
        case _:
            return value


def _copy(value: Any) -> Any:
    match value:
        case list():
            return [_copy(item) for item in value]
        case dict():
            return {key: _copy(item) for key, item in value.items()}
        case _:
            return value


def _resolve(root: Any, schema: Any) -> Any:
    """The schema that a local `$ref` names; any other schema as it is."""
    for _ in range(8):
        if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
            return schema
        pointer = schema["$ref"]
        if not pointer.startswith("#/"):
            return None
        schema = root
        for step in pointer[2:].split("/"):
            schema = schema.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(schema, Mapping) else None
    return None


def _wanted(root: Any, schema: Any) -> frozenset[str]:
    """The types that a schema allows; empty where it doesn't say."""
    schema = _resolve(root, schema)
    if not isinstance(schema, Mapping):
        return frozenset()
    word = schema.get("type")
    if isinstance(word, str):
        return frozenset((word,))
    if isinstance(word, list):
        return frozenset(item for item in word if isinstance(item, str))
    branches = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(branches, list):
        found = [_wanted(root, branch) for branch in branches if not _is_reference(branch)]
        return frozenset().union(*found) if found and all(found) else frozenset()
    members = schema.get("enum")
    if isinstance(members, list):
        return frozenset(kind for member in members for kind in TYPES if TYPES[kind](member))
    return frozenset()


def _is_reference(schema: Any) -> bool:
    return isinstance(schema, Mapping) and "$ref" in schema and "type" not in schema


def _adapt(schema: Any, value: Any, *, lenient: bool) -> Adapted:
    changes: list[str] = []
    adapter = _Adapter(schema, changes, lenient=lenient)
    return Adapted(adapter.at(schema, value, "", 0), tuple(changes))


class _Adapter:
    """One walk over a value beside its schema."""

    def __init__(self, root: Any, changes: list[str], *, lenient: bool) -> None:
        self.root, self.changes, self.lenient = root, changes, lenient

    def at(self, schema: Any, value: Any, where: str, depth: int) -> Any:
        schema = _resolve(self.root, schema)
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            return value
        wanted = _wanted(self.root, schema)
        if where and wanted and not any(TYPES[kind](value) for kind in wanted if kind in TYPES):
            value = self._convert(wanted, value, where)
        match value:
            case list() if isinstance(schema.get("items"), Mapping):
                return [self.at(schema["items"], item, join(where, i), depth + 1) for i, item in enumerate(value)]
            case dict() if isinstance(schema.get("properties"), Mapping):
                return self._members(schema, value, where, depth)
            case _:
                return value

    def _members(self, schema: Mapping[str, Any], value: dict[str, Any], where: str, depth: int) -> dict[str, Any]:
        properties = schema["properties"]
        required = schema.get("required") or ()
        kept: dict[str, Any] = {}
        for name, item in value.items():
            here = join(where, name)
            inner = properties.get(name)
            if self.lenient and name not in properties and schema.get("additionalProperties") is False:
                self.changes.append(f"`{here}` dropped: there is no such argument")
            elif self.lenient and item is None and name not in required and "null" not in _nulls(self.root, inner):
                self.changes.append(f"`{here}` dropped: null stands for an optional argument")
            else:
                kept[name] = self.at(inner, item, here, depth + 1)
        return kept

    def _convert(self, wanted: frozenset[str], value: Any, where: str) -> Any:
        if isinstance(value, str) and wanted & {"array", "object"}:
            inner = _decoded(value, wanted)
            if inner is not _DROP:
                self.changes.append(f"`{where}` decoded: it was JSON inside a string")
                return inner
        if not self.lenient:
            return value
        other = _other(wanted, value)
        if other is _DROP:
            return value
        self.changes.append(f"`{where}` converted from {_clip(value)} to {_clip(other)}")
        return other


def _nulls(root: Any, schema: Any) -> frozenset[str]:
    """Where a schema doesn't say its types, null may be meant."""
    return _wanted(root, schema) or frozenset(("null",))


def _decoded(text: str, wanted: frozenset[str]) -> Any:
    if text.lstrip()[:1] not in ("[", "{"):
        return _DROP
    try:
        value = decode(text)
    except Unreadable:
        return _DROP
    kind = "array" if isinstance(value, list) else "object"
    return value if kind in wanted else _DROP


def _other(wanted: frozenset[str], value: Any) -> Any:
    """The same value in a type that is wanted, or `_DROP` where none is safe."""
    match value:
        case str() if "integer" in wanted and _WHOLE.match(value.strip()):
            return int(value)
        case str() if "number" in wanted and _NUMBER.match(value.strip()) and math.isfinite(float(value)):
            return int(value) if _WHOLE.match(value.strip()) else float(value)
        case str() if "boolean" in wanted and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        case bool() if "string" in wanted:
            return "true" if value else "false"
        case int() | float() if "string" in wanted and not isinstance(value, bool):
            return str(value)
        case str() | int() | float() | dict() if "array" in wanted:
            return [value]
        case _:
            return _DROP


def _clip(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= 60 else text[:60] + "…"
