"""verify_completion_judge: a model that a completion must convince, asked after all that costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.events import Answered, Consulted, Event
from agentspec.core.facts import Facts, JudgeFacts
from agentspec.core.judging.gate import OPTIONS, JudgeGate, Sitting, decision_notes
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnStarted
from agentspec.core.proposals import End, Proposal
from agentspec.core.rulings import PASS, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "execution.verify_completion_judge"
MOST = 5  # questions in a run


class VerifyCompletionJudge(Policy[Sitting], frozen=True):
    """Its veto goes back to the worker; after so many questions an answer stays unverified."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 63
    claims: ClassVar = tuple(f"{PLACE}.{name}" for name in OPTIONS)
    hears: ClassVar = (Answered, Consulted, Ruled, TurnStarted)
    reviews: ClassVar = (End,)
    publishes: ClassVar = "completion_judge"
    announces: ClassVar = True

    judge: JudgeGate

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        reason = "completion_judge_cap_reached"
        judge = JudgeGate.of(settings, "verify_completion_judge", most=MOST, cap_reason=reason)
        return None if judge is None else cls(judge=judge)

    def start(self) -> Sitting:
        return Sitting()

    def observe(self, memory: Sitting, event: Event | Notice, facts: Facts) -> Sitting:
        return self.judge.observe(memory, event, facts)

    def review(self, memory: Sitting, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, End) or not proposal.is_gated:
            return PASS
        return self.judge.rule(memory, proposal.answer, facts)

    def publish(self, memory: Sitting) -> JudgeFacts:
        return self.judge.publish(memory)

    def notes(self, before: Sitting, after: Sitting) -> tuple[Note, ...]:
        return decision_notes(before, after)
