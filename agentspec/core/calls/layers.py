"""layers: the layers of `capability.middleware`, and the calls that each of them is about. Pure.

A layer is one policy or one wrapping of a tool, the outermost first, as their author lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentspec.core.calls.matching import is_named, listed
from agentspec.core.calls.rules import looked_at, names_of
from agentspec.core.facts import Facts
from agentspec.core.tools import ToolPlan, touched_by
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, activate, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import EMPTY
from agentspec.spec.settings import Settings

PLACE = "capability.middleware"
EVERYWHERE = "middleware.when"


class Layer(NamedTuple):
    """One layer: `place` is where it stands in the spec, `nth` in the list, `says` its options."""

    place: str
    says: Mapping[str, Any]
    program: Program | None
    project: str
    identity: Mapping[str, Any]
    nth: int = 0
    kind: str = ""

    def is_about(self, plan: ToolPlan) -> bool:
        """Whether the layer is about this tool at all."""
        only, but = self.says.get("only"), self.says.get("except")
        return (only is None or is_named(plan.name, listed(only))) and not is_named(plan.name, listed(but))

    def acts_on(self, plan: ToolPlan, arguments: Mapping[str, Any], facts: Facts) -> tuple[bool, str]:
        """Whether the layer acts on a call, and what went wrong where nobody can say."""
        if not self.is_about(plan):
            return False, ""
        if self.program is None:
            return True, ""
        call = looked_at(plan, arguments, touched_by(plan, arguments), self.project)
        names = names_of(call, facts, self.identity)
        try:
            return bool(self.program.evaluate(activate(PLACES[EVERYWHERE], EMPTY, names))), ""
        except ExpressionError as error:
            return True, str(error)


NUMBER = 60  # of every policy that is a layer, so that their places decide


def index_of(place: str) -> int:
    """Where a layer stands in the list, by its place in the spec; -1 where it is no place of a layer.

    >>> index_of("capability.middleware[2].cache")
    2
    """
    number = place.removeprefix(f"{PLACE}[").partition("]")[0]
    return int(number) if number.isdecimal() else -1


def layers_of(settings: Settings, *kinds: str) -> tuple[Layer, ...]:
    """The layers of these kinds (`dry_run`), in their order.

    >>> [each.place for each in layers_of(Settings({"capability": {"middleware": ["cache", "dry_run"]}}), "dry_run")]
    ['capability.middleware[1].dry_run']
    """
    found = []
    for at, item in enumerate(settings.get(PLACE) or ()):
        name, says = (item, {}) if isinstance(item, str) else next(iter(item.items()))
        if name not in kinds:
            continue
        when = (says or {}).get("when")
        program = None if when is None else compile_expression(str(when), PLACES[EVERYWHERE])
        identity = settings.get("capability.identity") or {}
        found.append(Layer(f"{PLACE}[{at}].{name}", says or {}, program, settings.project, identity, at, name))
    return tuple(found)
