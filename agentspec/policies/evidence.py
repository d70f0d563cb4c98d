"""evidence: keep what a judge is shown of the work: the newest change, check, problem and observation, each clipped.

What a call did is told by the declared effect of its tool, never guessed from its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.json import encode
from msgspec.structs import replace

from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import EvidenceFacts, Facts
from agentspec.core.judging.consult import clip
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

JUDGES = ("verify_completion_judge", "turn_end_condition", "step_judge")
ROLES = {"write": "mutation", "network": "mutation", "process": "verification"}
ARGUMENTS_SHOWN = 160  # characters


class Evidence(Policy[EvidenceFacts], frozen=True):
    """Only there where a judge is; memory is what it publishes."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 90
    hears: ClassVar = (ToolReturned,)
    publishes: ClassVar = "evidence"

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        return cls() if any(settings.get(f"execution.{judge}") for judge in JUDGES) else None

    def start(self) -> EvidenceFacts:
        return EvidenceFacts()

    def observe(self, memory: EvidenceFacts, event: Event | Notice, facts: Facts) -> EvidenceFacts:  # noqa: ARG002 - the shape
        if not isinstance(event, ToolReturned):
            return memory
        result = event.result
        arguments = encode(result.arguments).decode() if result.arguments is not None else event.call.arguments
        if len(arguments) > ARGUMENTS_SHOWN:
            arguments = arguments[:ARGUMENTS_SHOWN] + "…"
        said = clip(f"{result.name} {arguments}: {result.status}\n{result.text}")
        found = {ROLES.get(result.effect, "observation"): said} | ({} if result.ok else {"problem": said})
        return replace(memory, **found)

    def publish(self, memory: EvidenceFacts) -> EvidenceFacts:
        return memory
