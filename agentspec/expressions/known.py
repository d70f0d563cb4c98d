"""known: what a name, a field or a function could have been, looked up at one place and in all others."""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.expressions.foreign import FUNCTIONS, METHODS, NAMES, SIZES
from agentspec.expressions.functions import Function, by_name, namespaces
from agentspec.expressions.infer import Names
from agentspec.expressions.places import PLACES, Place
from agentspec.expressions.problem import Problem, problem, renamed, with_fix
from agentspec.expressions.types import Type
from agentspec.text.suggest import distance, nearest

MOST_LISTED = 8
SHORTEST, LONG, MOST_EDITS = 4, 8, 3


def unknown_name(name: str, span: tuple[int, int], place: Place, names: Names) -> Problem:
    """A name that this place does not know: misspelt, known elsewhere, or from another language."""
    found = problem("AS302", span, f"unknown name `{name}`")
    if name in NAMES:
        foreign = problem("AS314", span, f"`{name}` is written `{NAMES[name]}` here")
        return with_fix(foreign, f"write `{NAMES[name]}`", (*span, NAMES[name]))
    near = close(name, names)
    if near:
        return renamed(found, near[0])
    if "env" in names and name.isupper():  # as a shell writes it
        return renamed(found, f"env.{name}")
    holders = [f"{group}.{name}" for group, form in names.items() if form is not None and form.field(name)]
    elsewhere = [other for other in PLACES.values() if name in other.names and other.id != place.id]
    if elsewhere and not holders:
        titles = _listed([other.spelled for other in elsewhere], 2)
        found = problem("AS313", span, f"`{name}` is known in {titles}, not in {place.spelled}")
        return found._replace(help=f"known here: {_listed([f'`{known}`' for known in names])}")
    if len(holders) == 1:
        return renamed(found, holders[0])
    if holders:
        return found._replace(help=f"did you mean {_either(holders)}?")
    return found._replace(help=f"known here: {_listed([f'`{known}`' for known in names])}")


def unknown_field(field: str, span: tuple[int, int], target: str, form: Type, names: Names) -> Problem:
    """A field that a record does not have."""
    found = problem("AS303", span, f"unknown field `{field}` in `{target}`")
    known = [name for name, _ in form.fields]
    near = nearest(field, known) or _continued(field, known) or close(field, known)
    if near:
        return renamed(found, near[0])
    holders = [f"{group}.{field}" for group, other in names.items() if other is not None and other.field(field)]
    if holders:
        return found._replace(help=f"did you mean {_either(holders)}?")
    dashed = next((name for name in known if name.startswith(f"{field}-")), None)
    if dashed is not None:
        return found._replace(help=f"a name with `-` cannot be read here; call it `{dashed.replace('-', '_')}`")
    if not known:
        return found._replace(help=f"`{target}` has no fields")
    return found._replace(help=f"its fields: {_listed([f'`{name}`' for name in known])}")


def unknown_function(name: str, span: tuple[int, int], *, is_method: bool, names: Names) -> Problem:
    """A function or method that does not exist, or is called otherwise here."""
    if is_method:
        return _unknown_method(name, span)
    found = problem("AS304", span, f"unknown function `{name}`")
    here = FUNCTIONS.get(name)
    if here is not None and here.partition(".")[0] not in (here, *namespaces()):
        return found._replace(help=f"`{here}` is a value; write it without `( )`")
    if here is not None:
        return with_fix(found._replace(help=f"write `{here}(…)`"), f"write `{here}`", (*span, here))
    if name in names:
        return found._replace(help=f"`{name}` is a value; write it without `( )`")
    first, _, rest = name.partition(".")
    near = close(name, (known for known, method in by_name() if not method))
    if near:
        return renamed(found, near[0])
    if rest and first in namespaces():
        members = [known for known, method in by_name() if not method and known.startswith(first + ".")]
        return found._replace(help=f"known: {_listed([f'`{member}`' for member in members])}")
    if (name, True) in by_name():
        return found._replace(help=f"it is a method: write `value.{name}(…)`")
    return found._replace(help="`agentspec explain functions` lists them")


def _unknown_method(name: str, span: tuple[int, int]) -> Problem:
    found = problem("AS304", span, f"unknown function `{name}`")
    here = METHODS.get(name)
    if here is not None:
        return with_fix(found._replace(help=f"write `.{here}(…)`"), f"write `{here}`", (*span, here))
    near = close(name, (known for known, method in by_name() if method))
    if near:
        return renamed(found, near[0])
    own = [known for known, method in by_name() if not method and known.rpartition(".")[2] == name]
    if own:
        return found._replace(help=f"write `{own[0]}(value)`")
    return found._replace(help="`agentspec explain functions` lists them")


def wrong_count(name: str, span: tuple[int, int], given: int, ways: Iterable[Function]) -> Problem:
    """A function that is called with too few or too many arguments."""
    forms = [function.signature for function in ways]
    some = "1 argument" if given == 1 else f"{given} arguments"
    found = problem("AS305", span, f"`{name}` does not take {some}")
    return found._replace(help=f"it is {_either(forms[:3])}")


def is_size(field: str) -> bool:
    return field in SIZES


def close(word: str, known: Iterable[str]) -> list[str]:
    """The known word that was most likely meant, or nothing.

    A place knows few names, so a second edit is allowed in short ones and a third in long ones, where that leaves no
    doubt which is meant.
    """
    words = list(known)
    near = nearest(word, words)
    if near or len(word) < SHORTEST:
        return near
    like = [other for other in words if len(other) >= SHORTEST and abs(len(other) - len(word)) <= MOST_EDITS]
    ranked = sorted((distance(word.lower(), other.lower()), other) for other in like)
    ranked = [(edits, other) for edits, other in ranked if edits < MOST_EDITS + (len(other) >= LONG)]
    is_clear = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][0] < ranked[1][0])
    return [ranked[0][1]] if is_clear else []


def _continued(word: str, known: Iterable[str]) -> list[str]:
    """The one known word that goes on where this one ends: `tool_call_count` for `tool_calls`."""
    found = [other for other in known if other.startswith(f"{word.removesuffix('s')}_")]
    return found if len(found) == 1 else []


def close_member(word: str, members: Iterable[str]) -> list[str]:
    """The word of an enum that was most likely meant: among so few, one edit tells also in the shortest words."""
    words = list(members)
    alike = [member for member in words if member[:1] == word[:1] and distance(word, member) == 1]
    return close(word, words) or alike[:1]


def one_of(members: Iterable[str]) -> str:
    """All words of an enum: `"add"` or `"sub"`."""
    return _either([f'"{member}"' for member in members])


def _either(words: list[str]) -> str:
    quoted = [f"`{word}`" for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _listed(words: list[str], most: int = MOST_LISTED) -> str:
    rest = len(words) - most
    return ", ".join(words) if rest <= 0 else f"{', '.join(words[:most])} and {rest} more"
