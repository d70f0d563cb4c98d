"""keys: what a key means, what could stand there, and where its value in a spec came from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentspec.checker.conceal import without_secrets
from agentspec.checker.effective import as_value, effective_values, origin_values
from agentspec.cli.show import place_of, value_lines
from agentspec.cli.unknown import no_such_key
from agentspec.compose.load import Composed
from agentspec.compose.origin import closed_by, history
from agentspec.spec.describe import KeyDoc, all_keys, describe
from agentspec.spec.in_effect import is_in_effect
from agentspec.syntax.tree import Path, dotted, find, plain


def describe_key(path: Path, kind: str = "agent", shown: str | None = None) -> list[str]:
    """What the language says of a key, which is `shown` so; nothing where it knows no such key."""
    doc = describe(path, kind)
    return [] if doc is None else list(_lines(path, doc, kind, shown or dotted(path)))


def _lines(path: Path, doc: KeyDoc, kind: str, shown: str) -> Iterator[str]:
    yield f"{shown}: {doc.doc or 'a part of the spec'}"
    yield f"takes: {doc.type}"
    if doc.default not in (None, "{}"):
        yield f"default: {doc.default}"
    if doc.keys:
        yield f"keys: {', '.join(doc.keys)}"
    item = describe((*path, 0), kind)
    if item is not None and item.keys:
        yield f"keys of an item: {', '.join(item.keys)}"
    if not is_in_effect(path, kind):
        yield "note: accepted, but not yet in effect"


def key_of_spec(composed: Composed, path: Path) -> Iterator[str]:
    """What a key of a spec means, its value, and the chain of what each layer says of it, the last word first."""
    lines = describe_key(path, composed.kind)
    node = find(composed.tree, path)
    if not lines and node is None:
        raise no_such_key(composed.kind, path)
    yield from lines or [f"{dotted(path)}: a part of the spec"]
    values = without_secrets(effective_values(composed))
    value = without_secrets(plain(node), path) if node is not None else _at(values, path)
    yield f"value: {'not set' if value is None else _json(value)}"
    origins = origin_values(composed, values)
    if value is None:
        yield from _history(composed, path)
    elif isinstance(value, dict) and value:
        yield from (f"  {line}" for line in _below(path, value, origins))
    chain = origins.get(dotted(path), []) if value is not None else []
    for origin in reversed(chain):
        yield f"  {'from' if origin is chain[-1] else 'over'} {place_of(origin)}: {_json(origin['value'])}"
    closing = closed_by(path, composed.layers)
    if closing is not None:
        yield f"final: {place_of(as_value(closing, path))} lets no layer above it change this"


def _history(composed: Composed, path: Path) -> Iterator[str]:
    """Who removed a value, and what the layers below said of it; nothing where no layer speaks of it."""
    for word in reversed(history(path, composed.layers)):
        said = as_value(word.origin, path)
        place = place_of(said)
        yield f"  removed by {place}" if word.does == "removes" else f"  over {place}: {_json(said['value'])}"


def _below(path: Path, value: dict[str, Any], origins: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """The values in a part of the spec, each with its place."""
    above = dotted(path)
    inner = {name.removeprefix(f"{above}."): chain for name, chain in origins.items() if name.startswith(f"{above}.")}
    return value_lines(value, inner)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _at(values: Any, path: Path) -> Any:
    for step in path:
        if isinstance(values, dict) and isinstance(step, str):
            values = values.get(step)
        elif isinstance(values, list) and isinstance(step, int) and step < len(values):
            values = values[step]
        else:
            return None
    return values


def pending_keys() -> Iterator[str]:
    """Every key of an agent that nothing acts on yet, the outermost only."""
    shown: KeyDoc | None = None
    for doc in all_keys():
        is_inside = shown is not None and _is_inside(doc.path, shown)
        if not is_inside and not is_in_effect(tuple(doc.path.replace("[]", ".*").split("."))):
            shown = doc
            yield doc.path


def _is_inside(path: str, outer: KeyDoc) -> bool:
    # `git.compact` is a toolkit of its own, beside `git`: what follows has to be a key of the outer one.
    rest = path.removeprefix(outer.path)
    following = rest.lstrip(".").partition(".")[0].partition("[")[0]
    return rest != path and (rest.startswith(("[", ".*")) or following in outer.keys)
