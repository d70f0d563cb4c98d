"""json_tools: the toolkit `json`: look into a JSON document, change it, check it. Pure functions.

A document comes as JSON text, which is what tools show, or as the value itself. NaN and infinities are no JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from agentspec.adapters.tools.kit import Offered, Setting
from agentspec.adapters.tools.pure.json_path import children, query_json
from agentspec.adapters.tools.pure.pure import LONGEST, Pure, Shown, Unfit, parameter, pure_toolkit
from agentspec.core.schema.validate import compile_schema, problems_of

DEEPEST = 100
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def read_json(document: Any) -> Any:
    """The value of a document. Raises `Unfit` with the place of what is wrong with it."""
    value = _parsed(document) if isinstance(document, str) else document
    _require_shallow(value)
    return value


def _require_shallow(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [child for one in level if isinstance(one, dict | list) for child in children(one)]
        if not level:
            return
    raise Unfit(f"`document` is nested more than {DEEPEST} deep")


def _parsed(document: str) -> Any:
    try:
        return json.loads(document, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unfit(f"`document` is no JSON: {error.msg} at {place}") from None
    except RecursionError:
        raise Unfit(f"`document` is nested more than {DEEPEST} deep") from None
    except ValueError as error:  # a number of more digits than Python reads
        raise Unfit(f"`document` is no JSON: {error}") from None


def _no_constant(word: str) -> Any:
    raise ValueError(f"`{word}` is no number of JSON")


def _written(value: Any, indent: int | None = None, *, sort: bool = False) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=sort, allow_nan=False)
    except (ValueError, RecursionError):
        raise Unfit("the value can't be written as JSON") from None


def json_query(document: Any, query: str, most: int = 100) -> Shown:
    found = query_json(read_json(document), query)
    note = f"\n[{most} of {len(found)} values]" if len(found) > most else ""
    return Shown(_written(found[:most]) + note, {"values": found[:most], "found": len(found)})


def json_get(document: Any, pointer: str) -> Shown:
    value = read_json(document)
    for step in _steps(pointer):
        value = _child(value, step, pointer)
    return Shown(_written(value), value)


def _steps(pointer: str) -> list[str]:
    """The steps of a JSON Pointer (RFC 6901)."""
    if pointer and not pointer.startswith("/"):
        raise Unfit("a pointer is empty (the whole document) or begins with `/`, such as `/items/0/name`")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _child(value: Any, step: str, pointer: str) -> Any:
    match value:
        case dict() if step in value:
            return value[step]
        case list() if _INDEX.fullmatch(step) and int(step) < len(value):
            return value[int(step)]
        case dict():
            known = ", ".join(f"`{key}`" for key in list(value)[:20]) or "no keys at all"
            raise Unfit(f"nothing at `{pointer}`: there is no key `{step}` among {known}")
        case list():
            raise Unfit(f"nothing at `{pointer}`: `{step}` is no index of a list of {len(value)} items")
        case _:
            raise Unfit(f"nothing at `{pointer}`: `{step}` would have to stand in a mapping or a list")


def json_set(document: Any, pointer: str, value: Any) -> Any:
    def put(parent: Any, step: str) -> None:
        match parent:
            case dict():
                parent[step] = value
            case list() if step == "-":
                parent.append(value)
            case _:
                _child(parent, step, pointer)
                parent[int(step)] = value

    return _changed(document, pointer, put) if pointer else value


def json_remove(document: Any, pointer: str) -> Any:
    def remove(parent: Any, step: str) -> None:
        _child(parent, step, pointer)
        del parent[step if isinstance(parent, dict) else int(step)]

    if not pointer:
        raise Unfit("the whole document can't be removed from itself")
    return _changed(document, pointer, remove)


def _changed(document: Any, pointer: str, change: Callable[[Any, str], None]) -> Any:
    """A copy of the document, changed at the end of the pointer."""
    value = json.loads(_written(read_json(document)))
    parent = value
    steps = _steps(pointer)
    for step in steps[:-1]:
        parent = _child(parent, step, pointer)
    if not isinstance(parent, dict | list):
        _child(parent, steps[-1], pointer)
    change(parent, steps[-1])
    return value


def json_merge(document: Any, patch: Any) -> Any:
    """JSON Merge Patch (RFC 7396)."""
    return _merged(read_json(document), read_json(patch), 0)


def _merged(value: Any, patch: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise Unfit(f"`patch` is nested more than {DEEPEST} deep")
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, dict) else {}
    for key, inner in patch.items():
        if inner is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), inner, depth + 1)
    return merged


def json_format(document: Any, indent: int = 2, *, sort_keys: bool = False) -> str:
    text = _written(read_json(document), indent or None, sort=sort_keys)
    if len(text) > LONGEST:
        raise Unfit(f"the result would have more than {LONGEST} characters")
    return text


def json_validate(document: Any, schema: Any = None) -> Shown:
    try:
        value = read_json(document)
    except Unfit as problem:
        return _verdict([str(problem)])
    if schema is None:
        return _verdict([])
    schema = read_json(schema)
    broken = problems_of(schema)
    if broken:
        raise Unfit("`schema` is no JSON Schema: " + "; ".join(broken))
    return _verdict(compile_schema(schema, noun="key").check(value))


def _verdict(problems: list[str]) -> Shown:
    text = "valid" if not problems else "not valid:\n" + "\n".join(f"- {problem}" for problem in problems)
    return Shown(text, {"valid": not problems, "problems": problems})


_DOCUMENT = parameter("any", "The document: JSON text, or the value itself.")
_POINTER = parameter("string", "Where, as a JSON Pointer: `/items/0/name`; empty is the whole document.")
TOOLS: dict[str, Pure] = {
    "json_query": Pure(
        "Find values in a JSON document with a JSONPath query (RFC 9535), such as `$.items[?@.price < 10].name`.",
        {
            "document": _DOCUMENT,
            "query": parameter(
                "string", "The query: `.name`, `[0]`, `[1:3]`, `[*]`, `..name`, `[?@.a == 'x' && @.b]`."
            ),
            "most": parameter("integer?", "Most values to show; 100 if not given.", minimum=1, maximum=10_000),
        },
        json_query,
    ),
    "json_get": Pure("Take one value out of a JSON document.", {"document": _DOCUMENT, "pointer": _POINTER}, json_get),
    "json_set": Pure(
        "Set a value in a JSON document; `/-` at the end appends to a list. Answers the whole new document.",
        {"document": _DOCUMENT, "pointer": _POINTER, "value": parameter("any", "The new value.")},
        json_set,
    ),
    "json_remove": Pure(
        "Take a key or an item away. Answers the whole new document.",
        {"document": _DOCUMENT, "pointer": _POINTER},
        json_remove,
    ),
    "json_merge": Pure(
        "Merge a patch into a JSON document (RFC 7396): mappings key by key, null removes. Answers the new document.",
        {"document": _DOCUMENT, "patch": parameter("any", "The patch: JSON text, or the value itself.")},
        json_merge,
    ),
    "json_format": Pure(
        "Write a JSON document with indentation, or on one line.",
        {
            "document": _DOCUMENT,
            "indent": parameter("integer?", "Blanks of a level; 2 if not given, 0 for one line.", minimum=0, maximum=8),
            "sort_keys": parameter("boolean?", "Whether keys are sorted."),
        },
        json_format,
    ),
    "json_validate": Pure(
        "Tell whether a text is JSON, and whether it fits a JSON Schema (2020-12), with everything that is wrong.",
        {"document": _DOCUMENT, "schema": parameter("any?", "The schema; only the syntax is checked if not given.")},
        json_validate,
    ),
}


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `json`."""
    return pure_toolkit("json", TOOLS, options, setting)
