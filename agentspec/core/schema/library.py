"""library: the `jsonschema` library, kept from the network and from slow patterns.

Never imported before a value is refused or a schema itself is examined: the library takes long to load.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol


class Judge(Protocol):
    """What is used of a validator of the library."""

    def iter_errors(self, instance: Any) -> Iterator[Any]: ...


def _dialect() -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - heavy

    return Draft202012Validator


def _registry() -> Any:
    from jsonschema_specifications import REGISTRY  # noqa: PLC0415 - heavy

    return REGISTRY  # has the metaschemas and no way to fetch anything


def judge_of_schemas(schema: Any) -> Judge:
    """What examines a schema itself: the metaschema of its dialect."""
    from jsonschema.validators import validator_for  # noqa: PLC0415 - heavy

    chosen = validator_for(schema, default=_dialect())
    judge: Judge = chosen(chosen.META_SCHEMA, registry=_registry())
    return judge


def judge_for(schema: Any) -> Judge:
    """What finds every error of a value, by the dialect that the schema names or else 2020-12."""
    from jsonschema import validators  # noqa: PLC0415 - heavy

    library: Any = validators  # its stubs leave `extend` untyped
    base = library.validator_for(schema, default=_dialect()) if isinstance(schema, Mapping) else _dialect()
    judge: Judge = library.extend(base, _SAFE)(schema, registry=_registry())
    return judge


def _pattern(pattern: str) -> Any:
    """A compiled RE2 pattern, or None where RE2 can't read it (look-around): such a pattern is not enforced here."""
    import re2  # noqa: PLC0415 - only schemas with patterns need it

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None


def _check_pattern(_judge: Any, pattern: Any, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - heavy

    if isinstance(value, str) and (compiled := _pattern(pattern)) is not None and not compiled.search(value):
        yield ValidationError("pattern")


def _check_pattern_properties(judge: Any, patterns: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if not isinstance(value, dict):
        return
    for pattern, inner in patterns.items():
        compiled = _pattern(pattern)
        for name, item in value.items():
            if compiled is not None and compiled.search(name):
                yield from judge.descend(item, inner, path=name, schema_path=pattern)


def _check_additional(judge: Any, rule: Any, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - heavy

    if not isinstance(value, dict):
        return
    patterns = [_pattern(pattern) for pattern in schema.get("patternProperties") or ()]
    for name, item in value.items():
        if name in (schema.get("properties") or ()) or any(known and known.search(name) for known in patterns):
            continue
        if rule is False:
            yield ValidationError("additionalProperties", path=[name])
        else:
            yield from judge.descend(item, rule, path=name)


def _check_unique(_judge: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - heavy

    if wanted is True and isinstance(value, list):
        seen: dict[str, int] = {}
        for index, item in enumerate(value):
            first = seen.setdefault(json.dumps(_equal(item), sort_keys=True), index)
            if first != index:
                yield ValidationError("uniqueItems", path=[index])
                return


def _equal(value: Any) -> Any:
    """One form for values that JSON takes for equal: 1 and 1.0 (JSON Schema Core 2020-12, 4.2.2)."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_equal(item) for item in value]
        case dict():
            return {key: _equal(item) for key, item in value.items()}
        case _:
            return value


_SAFE = {
    "pattern": _check_pattern,
    "patternProperties": _check_pattern_properties,
    "additionalProperties": _check_additional,
    "uniqueItems": _check_unique,
}


def bad_patterns(schema: Any, depth: int = 0) -> Iterator[str]:
    """The patterns anywhere in a schema that RE2 can't read."""
    if depth > 64:
        return
    match schema:
        case Mapping():
            found = [schema.get("pattern"), *(schema.get("patternProperties") or ())]
            for pattern in found:
                if isinstance(pattern, str) and _pattern(pattern) is None:
                    yield pattern
            for item in schema.values():
                yield from bad_patterns(item, depth + 1)
        case list():
            for item in schema:
                yield from bad_patterns(item, depth + 1)
        case _:
            return
