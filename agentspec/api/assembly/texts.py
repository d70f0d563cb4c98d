"""texts: what a spec says to models, filled in when a run opens, so that its journal holds what is really said."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any

import msgspec

from agentspec.api.assembly.assemble import Names, filled_in
from agentspec.spec.describe import describe
from agentspec.syntax.tree import Path, dotted

# These are filled in where they are used: a task may be given instead, and a system text may stand in a file.
ALONE = (("task",), ("context", "system"))


def filled_texts(values: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """The values with every text for a model filled in; a part that holds none is the very one that it was.

    Raises `Unavailable` naming the key that can't be filled in.

    >>> filled_texts({"execution": {"nudge": "Go on, ${inputs.who}."}}, {"inputs": {"who": "Ada"}})
    {'execution': {'nudge': 'Go on, Ada.'}}
    """
    return {
        name: _filled(value, (name,), names) if _may_hold_templates(value) else value for name, value in values.items()
    }


def _may_hold_templates(value: Any) -> bool:
    """Told without walking through it, which most sections of most specs need not be."""
    try:
        return b"${" in msgspec.json.encode(value)
    except (OverflowError, TypeError, ValueError):  # JSON can't carry it, half a character for example
        return True


def _filled(value: Any, path: Path, names: Names) -> Any:
    match value:
        case str():
            is_filled = "${" in value and path not in ALONE and _is_for_models(path)
            return filled_in(value, names, dotted(path)) if is_filled else value
        case bool() | int() | float() | None:
            return value
        case list():
            filled = [_filled(inner, (*path, index), names) for index, inner in enumerate(value)]
            return value if all(map(is_, filled, value)) else filled
        case dict():
            found = {name: _filled(inner, (*path, name), names) for name, inner in value.items()}
            return value if all(map(is_, found.values(), value.values())) else found
        case _:
            return value


def _is_for_models(path: Path) -> bool:
    return _kind(path) == "template" or any(_kind(path[:at]) == "templates" for at in range(1, len(path)))


def _kind(path: Path) -> str:
    """What stands there: one text for models (`template`), or values that hold such texts (`templates`)."""
    doc = describe(path)
    annotation = (doc.annotation if doc is not None else None) or {}
    return str(annotation.get("kind")) if annotation.get("place") == "prompt" else ""
