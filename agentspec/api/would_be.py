"""would_be: what is different in a spec where something else stands below it: its values, its authority, its errors.

What the model is told and given is compared, not where that is kept: a path is told only where all that it leads to is
the same. Nothing is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from agentspec.api.authority import asking, difference, rights_in
from agentspec.api.contents import with_contents
from agentspec.checker.check import agents_in, check_composed
from agentspec.checker.conceal import without_secrets
from agentspec.compose.changes import Change, changes
from agentspec.compose.files import Files
from agentspec.compose.libraries.naming import with_names, without_copies
from agentspec.compose.load import Composed
from agentspec.compose.preset import NOT_INHERITED
from agentspec.syntax.tree import Path as Keys
from agentspec.syntax.tree import dotted, plain


class View(NamedTuple):
    """A document, composed, and the files that it was composed of."""

    composed: Composed
    files: Files


def spec_change(place: str, was: View, would_be: View, *, is_known: bool = True) -> dict[str, Any]:
    """What is different in an agent, as plain values: `spec`, `changes`, `authority`, `problems`.

    Where it is not known what it was, it seems to say the same before: then every error is a new one.
    """
    return {
        "spec": place,
        "changes": value_changes(was, would_be, {"use"}),
        "authority": authority_change(was, would_be),
        "problems": new_problems(was if is_known else None, would_be),
    }


def preset_change(was: View, would_be: View) -> dict[str, Any]:
    """What is different in what a preset hands on: `changes` and `authority`."""
    own = NOT_INHERITED | {"inputs"}
    return {"changes": value_changes(was, would_be, own), "authority": authority_change(was, would_be)}


def value_changes(was: View, would_be: View, but: set[str] | frozenset[str]) -> list[dict[str, Any]]:
    """What two documents say differently, each as `path`, `a` and `b`; top-level keys in `but` do not count."""
    held = changes(*(_kept(with_contents(*view), but) for view in (was, would_be)))
    named = changes(*(_kept(_named(*view), but) for view in (was, would_be)))
    moved = [each for each in named if not any(_is_of(each.path, other.path) for other in held)]
    return [_told(each) for each in (*held, *moved)]


def _named(composed: Composed, files: Files) -> Any:
    return plain(with_names(composed.tree, composed.project, Path(asking(composed).folder), files))


def _kept(values: Any, but: set[str] | frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in but}


def _is_of(path: Keys, other: Keys) -> bool:
    """Whether one of two paths leads to the other."""
    least = min(len(path), len(other))
    return path[:least] == other[:least]


def _told(change: Change) -> dict[str, Any]:
    a, b = (without_secrets(value, change.path) for value in (change.before, change.after))
    return {"path": dotted(change.path), "a": a, "b": b}


def authority_change(was: View, would_be: View) -> dict[str, Any]:
    """What may be done in addition, and no more, as plain values."""
    found = difference(rights_in(*was), rights_in(*would_be))
    for each in (*found["more"], *found["less"]):
        for side, view in (("a", was), ("b", would_be)):
            if each[side] is not None:
                each[side]["file"] = without_copies(each[side]["file"], view.files)
    return found


def new_problems(was: View | None, would_be: View) -> list[str]:
    """The errors of a check that there would be and are not."""
    before, after = ([] if view is None else _errors(view) for view in (was, would_be))
    return [each for each in after if each not in before]


def _errors(view: View) -> list[str]:
    found = check_composed(view.composed, agents_in(view.composed.parsed))
    errors = [one for one in found if one.severity == "error" and one.caused_by is None]
    return [without_copies(f"{one.code} {one.message}", view.files) for one in errors]
