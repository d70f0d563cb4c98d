"""words: what a schema finds wrong with a value, in sentences for a model.

Knows the fields of the validation library's errors but not the library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentspec.core.calls.adapt import join
from agentspec.text.suggest import nearest

MOST = 20  # problems, names and members that are told

_TYPE_WORDS = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


def words_of(error: Any, noun: str) -> Iterator[str]:
    """One error of the judge as sentences for the model."""
    where = ""
    for step in error.absolute_path:
        where = join(where, step)
    keyword = error.validator
    limit, value = error.validator_value, error.instance
    if keyword == "required":
        yield from (f"`{join(where, name)}` is missing" for name in limit if name not in value)
    elif keyword == "additionalProperties" and error.message == keyword:
        yield _unknown_name(error, where, noun)
    elif keyword in ("anyOf", "oneOf") and error.context:
        yield from _branches(error, where, noun)
    else:
        sentence = _SENTENCES.get(keyword)
        subject = (
            f"`{where}`"
            if where
            else "the arguments"
            if noun == "argument" and isinstance(value, dict)
            else "the value"
        )
        yield f"{subject} {sentence(limit, value) if sentence else 'is not valid: ' + clip(error.message, 200)}"


def _unknown_name(error: Any, where: str, noun: str) -> str:
    known = list(error.schema.get("properties") or ())
    name = str(error.absolute_path[-1])
    near = nearest(name, known)
    if near:
        return f"unknown {noun} `{clip(where)}`; did you mean `{near[0]}`?"
    names = ", ".join(f"`{item}`" for item in known[:MOST])
    return f"unknown {noun} `{clip(where)}`; " + (f"known: {names}" if known else f"it takes no {noun}s here")


def _branches(error: Any, where: str, noun: str) -> Iterator[str]:
    """What the one branch says that fits in type, or else the list of forms that would do."""
    by_branch: dict[int, list[Any]] = {}
    for inner in error.context:
        by_branch.setdefault(inner.relative_schema_path[0], []).append(inner)
    fitting = [
        found for found in by_branch.values() if not any(e.validator == "type" and not e.relative_path for e in found)
    ]
    if len(fitting) == 1:
        for inner in fitting[0]:
            yield from words_of(inner, noun)
        return
    forms = ", or ".join(dict.fromkeys(_form(branch) for branch in error.validator_value))
    yield f"{f'`{where}`' if where else 'the value'} must be {forms}, not {_named(error.instance)}"


def _form(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "another form"
    if isinstance(schema.get("enum"), list):
        return "one of " + _listed(schema["enum"])
    if "const" in schema:
        return show(schema["const"])
    word = schema.get("type")
    form = _types(word) if word else "another form"
    if word == "object" and schema.get("required"):
        form += " with " + ", ".join(f"`{name}`" for name in schema["required"])
    return form


def _types(word: Any) -> str:
    words = [word] if isinstance(word, str) else list(word)
    return " or ".join(_TYPE_WORDS.get(item, str(item)) for item in words)


def _listed(members: Any) -> str:
    shown = ", ".join(show(member) for member in members[:MOST])
    return shown + (", …" if len(members) > MOST else "")


def _enum(members: Any, value: Any) -> str:
    near = nearest(value, [member for member in members if isinstance(member, str)]) if isinstance(value, str) else []
    return f"must be one of {_listed(members)}, not {_named(value)}" + (f'; did you mean "{near[0]}"?' if near else "")


def _count(noun: str, plural: str, word: str) -> Callable[[Any, Any], str]:
    return lambda limit, value: f"must have at {word} {limit} {noun if limit == 1 else plural}, not {len(value)}"


_SENTENCES: dict[str, Callable[[Any, Any], str]] = {
    "type": lambda limit, value: f"must be {_types(limit)}, not {_named(value)}",
    "enum": _enum,
    "const": lambda limit, value: f"must be {show(limit)}, not {_named(value)}",
    "minimum": lambda limit, value: f"must be at least {limit}, not {show(value)}",
    "maximum": lambda limit, value: f"must be at most {limit}, not {show(value)}",
    "exclusiveMinimum": lambda limit, value: f"must be more than {limit}, not {show(value)}",
    "exclusiveMaximum": lambda limit, value: f"must be less than {limit}, not {show(value)}",
    "multipleOf": lambda limit, value: f"must be a multiple of {limit}, not {show(value)}",
    "minLength": _count("character", "characters", "least"),
    "maxLength": _count("character", "characters", "most"),
    "minItems": _count("item", "items", "least"),
    "maxItems": _count("item", "items", "most"),
    "minProperties": _count("key", "keys", "least"),
    "maxProperties": _count("key", "keys", "most"),
    "pattern": lambda limit, value: f"must match the pattern {show(limit)}, not {_named(value)}",
    "uniqueItems": lambda _limit, _value: "repeats an earlier item of its list",
}


def _named(value: Any) -> str:
    """A value with the name of its type: `the string "3"`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {show(value)}"
        case str():
            return f"the string {show(value)}"
        case list():
            return "a list"
        case _:
            return "an object"


def show(value: Any) -> str:
    return clip(json.dumps(value, ensure_ascii=False, default=str))


def clip(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[:most] + "…"
