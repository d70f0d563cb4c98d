"""turn_end_condition: a model that is asked whether the work is done when it is due, and only then.

While it is not due, an answer that nobody else can confirm is not accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Consulted, Event
from agentspec.core.facts import Facts, JudgeFacts
from agentspec.core.judging.gate import OPTIONS, JudgeGate, Sitting, decision_notes
from agentspec.core.judging.vetoes import veto
from agentspec.core.orders import Note, Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnStarted
from agentspec.core.proposals import End, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match, Rulebook, artifacts
from agentspec.core.rulings import PASS, SILENT, Feedback, Refuse, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings

PLACE = "execution.turn_end_condition"
MOST = 10  # questions in a run
UNASKED = ("stop_after_tool", "stalled_judge_done")  # ends that this judge has no say in, or has confirmed
OTHERS = ("verify_completion", "verify_completion_judge")  # gates that confirm an answer by themselves


class Cadence(Record, frozen=True):
    """When the judge is due; all of it must hold. `most` questions, then it is no longer due (None: always)."""

    every: int = 1
    after: int = 0
    most: int | None = None
    on_stall: bool = False
    when: Rulebook | None = None

    def is_due(self, sitting: Sitting, answer: str, facts: Facts) -> bool:
        turn = facts.iteration
        if turn % self.every or turn <= self.after or (self.most is not None and sitting.invocations >= self.most):
            return False
        if self.on_stall:
            return facts.stall.is_stalled
        match = None if self.when is None else self._read(self.when, answer, facts)
        return self.when is None or (match is not None and not match.problem)

    def problem(self, answer: str, facts: Facts) -> str:
        """Why the expression could not be read, or nothing; then the judge is not due."""
        match = None if self.when is None else self._read(self.when, answer, facts)
        return match.problem if match is not None else ""

    def _read(self, when: Rulebook, answer: str, facts: Facts) -> Match | None:
        return next(when.read(facts, {}, answer=answer, artifacts=artifacts(facts)), None)


class Turned(Record, frozen=True):
    """The judge's sitting, and the turn after which a stall was put before it.

    `broken` is the newest turn in which the expression of the cadence could not be read, and `problem` why.
    """

    sitting: Sitting = Sitting()
    stall: int = 0
    broken: int = 0
    problem: str = ""


class TurnEndCondition(Policy[Turned], frozen=True):
    """Asked about proposed answers, and with `when: stalled` about a run that repeats itself."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 64
    claims: ClassVar = tuple(f"{PLACE}.{name}" for name in (*OPTIONS, "cadence"))
    hears: ClassVar = (Answered, Consulted, Ruled, TurnStarted)
    reviews: ClassVar = (End, Think)
    publishes: ClassVar = "turn_end_condition"
    announces: ClassVar = True

    judge: JudgeGate
    cadence: Cadence
    is_alone: bool
    not_due: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        judge = JudgeGate.of(settings, "turn_end_condition", most=MOST, cap_reason="turn_end_cap_reached")
        if judge is None:
            return None
        own = settings.get(f"{PLACE}.cadence") or {}
        is_alone = not any(settings.get(f"execution.{other}") for other in OTHERS)
        not_due = wording(settings, "gate.not_due")
        return cls(judge=judge, cadence=_cadence(own), is_alone=is_alone, not_due=not_due)

    def start(self) -> Turned:
        return Turned()

    def observe(self, memory: Turned, event: Event | Notice, facts: Facts) -> Turned:
        match event:
            case Ruled(policy="turn_end_condition", proposal=End(answer=answer), ruling=Tell()):
                return replace(memory, broken=facts.iteration, problem=self.cadence.problem(answer, facts))
            case Ruled(policy="turn_end_condition", proposal=Think(), ruling=Stop() | Tell()):
                memory = replace(memory, stall=facts.iteration)
        sitting = self.judge.observe(memory.sitting, event, facts)
        return memory if sitting is memory.sitting else replace(memory, sitting=sitting)

    def review(self, memory: Turned, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case End(is_gated=True):
                return self._answer(memory, proposal, facts)
            case Think(is_last=False) if self.cadence.on_stall and facts.stall.is_stalled:
                return self._stall(memory, proposal, facts)
            case _:
                return PASS

    def _answer(self, memory: Turned, end: End, facts: Facts) -> Ruling:
        if end.outcome.reason in UNASKED:
            return PASS
        if memory.sitting.question.is_open or self.cadence.is_due(memory.sitting, end.answer, facts):
            return self.judge.rule(memory.sitting, end.answer, facts)
        if memory.broken != facts.iteration and self.cadence.problem(end.answer, facts):
            return SILENT
        if self.is_alone:
            return veto(facts, self.not_due, source="turn_end_condition")
        return PASS

    def _stall(self, memory: Turned, think: Think, facts: Facts) -> Ruling:
        """Before the turn that follows a repetition: the work may be done although the model goes on."""
        if memory.stall == facts.iteration or think.attempt > 1:
            return PASS
        if not memory.sitting.question.is_open and not self.cadence.is_due(memory.sitting, facts.text, facts):
            return PASS
        ruling = self.judge.rule(memory.sitting, facts.text, facts)
        if ruling == PASS:
            return Stop(Outcome("done", "stalled_judge_done"), is_gated=True)
        if isinstance(ruling, Stop) and not memory.sitting.question.failure:
            return PASS  # it can't be asked any more, and nobody has claimed to be done
        if isinstance(ruling, Refuse):
            return Tell(ruling.tell or Feedback("veto", ruling.reason, source="turn_end_condition"))
        return ruling

    def publish(self, memory: Turned) -> JudgeFacts:
        return self.judge.publish(memory.sitting)

    def notes(self, before: Turned, after: Turned) -> tuple[Note, ...]:
        found = decision_notes(before.sitting, after.sitting)
        if after.broken == before.broken:
            return found
        fields = {"place": "turn_end_condition.cadence.when", "error": after.problem}
        return (*found, Note(event="expression_error", fields=fields))


def _cadence(given: Mapping[str, Any]) -> Cadence:
    when = given.get("when", "always")
    rule = None if when in ("always", "stalled") else Rulebook([{"when": when}], "turn_end_condition.cadence.when", {})
    return Cadence(
        every=given.get("every", 1),
        after=given.get("min_iterations_before_first", 0),
        most=given.get("max_invocations"),
        on_stall=when == "stalled",
        when=rule,
    )
