"""projection: leave out of the view what the conversation has got over: failed calls, and results that nothing needs.

What is recorded stays whole, and what the model has not answered yet is always shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.context.projection import Conversation, Projection
from agentspec.core.context.view import PROJECTION
from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings

PLACE = "context.projection"
NAME = PROJECTION
CHANGING = ("write", "process", "network")


class ProjectionPolicy(Policy[None], frozen=True):
    """One strategy; a list of rules in the same place is the filter's."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 82
    claims: ClassVar = (PLACE,)
    reviews: ClassVar = (Think,)

    projection: Projection

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        written: Any = settings.get(PLACE)
        if written is None or isinstance(written, list):
            return None
        given: Mapping[str, Any] = written if isinstance(written, Mapping) else {"strategy": written}
        projection = Projection(
            strategy=str(given["strategy"]),
            changing=frozenset(name for name, tool in tools.items() if tool.effect in CHANGING),
            gone=wording(settings, "context.gone"),
            digest=wording(settings, "context.digest"),
        )
        return cls(projection=replace(projection, **_options(given)))

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Think):
            return PASS
        view = proposal.view
        known = Conversation(proposal.transcript, view.edits_of(NAME), view.fixed, facts.scratchpad)
        edits = self.projection.edits(known)
        shaped = view.with_lens(NAME, self.number, edits)
        return PASS if shaped is view else Rewrite(replace(proposal, view=shaped))


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """What an author sets, under the names of the strategy."""
    options = {name: given[name] for name in ("keep_last", "root_window", "min_chars") if given.get(name) is not None}
    needs_change = given.get("require_write_barrier") is True
    return options | {"roots": frozenset(given.get("roots") or ()), "needs_change": needs_change}
