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
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "model.tool_choice"
NONE = "none"
ANY = "required"


class ToolChoice(Policy[bool], frozen=True):
    """`choice` is `none`, `required`, or the name of a tool. Memory: whether a call has been asked for."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 70
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (ModelReplied,)
    reviews: ClassVar = (Think, Admit)

    choice: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        written: Any = settings.get(PLACE)
        choice = written.get("tool") if isinstance(written, Mapping) else written
        return cls(choice=str(choice)) if tools and (choice in (NONE, ANY) or choice in tools) else None

    def start(self) -> bool:
        return False

    def observe(self, memory: bool, event: Event | Notice, facts: Facts) -> bool:  # noqa: ARG002 - the shape
        return memory or (isinstance(event, ModelReplied) and bool(event.reply.calls))

    def review(self, memory: bool, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if isinstance(proposal, Admit) and self.choice == NONE:  # a server need not hold its model to it
            return denied("tool_choice", f"`{PLACE}` is `none`", "No tool may be called: answer without one.")
        if not isinstance(proposal, Think) or proposal.tool_choice is not None:
            return PASS
        if self.choice != NONE and (memory or not self._is_shown(proposal)):
            return PASS
        return Rewrite(replace(proposal, tool_choice=self.choice))

    def _is_shown(self, think: Think) -> bool:
        """Whether the request has the tool that must be called; one that waits to be found can't be asked for."""
        return self.choice == ANY or think.tools is None or self.choice in think.tools
