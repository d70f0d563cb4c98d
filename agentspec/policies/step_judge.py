"""step_judge: a model that looks at a turn before its tools run. Its own failure lets the turn pass, and is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Consulted, Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.judging.consult import STEP_SCHEMA, Asked, Question, asked_of, heard, packet_of
from agentspec.core.limits.reserve import within
from agentspec.core.messages import Reply
from agentspec.core.orders import Consultation, Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Feedback, Hold, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings

PLACE = "execution.step_judge"
OPTIONS = (
    "provider",
    "model",
    "rubric",
    "system",
    "temperature",
    "max_output_tokens",
    "options",
    "operation_timeout",
    "on_veto",
    "max_attempts",
    "skip_when_empty",
    "skip_when_stalled",
    "skip_when_iterations_remaining",
)
NAME = "step_judge"


class Watching(Record, frozen=True):
    """The question about the open turn, whether it is to be asked, vetoes in a row, and the newest decision."""

    question: Question = Question()
    is_due: bool = False
    vetoes: int = 0
    decisions: int = 0
    decision: dict[str, Any] = {}


class StepJudge(Policy[Watching], frozen=True):
    """A vetoed turn leaves no trace in the transcript (`replace`), or stays with its calls not run (`retain`)."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 40
    claims: ClassVar = tuple(f"{PLACE}.{name}" for name in OPTIONS)
    hears: ClassVar = (Answered, ModelReplied, Consulted, Ruled)
    reviews: ClassVar = (Take,)
    announces: ClassVar = True

    asked: Asked
    words: str
    reply: Literal["drop", "keep"]
    most: int
    skips_empty: bool
    skips_stalled: bool
    remaining: int

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        given = settings.get(PLACE)
        if not given and given != {}:
            return None
        own: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        return cls(
            asked=asked_of(NAME, given, "judge.step", STEP_SCHEMA, settings),
            words=wording(settings, "gate.step"),
            reply="keep" if own.get("on_veto") == "retain" else "drop",
            most=own.get("max_attempts", 3),
            skips_empty=own.get("skip_when_empty", True),
            skips_stalled=own.get("skip_when_stalled", True),
            remaining=own.get("skip_when_iterations_remaining", 1),
        )

    def start(self) -> Watching:
        return Watching()

    def observe(self, memory: Watching, event: Event | Notice, facts: Facts) -> Watching:
        match event:
            case ModelReplied(reply=reply):
                return self._begun(memory, reply, facts)
            case Answered(asker="step_judge"):
                return replace(memory, question=memory.question.waited())
            case Consulted(asker="step_judge"):
                return self._answered(memory, event, facts)
            case Ruled(policy="step_judge", ruling=Refuse()):
                return replace(memory, is_due=False, vetoes=memory.vetoes + 1)
            case _:
                return memory

    def _begun(self, memory: Watching, reply: Reply, facts: Facts) -> Watching:
        """A reply has come: whether it is to be looked at."""
        why = self._skipped(memory, reply, facts)
        memory = replace(memory, question=memory.question.closed(), is_due=not why)
        if not why:
            return memory
        vetoes = 0 if why == "max_attempts_reached" else memory.vetoes  # this turn passes
        return _decided(replace(memory, vetoes=vetoes), facts, skipped=True, reason=why)

    def _skipped(self, memory: Watching, reply: Reply, facts: Facts) -> str:
        left = facts.left
        late = left.deadline is not None and facts.now + self.asked.timeout > left.deadline
        reasons = (
            ("max_attempts_reached", memory.vetoes >= self.most),
            ("low_iteration_budget", facts.budget.remaining <= self.remaining),
            ("empty_response", self.skips_empty and not reply.text.strip() and not reply.calls),
            ("stall_already_detected", self.skips_stalled and facts.stall.is_stalled),
            ("judge_unavailable", late or self._question(memory, reply, facts) is None),
        )
        return next((why for why, holds in reasons if holds), "")

    def _answered(self, memory: Watching, event: Consulted, facts: Facts) -> Watching:
        question = heard(memory.question, event, self.asked, facts.run_id)
        memory = replace(memory, question=question)
        if question.answer is not None:
            vetoes = 0 if question.answer["verdict"] == "pass" else memory.vetoes
            return _decided(replace(memory, vetoes=vetoes), facts, skipped=False, **question.answer)
        if question.failure:
            memory = replace(memory, is_due=False)
            return _decided(memory, facts, skipped=True, reason="judge_unavailable", error=question.failure)
        return memory

    def _question(self, memory: Watching, reply: Reply, facts: Facts) -> Consultation | None:
        """What the judge is asked, or None where the limits leave no room for it."""
        question = memory.question
        asked = self.asked.consultation(question, _packet(facts, reply), facts.now)
        return within(asked, facts.left, self.asked.price(question))

    def review(self, memory: Watching, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Take) or not memory.is_due or proposal.is_last:
            return PASS
        answer = memory.question.answer
        if answer is None:
            late = facts.left.deadline is not None and facts.now >= facts.left.deadline
            wait = memory.question.tries.wait
            if wait is not None and not late:
                return Hold("clock", wait)
            question = self._question(memory, proposal.reply, facts)
            return PASS if late or question is None else Hold(NAME, question)
        if answer["verdict"] == "pass":
            return PASS
        words = answer["detail"].strip() or self.words
        return Refuse("the step was not approved", reply=self.reply, tell=Feedback(NAME, words, source=NAME))

    def notes(self, before: Watching, after: Watching) -> tuple[Note, ...]:
        if after.decisions == before.decisions:
            return ()
        return (Note(event="step_judge_decision", fields=after.decision),)


def _packet(facts: Facts, reply: Reply) -> str:
    calls = [f"calls {call.name} {call.arguments}" for call in reply.calls]
    return packet_of(facts, "step", "\n".join([*((reply.text,) if reply.text.strip() else ()), *calls]))


def _decided(memory: Watching, facts: Facts, **fields: Any) -> Watching:
    decision = {"turn": facts.iteration, **fields}
    return replace(memory, decisions=memory.decisions + 1, decision=decision)
