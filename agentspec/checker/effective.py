"""effective: a composed spec as plain values: with its inputs filled in and the defaults of the schema."""

from __future__ import annotations

from collections.abc import Mapping as Values
from typing import Any

from agentspec.checker.conceal import without_secrets
from agentspec.checker.report import file_name
from agentspec.compose.bind import bind
from agentspec.compose.load import Composed, input_values
from agentspec.compose.origin import Origin
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.schema import form, root
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence, dotted, plain
from agentspec.text.source import Span

DEFAULT = "default"  # the layer of what the language itself says


def effective_tree(composed: Composed) -> Node:
    """The tree with the value of every input that has one; `${inputs.x}` stays where there is none."""
    place = composed.tree.span
    return bind(composed.tree, {name: node_of(value, place) for name, value in input_values(composed).items()})


def node_of(value: object, place: Span) -> Node:
    """A tree of a plain value; all of it stands at one place."""
    match value:
        case dict():
            entries = [
                Entry(key=Scalar(value=str(key), span=place), value=node_of(item, place)) for key, item in value.items()
            ]
            return Mapping(entries=entries, span=place)
        case list() | tuple():
            return Sequence(items=[node_of(item, place) for item in value], span=place)
        case str() | int() | float() | None:
            return Scalar(value=value, span=place)
        case _:
            return Scalar(value=str(value), span=place)


def effective_values(composed: Composed) -> dict[str, Any]:
    """The plain values that a run would use, defaults included where the language has a fixed one."""
    values = plain(effective_tree(composed))
    assert isinstance(values, dict)
    return _with_defaults(values, root(composed.kind))


def _with_defaults(values: Values[str, Any], wanted: Wanted) -> dict[str, Any]:
    filled = dict(values)
    for name, child in wanted.get("properties", {}).items():
        if isinstance(filled.get(name), dict):
            inner = form(child).mapping
            filled[name] = _with_defaults(filled[name], inner) if inner is not None else filled[name]
        elif name not in filled and (default := _default(child)) is not None:
            filled[name] = default
    return filled


def _default(wanted: Wanted) -> Any:
    """The fixed default of a key; of a mapping, the defaults of its own keys."""
    default = wanted.get("default")
    inner = form(wanted).mapping
    if isinstance(default, dict) and inner is not None:
        return _with_defaults(default, inner) or None
    return default


def origin_values(composed: Composed, values: Values[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """For every value the chain of what each layer says, lowest first, as plain JSON values by dotted path."""
    chains: dict[str, list[dict[str, Any]]] = {
        dotted(path): [as_value(origin, path) for origin in chain] for path, chain in composed.origins.items()
    }
    for path, value in _leaves(values, ()):
        chains.setdefault(
            dotted(path), [{"file": None, "line": None, "column": None, "layer": DEFAULT, "value": value}]
        )
    return chains


def as_value(origin: Origin, path: Path) -> dict[str, Any]:
    """One layer's word on the value at a path, as plain JSON values, and without secrets."""
    first = origin.span.first
    return {
        "file": file_name(origin.span.source.name),
        "line": first.line,
        "column": first.column,
        "layer": origin.layer,
        "value": without_secrets(origin.value, path),
    }


def _leaves(value: Any, path: Path) -> list[tuple[Path, Any]]:
    if isinstance(value, dict) and value:
        return [leaf for name, inner in value.items() for leaf in _leaves(inner, (*path, name))]
    return [(path, value)]
