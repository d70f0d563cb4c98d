"""scope: what one spec adds to a place, and the names and types that a place has with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from agentspec.expressions.groups import named_type
from agentspec.expressions.places import Place
from agentspec.expressions.types import Fields, Type, read_parameters, read_type

OPEN_GROUPS = ("args", "inputs", "row")  # their fields come from the spec


class Scope(NamedTuple):
    """The fields of `args`, `inputs` and `row`, and what an `expr` tool returns.

    None means unknown: any field may be used and its value is dynamic.
    """

    args: Fields | None = None
    inputs: Fields | None = None
    row: Fields | None = None
    returns: Type | None = None


EMPTY = Scope()


def make_scope(
    *, parameters: object = None, inputs: object = None, row: object = None, returns: object = None
) -> Scope:
    """A scope from the forms that stand in a document: mappings of name to type, and the form of a type.

    >>> str(make_scope(parameters={"lhs": "number"}, returns="string[]").returns)
    'string[]'
    """

    def fields(form: object) -> Fields | None:
        return read_parameters(form) if isinstance(form, Mapping) else None

    return Scope(fields(parameters), fields(inputs), fields(row), None if returns is None else read_type(returns))


def names_of(place: Place, scope: Scope = EMPTY) -> dict[str, Type]:
    """Every name of a place with its type, those of the scope included."""
    return {name: _type_in(form, scope) for name, (form, _) in place.names.items()}


def _type_in(form: object, scope: Scope) -> Type:
    if form not in OPEN_GROUPS:
        return named_type(form)
    fields: Fields | None = getattr(scope, str(form))
    return Type("object", name=str(form)) if fields is None else Type("record", fields=fields, name=str(form))
