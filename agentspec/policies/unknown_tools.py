"""unknown_tools: a call of a tool that does not exist is answered with the names that do, the nearest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.calls.cap import READ_OUTPUT
from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Admit, Proposal
from agentspec.core.rulings import PASS, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings
from agentspec.text.suggest import nearest

LISTED = 20  # more names than this are no help to a model
PREVIEW = 80


class UnknownTools(Policy[None], frozen=True):
    """Exact names only: a near name is offered, never called."""

    stage: ClassVar = Stage.VALID
    number: ClassVar = 10
    reviews: ClassVar = (Admit,)

    known: tuple[str, ...]
    listed: tuple[str, ...]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        # What reads on in a large result is told where one was cut, and is no answer to a wrong name.
        return cls(known=tuple(tools), listed=tuple(name for name in tools if name != READ_OUTPUT))

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Admit) or proposal.call.name in self.known:
            return PASS
        name = proposal.call.name
        shown = "".join(character if character.isprintable() else " " for character in name[:PREVIEW])
        shown += f"… ({len(name)} characters)" if len(name) > PREVIEW else ""
        near = nearest(name, self.known) if len(name) <= PREVIEW else []
        hint = f"; did you mean `{near[0]}`?" if near else "."
        listed = ", ".join([*near, *(other for other in sorted(self.listed) if other not in near)][:LISTED])
        tools = f" The tools are: {listed}." if listed else " There are no tools."
        return Refuse(f"unknown tool `{shown}`{hint}{tools}", status="unknown_tool", retryable=True)
