"""references: where a `$ref` of a schema leads. Nothing is ever fetched.

Source: JSON Schema 2020-12 core, 8.2 (`$id`, `$anchor`, `$ref`), and RFC 6901 for pointers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from agentspec.core.schema.components import component_of
from agentspec.text.suggest import nearest

MOST = 8  # names that are told


def dead_end(ref: str, root: Any, components: Mapping[str, Any]) -> tuple[str, str] | None:
    """Why a reference in the schema `root` leads nowhere, and the way out; None where it leads somewhere.

    >>> dead_end("#/components/Persn", {}, {"Person": {}})
    ('there is no component `Persn`', 'did you mean `#/components/Person`?')
    """
    named = component_of(ref)
    if named is not None:
        return _in_components(*named, components)
    if any(True for _ in _found("$id", root)):  # it may have several documents in it
        return None
    if not ref.startswith("#"):
        return "it names another document, and nothing is fetched", "put the schema into `capability.components`"
    fragment = unquote(ref[1:])
    is_there = _is_there(root, fragment) if not fragment or fragment.startswith("/") else fragment in _anchors(root)
    last = fragment.rpartition("/")[2]
    way = (
        f"write `#/components/{last}`"
        if last in components
        else "write it from the root of this schema: `#/$defs/NAME`"
    )
    return None if is_there else ("nothing stands there in this schema", way)


def _in_components(name: str, pointer: str, components: Mapping[str, Any]) -> tuple[str, str] | None:
    if name not in components:
        near = nearest(name, list(components))
        known = ", ".join(f"`{one}`" for one in list(components)[:MOST])
        way = f"did you mean `#/components/{near[0]}`?" if near else f"there are {known}" if known else "add it there"
        return f"there is no component `{name}`", way
    if _is_there(components[name], pointer):
        return None
    return f"nothing stands there in the component `{name}`", f"write `#/components/{name}`, or where in it"


def _is_there(value: Any, pointer: str) -> bool:
    for escaped in pointer.split("/")[1:]:
        step = escaped.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return False
    return True


def _anchors(root: Any) -> set[str]:
    return {value for name in ("$anchor", "$dynamicAnchor") for value in _found(name, root) if isinstance(value, str)}


def _found(key: str, value: Any) -> Iterator[Any]:
    """Every value of a key, however deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            if key in one:
                yield one[key]
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
