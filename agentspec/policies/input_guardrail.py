"""input_guardrail: look at the task once, before the first call of a model, and refuse what is out of bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Consulted, Event, RunStarted
from agentspec.core.facts import Facts
from agentspec.core.judging.consult import INPUT_SCHEMA, Asked, Question, asked_of, clip, heard, tagged
from agentspec.core.limits.reserve import within
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agentspec.core.orders import Consultation, Note, Outcome
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.functions import WHO, read_command, state_of
from agentspec.core.rulings import PASS, Hold, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.spec.routes import DEFAULT, routes_of
from agentspec.spec.settings import Settings

PLACE = "execution.input_guardrail"
NAME = "input_guardrail"
WHEN = "input_guardrail.when"
VERBS = {"trip": ("true",), "reason": ("text",)}
MESSAGES = 50  # of a conversation that goes on, the newest, as conditions and functions see them
SHOWN = 10  # the same, as a judge sees them
ROLES: dict[type, str] = {
    SystemMessage: "system",
    UserMessage: "user",
    AssistantMessage: "assistant",
    ToolMessage: "tool",
}
OUT_OF_BOUNDS = "the task is out of bounds"


class Guarded(Record, frozen=True):
    """What is known of the task: `seen` while anybody is still to be asked, then the verdict.

    `is_settled` once it is decided, and `tripped` why the run is refused, or nothing.
    """

    seen: tuple[tuple[str, str], ...] = ()
    question: Question = Question()
    is_settled: bool = False
    tripped: str = ""
    verdicts: tuple[dict[str, Any], ...] = ()
    problem: str = ""


class InputGuardrail(Policy[Guarded], frozen=True):
    """A condition, a function and a judge, in this order; the first that trips refuses the run.

    A condition that cannot be evaluated trips. A judge or function that fails lets the task pass with a warning,
    unless the author says otherwise (`on_error`).
    """

    stage: ClassVar = Stage.AUTHORITY
    number: ClassVar = 50
    claims: ClassVar = tuple(
        f"{PLACE}.{name}" for name in ("when", "python", "judge", "reason", "label", "confidence_threshold", "on_error")
    )
    hears: ClassVar = (RunStarted, Consulted, Answered)
    reviews: ClassVar = (Think,)
    announces: ClassVar = True

    program: Program | None
    function: str | None
    judge: Asked | None
    reason: str
    label: str
    threshold: float
    trips_on_error: bool
    model: dict[str, str]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        given = settings.get(PLACE)
        if not given:
            return None
        when, judge = given.get("when"), given.get("judge")
        model = routes_of(settings.get("model"))[DEFAULT].model
        return cls(
            program=None if when is None else compile_expression(str(when), PLACES[WHEN]),
            function=given.get("python"),
            judge=None if judge is None else asked_of(NAME, judge, "judge.input", INPUT_SCHEMA, settings),
            reason=given.get("reason") or "",
            label=given.get("label") or "",
            threshold=float(given.get("confidence_threshold") or 0.0),
            trips_on_error=given.get("on_error") == "trip",
            model={"provider": str(model.get("provider") or ""), "name": str(model.get("model") or "")},
        )

    def start(self) -> Guarded:
        return Guarded()

    def observe(self, memory: Guarded, event: Event | Notice, facts: Facts) -> Guarded:
        match event:
            case RunStarted():
                return self._begun(memory, event, facts)
            case Answered(asker="input_guardrail", who="clock"):
                return replace(memory, question=memory.question.waited())
            case Answered(asker="input_guardrail"):
                return self._of_function(memory, event.answer, facts)
            case Consulted(asker="input_guardrail"):
                return memory if self.judge is None else self._of_judge(memory, event, self.judge, facts)
            case _:
                return memory

    def _names(self, memory: Guarded, facts: Facts) -> dict[str, Any]:
        messages = [{"role": role, "content": text} for role, text in memory.seen]
        return state_of(WHEN, facts, messages=messages, model=self.model)

    def _begun(self, memory: Guarded, event: RunStarted, facts: Facts) -> Guarded:
        memory = replace(memory, seen=tuple(_seen(message) for message in event.opening[-MESSAGES:]))
        try:
            if self.program is not None and self.program.evaluate(self._names(memory, facts)):
                return self._tripped(memory, by="when", reason="")
        except ExpressionError as error:
            tripped = self._tripped(memory, by="when", reason=f"its condition could not be evaluated: {error}")
            return replace(tripped, problem=str(error))
        if self.program is not None:
            memory = self._passed(memory, by="when", is_last=self.function is None and self.judge is None)
        return memory if self.function is not None else self._before_judge(memory, facts)

    def _of_function(self, memory: Guarded, answer: Any, facts: Facts) -> Guarded:
        command = read_command(answer, VERBS)
        values = command.values or {}
        if command.problem:
            memory = self._failed(memory, by="python", failure=command.problem, is_last=self.judge is None)
        elif values.get("trip"):
            return self._tripped(memory, by="python", reason=values.get("reason", ""))
        else:
            memory = self._passed(memory, by="python", is_last=self.judge is None)
        return self._before_judge(memory, facts)

    def _before_judge(self, memory: Guarded, facts: Facts) -> Guarded:
        """A judge that the limits leave no room for has failed before it is asked."""
        if self.judge is None or memory.is_settled or self._question(memory, facts) is not None:
            return memory
        return self._failed(memory, by="judge", failure="the limits leave no room for the judge", is_last=True)

    def _question(self, memory: Guarded, facts: Facts) -> Consultation | None:
        if self.judge is None:
            return None
        asked = self.judge.consultation(memory.question, _packet(memory), facts.now)
        return within(asked, facts.left, self.judge.price(memory.question))

    def _of_judge(self, memory: Guarded, event: Consulted, judge: Asked, facts: Facts) -> Guarded:
        question = heard(memory.question, event, judge, facts.run_id)
        memory = replace(memory, question=question)
        if question.failure:
            return self._failed(memory, by="judge", failure=question.failure, is_last=True)
        if question.answer is None:
            return memory
        confidence = float(question.answer["confidence"])
        if question.answer["tripwire"] and confidence >= self.threshold:
            return self._tripped(memory, by="judge", reason=question.answer["reason"], confidence=confidence)
        return self._passed(memory, by="judge", confidence=confidence)

    def _tripped(self, memory: Guarded, *, by: str, reason: str, **more: Any) -> Guarded:
        why = self.reason or reason or OUT_OF_BOUNDS
        said = {"tripwire": True, "by": by, "reason": reason or why, "label": self.label, **more}
        return replace(memory, seen=(), is_settled=True, tripped=why, verdicts=(*memory.verdicts, said))

    def _passed(self, memory: Guarded, *, by: str, is_last: bool = True, **more: Any) -> Guarded:
        said = {"tripwire": False, "by": by, "label": self.label, **more}
        memory = replace(memory, verdicts=(*memory.verdicts, said))
        return replace(memory, seen=(), is_settled=True) if is_last else memory

    def _failed(self, memory: Guarded, *, by: str, failure: str, is_last: bool) -> Guarded:
        if self.trips_on_error:
            return self._tripped(memory, by=by, reason=f"it could not be looked at: {failure}", warning=failure)
        return self._passed(memory, by=by, is_last=is_last, warning=failure)

    def review(self, memory: Guarded, proposal: Proposal, facts: Facts) -> Ruling:
        if memory.tripped:
            label = f"{self.label}: " if self.label else ""
            place = f"{PLACE}.{memory.verdicts[-1]['by']}"
            return Stop(Outcome("input_guardrail", "tripwire", place=place, detail=label + memory.tripped))
        if memory.is_settled or not isinstance(proposal, Think):
            return PASS
        has_asked = any(verdict["by"] == "python" for verdict in memory.verdicts)
        if self.function is not None and not has_asked:
            return Hold(WHO, {"function": self.function, "state": self._names(memory, facts)})
        if memory.question.tries.wait is not None:
            return Hold("clock", memory.question.tries.wait)
        question = self._question(memory, facts)
        return PASS if question is None else Hold(NAME, question)

    def notes(self, before: Guarded, after: Guarded) -> tuple[Note, ...]:
        new = after.verdicts[len(before.verdicts) :]
        found = [Note(event="guardrail_verdict", fields=verdict) for verdict in new]
        if after.problem and not before.problem:
            found.insert(0, Note(event="expression_error", fields={"place": WHEN, "error": after.problem}))
        return tuple(found)


def _seen(message: Message) -> tuple[str, str]:
    """A message as rules see it: clipped, since a task may be a whole file."""
    return ROLES[type(message)], clip(message.text)


def _packet(memory: Guarded) -> str:
    spoken = [(role, text) for role, text in memory.seen if role != "system"]
    return "\n\n".join(tagged(role, text) for role, text in spoken[-SHOWN:])
