"""tool_choice: whether the model may, may not or must call tools, as the author says.

What must be called is asked for until a call has come, and not after it: a model that must call in every turn can never
answer. A rule's own claim goes before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.denials import denied
from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Admit, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.routes import routes_of
from agentspec.spec.settings import Settings

PLACE = "model.tool_choice"
NONE = "none"
ANY = "required"


class Heard(Record, frozen=True):
    """Whether a call has been asked for, and the route that answered last."""

    has_called: bool = False
    route: int = 0


class ToolChoice(Policy[Heard], frozen=True):
    """Of each route `none`, `required`, the name of a tool, or nothing."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 70
    claims: ClassVar = (PLACE, "model.routes.*.tool_choice")
    hears: ClassVar = (ModelReplied,)
    reviews: ClassVar = (Think, Admit)

    choices: tuple[str | None, ...]  # of the routes, by their numbers

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        choices = tuple(_choice(route.model.get("tool_choice"), tools) for route in routes_of(settings.get("model")))
        return cls(choices=choices) if tools and any(choices) else None

    def start(self) -> Heard:
        return Heard()

    def observe(self, memory: Heard, event: Event | Notice, facts: Facts) -> Heard:  # noqa: ARG002 - the shape
        if not isinstance(event, ModelReplied):
            return memory
        heard = Heard(memory.has_called or bool(event.reply.calls), event.route)
        return memory if heard == memory else heard

    def review(self, memory: Heard, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if isinstance(proposal, Admit) and self.choices[memory.route] == NONE:  # a server need not hold its model to it
            return denied("tool_choice", f"`{PLACE}` is `none`", "No tool may be called: answer without one.")
        if not isinstance(proposal, Think) or proposal.tool_choice is not None:
            return PASS
        choice = self.choices[proposal.route]
        if choice is None or (choice != NONE and (memory.has_called or not _is_shown(choice, proposal))):
            return PASS
        return Rewrite(replace(proposal, tool_choice=choice))


def _choice(written: Any, tools: Mapping[str, ToolPlan]) -> str | None:
    """What a route says about calls, where that is more than leaving it to the model."""
    choice = written.get("tool") if isinstance(written, Mapping) else written
    return choice if choice in (NONE, ANY) or choice in tools else None


def _is_shown(choice: str, think: Think) -> bool:
    """Whether the request has the tool that must be called; one that waits to be found can't be asked for."""
    return choice == ANY or think.tools is None or choice in think.tools
