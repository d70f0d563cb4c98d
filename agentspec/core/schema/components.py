"""components: JSON Schemas that a spec writes once (`capability.components`) and refers to from its tools.

`{"$ref": "#/components/NAME"}` becomes a reference to `$defs` of the tool's own schema, which carries what it names and
nothing else: a model's provider sees whole schemas. Nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agentspec.errors import SpecInvalid
from agentspec.text.suggest import nearest

_REF = r"#/components/(?:schemas/)?([^/]+)(/.*)?\Z"
_MAX_DEPTH = 64


def with_components(schema: Mapping[str, Any], components: Mapping[str, Any] | None) -> dict[str, Any]:
    """The schema with every component that it names, also by another one. Raises `SpecInvalid` for an unknown name.

    >>> with_components({"items": {"$ref": "#/components/Id"}}, {"Id": {"type": "string"}})
    {'items': {'$ref': '#/$defs/Id'}, '$defs': {'Id': {'type': 'string'}}}
    """
    resolver = _Resolver(components or {}, schema.get("$defs") or {})
    found = resolver.rewritten(schema, 0)
    resolver.add_named()
    return {**found, "$defs": {**(found.get("$defs") or {}), **resolver.defs}} if resolver.defs else dict(found)


def component_of(ref: str) -> tuple[str, str] | None:
    """The component that a reference names, and the pointer into it; None where it names none.

    >>> component_of("#/components/Id/items"), component_of("#/$defs/Id")
    (('Id', '/items'), None)
    """
    found = re.match(_REF, ref)
    return None if found is None else (found[1].replace("~1", "/").replace("~0", "~"), found[2] or "")


class _Resolver:
    """Rewrites references and remembers what they name; `taken` are names that the schema defines itself."""

    def __init__(self, components: Mapping[str, Any], taken: Mapping[str, Any]) -> None:
        self._components = components
        self._taken = taken
        self._waiting: list[str] = []
        self.defs: dict[str, Any] = {}

    def add_named(self) -> None:
        """Put in each component that was named, until none names another."""
        while self._waiting:
            name = self._waiting.pop(0)
            self.defs[self._key(name)] = self.rewritten(self._components[name], 0)

    def rewritten(self, value: Any, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise SpecInvalid(f"a schema is nested more than {_MAX_DEPTH} deep")
        match value:
            case Mapping():
                return {key: self._keyword(key, inner, depth) for key, inner in value.items()}
            case list():
                return [self.rewritten(item, depth + 1) for item in value]
            case _:
                return value

    def _keyword(self, key: str, value: Any, depth: int) -> Any:
        return self._reference(value) if key == "$ref" and isinstance(value, str) else self.rewritten(value, depth + 1)

    def _reference(self, ref: str) -> str:
        found = component_of(ref)
        if found is None:
            return ref
        name, pointer = found
        if name not in self._components:
            near = nearest(name, self._components)
            known = ", ".join(f"`{one}`" for one in self._components) or "none"
            way = f"did you mean `{near[0]}`?" if near else f"`capability.components` has {known}"
            raise SpecInvalid(f"`{ref}` names the component `{name}`, which is not there; {way}")
        key = self._key(name)
        if key not in self.defs:
            self.defs[key] = {}
            self._waiting.append(name)
        return f"#/$defs/{key}{pointer}"

    def _key(self, name: str) -> str:
        return f"components.{name}" if name in self._taken else name
