"""quick: decide at once that a value is surely valid by a small JSON Schema.

Answers yes or "don't know", never no: whatever it can't decide is left to the full validator. The keywords are those
of JSON Schema 2020-12 that tools use most; their meaning is the same since draft 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Test: TypeAlias = Callable[[Any], bool]

_UNDECIDED = frozenset(
    word
    for line in (
        "$ref $dynamicRef $recursiveRef $id $anchor $dynamicAnchor $vocabulary not oneOf if then else",
        "dependentSchemas dependentRequired dependencies prefixItems additionalItems contains minContains maxContains",
        "patternProperties propertyNames unevaluatedProperties unevaluatedItems uniqueItems multipleOf minProperties",
        "maxProperties pattern extends disallow divisibleBy",
    )
    for word in line.split()
)


def compile_quick(schema: Any) -> Test:
    """A test that is true only for values that the schema surely accepts."""
    try:
        return _compile(schema)
    except RecursionError:
        return _unknown


def _unknown(_value: Any) -> bool:
    return False


def _anything(_value: Any) -> bool:
    return True


def _compile(schema: Any) -> Test:
    if schema is True:
        return _anything
    if not isinstance(schema, Mapping) or not _UNDECIDED.isdisjoint(schema):
        return _unknown
    tests: list[Test] = []
    for keyword, value in schema.items():
        maker = _MAKERS.get(keyword)
        if maker is not None:
            tests.append(maker(value, schema))
    if not tests:
        return _anything
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda value: first(value) and second(value)
    return lambda value: all(test(value) for test in tests)


def _is_integer(value: Any) -> bool:
    # 1.0 is an integer (JSON Schema Core 2020-12, 4.2.1 and Validation 6.1.1).
    return (isinstance(value, int) and value is not True and value is not False) or (
        isinstance(value, float) and value.is_integer()
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and value is not True and value is not False


TYPES: dict[str, Test] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": _is_number,
    "boolean": lambda value: value is True or value is False,
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _type(word: Any, _schema: Mapping[str, Any]) -> Test:
    if isinstance(word, str):
        return TYPES.get(word, _unknown)
    if not isinstance(word, list) or not all(isinstance(item, str) and item in TYPES for item in word):
        return _unknown
    tests = [TYPES[item] for item in word]
    return lambda value: any(test(value) for test in tests)


def _enum(members: Any, _schema: Mapping[str, Any]) -> Test:
    # Words only: numbers and booleans compare otherwise in JSON than in Python (1, 1.0, true).
    if not isinstance(members, list):
        return _unknown
    words = frozenset(member for member in members if isinstance(member, str))
    return lambda value: isinstance(value, str) and value in words


def _const(member: Any, schema: Mapping[str, Any]) -> Test:
    return _enum([member], schema)


def _properties(properties: Any, _schema: Mapping[str, Any]) -> Test:
    if not isinstance(properties, Mapping):
        return _unknown
    tests = {name: _compile(inner) for name, inner in properties.items()}

    def test(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name, item in value.items():
            check = tests.get(name)
            if check is not None and not check(item):
                return False
        return True

    return test


def _additional(rule: Any, schema: Mapping[str, Any]) -> Test:
    known = frozenset(schema.get("properties") or ())
    if rule is False:
        return lambda value: not isinstance(value, dict) or known.issuperset(value)
    check = _compile(rule)
    return lambda value: (
        not isinstance(value, dict) or all(check(item) for name, item in value.items() if name not in known)
    )


def _required(names: Any, _schema: Mapping[str, Any]) -> Test:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return _unknown
    wanted = frozenset(names)
    return lambda value: not isinstance(value, dict) or value.keys() >= wanted


def _items(rule: Any, _schema: Mapping[str, Any]) -> Test:
    check = _compile(rule)
    return lambda value: not isinstance(value, list) or all(map(check, value))


def _any_of(branches: Any, _schema: Mapping[str, Any]) -> Test:
    if not isinstance(branches, list):
        return _unknown
    tests = [_compile(branch) for branch in branches]
    return lambda value: any(test(value) for test in tests)


def _all_of(branches: Any, _schema: Mapping[str, Any]) -> Test:
    if not isinstance(branches, list):
        return _unknown
    tests = [_compile(branch) for branch in branches]
    return lambda value: all(test(value) for test in tests)


def _bound(measure: Callable[[Any, Any], bool]) -> Callable[[Any, Mapping[str, Any]], Test]:
    def make(limit: Any, _schema: Mapping[str, Any]) -> Test:
        if not _is_number(limit):
            return _unknown
        return lambda value: not _is_number(value) or measure(value, limit)

    return make


def _size(kind: type[str | list[Any]], measure: Callable[[int, Any], bool]) -> Callable[[Any, Mapping[str, Any]], Test]:
    def make(limit: Any, _schema: Mapping[str, Any]) -> Test:
        if not _is_number(limit):
            return _unknown
        return lambda value: not isinstance(value, kind) or measure(len(value), limit)

    return make


_MAKERS: dict[str, Callable[[Any, Mapping[str, Any]], Test]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "additionalProperties": _additional,
    "required": _required,
    "items": _items,
    "anyOf": _any_of,
    "allOf": _all_of,
    "minimum": _bound(lambda value, limit: bool(value >= limit)),
    "maximum": _bound(lambda value, limit: bool(value <= limit)),
    "exclusiveMinimum": _bound(lambda value, limit: bool(value > limit)),
    "exclusiveMaximum": _bound(lambda value, limit: bool(value < limit)),
    "minLength": _size(str, lambda size, limit: bool(size >= limit)),
    "maxLength": _size(str, lambda size, limit: bool(size <= limit)),
    "minItems": _size(list, lambda size, limit: bool(size >= limit)),
    "maxItems": _size(list, lambda size, limit: bool(size <= limit)),
}
