"""shorthand: the short forms of types in a spec, lowered to JSON Schema 2020-12.

Lowering is exact or refused: a form that says nothing known raises `SpecInvalid` with its place and the way out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentspec.errors import SpecInvalid
from agentspec.text.suggest import nearest

TYPES = ("string", "integer", "number", "boolean", "object", "any")
_OTHER_NAMES = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "list": "any[]",
    "array": "any[]",
}
_WORD = re.compile(r"\s*([A-Za-z]+)((?:\[\]|\?)*)\s*\Z")
_FORMS = ("type", "enum", "items", "fields", "any_of", "schema")
_BESIDE = ("optional", "default", "description")
# Limits of JSON Schema that may stand beside a form under their own names.
_LIMITS = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"),
    )
)
_MAX_DEPTH = 64


def lower_parameters(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """The object schema of a tool's parameters: closed, and each required unless optional or with a default.

    `{schema: {…}}` alone is a JSON Schema that is taken as written.

    >>> lower_parameters({"lhs": "number", "note": "string?"})["required"]
    ['lhs']
    """
    parameters = parameters or {}
    full = parameters.get("schema")
    if len(parameters) == 1 and isinstance(full, Mapping) and ("properties" in full or full.get("type") == "object"):
        return dict(full)
    return _object(parameters, "", 0)


def lower(form: Any) -> dict[str, Any]:
    """The schema of one type; `T?` alone also takes null.

    >>> lower("string[]")
    {'type': 'array', 'items': {'type': 'string'}}
    """
    return _type(form, "", 0)


def _object(fields: Mapping[str, Any], where: str, depth: int) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, form in fields.items():
        here = f"{where}.{name}" if where else str(name)
        is_optional = _is_optional(form)
        properties[str(name)] = _type(_bare(form), here, depth + 1)
        if not is_optional:
            required.append(str(name))
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema | {"additionalProperties": False}


def _is_optional(form: Any) -> bool:
    match form:
        case str():
            return form.rstrip().endswith("?")
        case Mapping():
            return form.get("optional") is True or "default" in form or _is_optional(form.get("type"))
        case _:
            return False


def _bare(form: Any) -> Any:
    """The form of a field without the mark that it may be left out."""
    match form:
        case str():
            return form.rstrip().removesuffix("?")
        case Mapping() if isinstance(form.get("type"), str):
            return {**form, "type": _bare(form["type"])}
        case _:
            return form


def _type(form: Any, where: str, depth: int) -> dict[str, Any]:
    if depth > _MAX_DEPTH:
        raise SpecInvalid(f"the type of `{where[:80]}…` is nested more than {_MAX_DEPTH} deep")
    match form:
        case str():
            return _word(form, where)
        case Mapping():
            return _mapping(form, where, depth)
        case _:
            raise _refused(where, f"{form!r:.60} is no type", "write a name such as `string`, or a mapping")


def _word(form: str, where: str) -> dict[str, Any]:
    found = _WORD.match(form)
    if found is None or found[1] not in TYPES:
        name = found[1] if found else form.strip()
        near = [_OTHER_NAMES[name.lower()]] if name.lower() in _OTHER_NAMES else nearest(name, TYPES)
        way = f"did you mean `{near[0]}`?" if near else "known: " + ", ".join(f"`{word}`" for word in TYPES)
        raise _refused(where, f"unknown type `{name[:60]}`", way)
    schema: dict[str, Any] = {} if found[1] == "any" else {"type": found[1]}
    for mark in re.findall(r"\[\]|\?", found[2]):
        schema = {"type": "array", "items": schema} if mark == "[]" else {"anyOf": [schema, {"type": "null"}]}
    return schema


def _mapping(form: Mapping[str, Any], where: str, depth: int) -> dict[str, Any]:
    kinds = [key for key in _FORMS if key in form]
    if len(kinds) != 1:
        known = ", ".join(f"`{key}`" for key in _FORMS)
        raise _refused(where, "a type in a mapping has exactly one of " + known, f"this one has {len(kinds)}")
    for key in form:
        if key not in _FORMS and key not in _BESIDE and key not in _LIMITS:
            near = nearest(str(key), (*_FORMS, *_BESIDE, *_LIMITS))
            raise _refused(where, f"unknown key `{key}`", f"did you mean `{near[0]}`?" if near else "")
    schema = _kind(kinds[0], form[kinds[0]], where, depth)
    return schema | {key: value for key, value in form.items() if key in _LIMITS or key in ("default", "description")}


def _kind(kind: str, value: Any, where: str, depth: int) -> dict[str, Any]:
    match kind, value:
        case "type", _:
            return _type(value, where, depth + 1)
        case "enum", list() if value:
            return {"enum": list(value)}
        case "items", _:
            return {"type": "array", "items": _type(value, f"{where}[]", depth + 1)}
        case "fields", Mapping():
            return _object(value, where, depth)
        case "any_of", list() if value:
            return {"anyOf": [_type(item, where, depth + 1) for item in value]}
        case "schema", Mapping():
            return dict(value)
        case _:
            shapes = {"fields": "a mapping of names to types", "schema": "a JSON Schema"}
            raise _refused(where, f"`{kind}` holds {shapes.get(kind, 'a list that is not empty')}", "")


def _refused(where: str, problem: str, way: str) -> SpecInvalid:
    place = f"`{where}`: " if where else ""
    return SpecInvalid(f"{place}{problem}; {way}" if way else f"{place}{problem}")
