"""gate: what the judges of a completion share: when they may be asked, what their word and their failure mean.

Policies hold a `JudgeGate` as a setting and a `Sitting` as memory; they differ in when they ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Consulted, Event
from agentspec.core.facts import Facts, JudgeFacts
from agentspec.core.judging.consult import (
    COMPLETION_SCHEMA,
    Asked,
    Question,
    asked_of,
    clip,
    escalating,
    heard,
    packet_of,
)
from agentspec.core.judging.vetoes import unverified, veto
from agentspec.core.limits.reserve import rooms_for, within
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Ruled, TurnStarted
from agentspec.core.proposals import End
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Refuse, Ruling, Stop, Tell
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

LIMITS = "execution.limits"
# What every judge of a completion takes.
OPTIONS = (
    "provider",
    "model",
    "rubric",
    "system",
    "temperature",
    "max_output_tokens",
    "options",
    "operation_timeout",
    "deadline_reserve",
    "max_invocations",
    "on_error",
    "feedback_fallback",
    "escalate",
)
RESERVE = 5.0  # seconds that must be left of the run after a judge
VIEWS = 500  # characters of the last answer and the last verdict, where a cap ends the run


class Sitting(Record, frozen=True):
    """What a judge has been asked and has said so far; `question` is that of the answer which is proposed now."""

    question: Question = Question()
    invocations: int = 0
    vetoes: int = 0
    cap_reached: bool = False
    last_words: str = ""
    decisions: int = 0
    decision: dict[str, Any] = {}


class JudgeGate(Record, frozen=True):
    """One judge of a completion. `name` is its policy's, `place` its key in a spec."""

    name: str
    place: str
    cap_reason: str
    asked: Asked
    reserve: float = RESERVE
    most: int = 0  # invocations; 0: as many as there are answers
    on_error: Literal["veto", "accept", "unverified"] = "veto"
    fallback: str = ""
    unheard: str = ""

    @classmethod
    def of(cls, settings: Settings, name: str, *, most: int, cap_reason: str) -> Self | None:
        """The judge that stands under `execution.NAME`: a mapping, or `true`; None where there is none."""
        given = settings.get(f"execution.{name}")
        if not given and given != {}:
            return None
        own: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        asked = asked_of(name, given, "judge.completion", COMPLETION_SCHEMA, settings)
        reserve, cap = own.get("deadline_reserve"), own.get("max_invocations")
        return cls(
            name=name,
            place=f"execution.{name}",
            cap_reason=cap_reason,
            asked=escalating(asked, settings) if own.get("escalate") is True else asked,
            reserve=RESERVE if reserve is None else float(reserve),
            most=most if cap is None else int(cap),
            on_error=own.get("on_error") or "veto",
            fallback=own.get("feedback_fallback") or wording(settings, "gate.veto"),
            unheard=wording(settings, "gate.unheard"),
        )

    def observe(self, memory: Sitting, event: Event | Notice, facts: Facts) -> Sitting:
        match event:
            case Consulted() if event.asker == self.name:
                question = heard(memory.question, event, self.asked, facts.run_id)
                return self._decided(replace(memory, question=question), facts)
            case Answered() if event.asker == self.name:
                return replace(memory, question=memory.question.waited())
            case Ruled(ruling=Hold()) if event.policy == self.name and not memory.question.is_open:
                question = replace(memory.question, is_open=True)
                return replace(memory, question=question, invocations=memory.invocations + 1)
            case Ruled(ruling=Refuse() | Tell() as ruling) if event.policy == self.name and memory.question.is_open:
                words = ruling.reason if isinstance(ruling, Refuse) else ruling.feedback.content
                vetoed = replace(memory, vetoes=memory.vetoes + 1, last_words=clip(words))
                return replace(vetoed, question=memory.question.closed())
            case Ruled(ruling=Stop(outcome=outcome)) if event.policy == self.name:
                reached = memory.cap_reached or outcome.reason == self.cap_reason
                return replace(memory, cap_reached=reached)
            case TurnStarted() | Ruled(proposal=End(), ruling=Refuse()):
                return replace(memory, question=memory.question.closed()) if memory.question.is_open else memory
            case _:
                return memory

    def _decided(self, memory: Sitting, facts: Facts) -> Sitting:
        """The memory with a decision on record, where the question has come to its end."""
        question = memory.question
        if question.answer is None and not question.failure:
            return memory
        said = question.answer or {"verdict": "error", "detail": question.failure, "gaps": []}
        decision = {"judge": self.name, "turn": facts.iteration, "invocation": memory.invocations, **said}
        return replace(memory, decisions=memory.decisions + 1, decision=decision)

    def rule(self, memory: Sitting, text: str, facts: Facts) -> Ruling:
        """Whether this judge lets `text` count as done: `PASS`, a veto, an end that nobody confirmed, or a question."""
        question = memory.question
        if question.answer is not None:
            return PASS if question.answer["verdict"] == "done" else self._veto(question.answer, facts)
        if question.failure:
            return self._unheard(question, facts)
        if not question.is_open and self.most and memory.invocations >= self.most:
            return self._capped(memory, text)
        timeout = question.tries.left(self.asked.timeout, facts.now)
        need = timeout + self.reserve
        if facts.left.deadline is not None and facts.now + need > facts.left.deadline:
            left = max(0.0, facts.left.deadline - facts.now)
            detail = f"the judge may take {need:g} s, and {left:.1f} s are left"
            return unverified("judge_deadline", detail, f"{LIMITS}.{facts.left.deadline_by}")
        if question.tries.wait is not None:
            return Hold("clock", question.tries.wait)
        consultation = self.asked.consultation(question, packet_of(facts, "proposed_answer", text), facts.now)
        price = self.asked.price(question)
        fitted = within(consultation, facts.left, price)
        if fitted is None:
            rooms = rooms_for(consultation, facts.left, price)
            bound = f"{LIMITS}.{min(rooms, key=rooms.__getitem__)}"
            return unverified("judge_budget", "what is left of it has no room for the judge", bound)
        return Hold("judge", fitted)

    def _veto(self, answer: Mapping[str, Any], facts: Facts) -> Ruling:
        gaps = "\n".join(f"- {gap}" for gap in answer["gaps"] if gap.strip())
        words = "\n".join(part for part in (answer["detail"].strip(), gaps) if part)
        escalates = answer.get("escalate") is True
        return veto(facts, words or self.fallback, source=self.name, verdict="continue", escalates=escalates)

    def _unheard(self, question: Question, facts: Facts) -> Ruling:
        match self.on_error:
            case "accept":
                return PASS
            case "unverified":
                reason = "judge_timeout" if question.timed_out else "judge_failed"
                return unverified(reason, question.failure, f"{self.place}.on_error")
            case "veto":
                words = fill(self.unheard, failure=question.failure)
                return veto(facts, words, source=self.name, verdict="unverified")

    def _capped(self, memory: Sitting, text: str) -> Ruling:
        """Both views are shown: what the worker says, and what the judge said last."""
        detail = (
            f"the judge was asked {memory.invocations} times; "
            f"it said last: {memory.last_words[:VIEWS]!r}; the answer is: {text[:VIEWS]!r}"
        )
        return unverified(self.cap_reason, detail, f"{self.place}.max_invocations")

    def publish(self, memory: Sitting) -> JudgeFacts:
        return JudgeFacts(
            invocations=memory.invocations,
            vetoes=memory.vetoes,
            max_invocations=self.most,
            cap_reached=memory.cap_reached,
        )


def decision_notes(before: Sitting, after: Sitting) -> tuple[Note, ...]:
    """What the event stream hears of a judge."""
    return (Note(event="judge_decision", fields=after.decision),) if after.decisions != before.decisions else ()
