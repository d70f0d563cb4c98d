"""plain_schema: the parameters of a tool in the words that every provider takes, for one whose schema was refused.

What is lost stands in the description, and the arguments are held to the whole schema all the same, by whoever runs
the tool: the model is told less exactly, and nothing is let through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.adapters.models.wires.draft import mapping_of
from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.ports import ToolSchema

DEEPEST = 6  # levels; what lies deeper is any object
TYPES = ("string", "number", "integer", "boolean", "array", "object")
LEGAL = re.compile(r"[A-Za-z0-9_.-]{1,64}")
TOLD = 4000  # characters of a schema in a description
WORDS = "The arguments have to fit this JSON Schema: "
# How servers name the tool whose schema they refuse: by its name, or by its place among all.
BY_NAME = re.compile(r"invalid schema for (?:function|tool) '([^']+)'")
BY_PLACE = re.compile(r"tools\.(\d+)\.(?:custom\.)?input_schema|function_declarations\[(\d+)\]")
# How those do that name none: llama.cpp, which makes one grammar of all; Google.
BY_NEITHER = re.compile(r"schema conversion failed|failed to parse grammar|too many states for serving")


def is_refused(words: str) -> bool:
    """Whether a refusal, in lower case, is about the schema of a tool.

    >>> is_refused("invalid schema for function 'look': array schema missing items")
    True
    """
    return any(form.search(words) for form in (BY_NAME, BY_PLACE, BY_NEITHER))


def refused_tool(words: str, tools: tuple[ToolSchema, ...]) -> str | None:
    """The name of the tool that a refusal is about; None where it can't be told."""
    named = BY_NAME.search(words)
    if named is not None:
        return next((tool.name for tool in tools if tool.name.lower() == named[1]), None)
    placed = BY_PLACE.search(words)
    place = None if placed is None else int(placed[1] or placed[2])
    return tools[place].name if place is not None and place < len(tools) else None


def plain_tool(tool: ToolSchema) -> ToolSchema:
    """The tool with plain parameters, and its whole schema in its description."""
    whole = to_json(tool.parameters).decode()
    told = whole if len(whole) <= TOLD else f"{whole[:TOLD]}…"
    words = "\n\n".join(filter(None, (tool.description, WORDS + told)))
    return replace(tool, parameters=plain({**tool.parameters, "type": "object"}), description=words)


def plain(schema: Any) -> dict[str, Any]:
    """A schema of types, properties, lists and words to choose from, and of nothing else.

    >>> plain({"type": ["string", "null"], "minLength": 1}), plain({"anyOf": [{"type": "null"}, {"type": "integer"}]})
    ({'type': 'string'}, {'type': 'integer'})
    """
    return _plain(schema, schema, 0)


def _plain(schema: Any, root: Any, depth: int) -> dict[str, Any]:
    found = _resolved(schema, root)
    kind = _type_of(found)
    made: dict[str, Any] = {"type": kind}
    if isinstance(found.get("description"), str):
        made["description"] = found["description"]
    if kind == "object":
        given = mapping_of(found.get("properties")) if depth < DEEPEST else {}
        names = [name for name in given if LEGAL.fullmatch(name)]
        made["properties"] = {name: _plain(given[name], root, depth + 1) for name in names}
        required = found.get("required")
        made |= {"required": kept} if (kept := _among(required, names)) else {}
    elif kind == "array":
        made["items"] = _plain(found.get("items"), root, depth + 1) if depth < DEEPEST else {"type": "string"}
    elif kind == "string":
        words = found.get("enum", [found["const"]] if "const" in found else None)
        is_words = isinstance(words, list) and words and all(isinstance(word, str) and word for word in words)
        made |= {"enum": words} if is_words else {}
    return made


def _among(required: Any, names: list[str]) -> list[str]:
    return [name for name in required if name in names] if isinstance(required, list) else []


def _type_of(schema: Mapping[str, Any]) -> str:
    told = schema.get("type")
    kinds = [each for each in (told if isinstance(told, list) else [told]) if each in TYPES]
    if kinds:
        return str(kinds[0])
    return "object" if "properties" in schema else "array" if "items" in schema else "string"


def _resolved(schema: Any, root: Any) -> Mapping[str, Any]:
    """What a reference refers to, and of alternatives the first that is one; anything where it leads in a circle."""
    seen: list[str] = []
    while isinstance(schema, Mapping):
        reference, option = schema.get("$ref"), _option(schema)
        if isinstance(reference, str) and reference not in seen:
            seen.append(reference)
            schema = _with_words_of(schema, _at(reference, root))
        elif option is not None and "type" not in schema and "properties" not in schema:
            schema = _with_words_of(schema, option)
        else:
            return schema
    return {}


def _option(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first of the alternatives that is more than nothing."""
    listed = [schema[word] for word in ("anyOf", "oneOf", "allOf") if isinstance(schema.get(word), list)]
    options = [each for options in listed for each in options if isinstance(each, Mapping)]
    return next((each for each in options if each.get("type") != "null"), None)


def _with_words_of(schema: Mapping[str, Any], target: Any) -> Any:
    """What a schema stands for, with its own description."""
    words = {"description": schema["description"]} if "description" in schema else {}
    return {**target, **words} if isinstance(target, Mapping) else target


def _at(reference: str, root: Any) -> Any:
    """The part of a schema that `#` or `#/$defs/NAME` means; None where there is none."""
    if reference == "#":
        return root
    found = root
    for step in reference.removeprefix("#/").split("/") if reference.startswith("#/") else [""]:
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found
