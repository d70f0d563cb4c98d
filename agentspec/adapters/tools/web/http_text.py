"""http_text: the texts of a request with the arguments of a call put in, each where it can do nothing but be a value.

What a model says is percent-encoded in an address, so that it stays one piece of the path or the query that the author
gave it; a value in a JSON body keeps its type. Environment variables stand only in addresses and headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from agentspec.errors import ExpressionError
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import Scope
from agentspec.expressions.template import Filling, Slot, Template, parse_template

PLAIN, WITH_ENV = PLACES["tools.template"], PLACES["tools.template.env"]
NOTHING = object()  # an argument that was left out


class Piece(NamedTuple):
    """A part of an address: literal text, or a slot; `is_said` where the model has a say in it, `is_value` where it
    stays one piece of the address whatever it holds.
    """

    text: str = ""
    filling: Filling | None = None
    is_said: bool = False
    is_value: bool = False


class Address:
    """An address with slots. `is_open` where arguments take part in naming the host."""

    def __init__(self, text: str, scope: Scope) -> None:
        template = parse_template(text)
        template.compile(WITH_ENV, scope)
        self._pieces = [_piece(template, part, scope) for part in template.parts]
        before = ""
        for piece in self._pieces:
            if piece.is_said:
                break
            before += piece.text or "x"
        is_said = any(piece.is_said for piece in self._pieces)
        self.is_open = is_said and not _has_path(before)
        self.reads_env = any(name.startswith("env.") for name in template.names())

    def render(self, names: Mapping[str, object]) -> str:
        """The address. Raises `ExpressionError`, also for a value that would climb in the path."""
        return "".join(_filled(piece, names) for piece in self._pieces)


def _has_path(text: str) -> bool:
    """Whether an address is past its host: a slot at its begin may hold all of that."""
    return "/" in text.partition("://")[2] if "://" in text else "/" in text


def _piece(template: Template, part: str | Slot, scope: Scope) -> Piece:
    if isinstance(part, str):
        return Piece(text=part)
    alone = Template(template.text, (part,))
    groups = {name.partition(".")[0] for name in alone.names()}
    is_value = not groups.isdisjoint(("args", "identity"))
    return Piece(filling=alone.compile(WITH_ENV, scope), is_said="args" in groups, is_value=is_value)


def _filled(piece: Piece, names: Mapping[str, object]) -> str:
    if piece.filling is None:
        return piece.text
    value = piece.filling.render(names)
    if not piece.is_value:
        return value
    if value in (".", ".."):
        raise ExpressionError(f"`{value}` can't stand in an address: it would lead to another place")
    return quote(value, safe="")


class Query:
    """A query by its names; an optional argument that was left out takes its name along."""

    def __init__(self, given: Mapping[str, Any], scope: Scope) -> None:
        self._given = {
            name: parse_template(value).compile(PLAIN, scope) if isinstance(value, str) else value
            for name, value in given.items()
        }

    def render(self, names: Mapping[str, object]) -> str:
        found: list[tuple[str, str]] = []
        for name, value in self._given.items():
            text = value.render_element(names) if isinstance(value, Filling) else _scalar(value)
            if text is not None:
                found.append((name, text))
        return urlencode(found, quote_via=quote)


def _scalar(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


class Body:
    """A JSON value with slots in its texts; one that is a single `${args.x}` becomes the argument itself."""

    def __init__(self, given: Any, scope: Scope) -> None:
        self._made = _made(given, scope)

    def render(self, names: Mapping[str, object]) -> Any:
        value = _rendered(self._made, names)
        return None if value is NOTHING else value


class _Argument(NamedTuple):
    """One argument alone: its value, whatever type it has."""

    steps: tuple[str, ...]


def _made(given: Any, scope: Scope) -> Any:
    match given:
        case str():
            return _made_text(given, scope)
        case Mapping():
            return {name: _made(value, scope) for name, value in given.items()}
        case list():
            return [_made(value, scope) for value in given]
        case _:
            return given


def _made_text(given: str, scope: Scope) -> _Argument | Filling | str:
    template = parse_template(given)
    alone = template.slots[0].source.strip() if len(template.parts) == len(template.slots) == 1 else ""
    steps = alone.split(".")
    if steps[0] == "args" and len(steps) > 1 and all(step.isidentifier() for step in steps):
        for told in template.check_value(PLAIN, scope):
            raise ExpressionError(told.message)
        return _Argument(tuple(steps[1:]))
    filling = template.compile(PLAIN, scope)
    return filling if template.slots else filling.render({})


def _rendered(made: Any, names: Mapping[str, object]) -> Any:
    match made:
        case _Argument(steps):
            value: Any = names["args"]
            for step in steps:
                value = value.get(step, NOTHING) if isinstance(value, Mapping) else NOTHING
            return value
        case Filling():
            return made.render(names)
        case dict():
            found = {name: _rendered(value, names) for name, value in made.items()}
            return {name: value for name, value in found.items() if value is not NOTHING}
        case list():
            return [value for value in (_rendered(item, names) for item in made) if value is not NOTHING]
        case _:
            return made
