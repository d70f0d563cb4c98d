"""effect_phases: of the calls of one reply the mildest kind runs, and the rest waits for what it shows.

Looking comes before changing, changing before running programs, and ending comes last. A change that failed holds up
what would build on it. No call is dropped: who waits is told so, and may be asked for again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, TypeAlias

from msgspec.structs import replace

from agentspec.core.calls.canonical import call_key
from agentspec.core.calls.touched import place
from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Admitted, Notice, Policy, Stage, TurnSettled
from agentspec.core.proposals import Act, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Ruling
from agentspec.core.tools import ToolPlan, touched_by
from agentspec.spec.settings import Settings

Phase: TypeAlias = Literal["observation", "mutation", "process", "terminal"]
PHASES: dict[str, Phase] = {
    "none": "observation",
    "read": "observation",
    "write": "mutation",
    "network": "mutation",
    "process": "process",
    "terminal": "terminal",
}
ORDER: tuple[Phase, ...] = ("observation", "mutation", "process", "terminal")
FAILED = ("error", "timeout", "unknown_outcome")
WORDS: dict[Phase, str] = {
    "observation": "looks at things",
    "mutation": "changes things",
    "process": "runs programs",
    "terminal": "ends the turn",
}


class Batch(Record, frozen=True):
    """Which phase the calls of this reply are in, and what failed in it.

    `waiting` are the calls that were put off, by key, `late` their places in the reply, `before` those of the turn
    before; `is_blocked` since a change failed and the model has neither looked nor mended it since. What else changes
    in the same batch (`has_failed`) mends nothing: it was asked for before anybody knew.
    """

    phase: Phase | None = None
    failed: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    late: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    is_blocked: bool = False
    has_failed: bool = False
    told: int = 0
    note: Note = Note(event="")


class EffectPhases(Policy[Batch], frozen=True):
    """Memory is of one batch, but for what was put off in the last one, and a change that failed."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 5
    claims: ClassVar = ("execution.effect_phases", "execution.fail_fast_same_resource")
    hears: ClassVar = (Admitted, ToolReturned, TurnSettled)
    reviews: ClassVar = (Act,)
    publishes: ClassVar = "deferred"
    announces: ClassVar = True

    plans: Mapping[str, ToolPlan]
    project: str
    has_phases: bool
    fails_fast: bool
    only_looks: bool  # there is no tool of another phase

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        has_phases = settings.get("execution.effect_phases") is not False
        fails_fast = settings.get("execution.fail_fast_same_resource") is not False
        if not tools or not (has_phases or fails_fast):
            return None
        return cls(
            plans=tools,
            project=settings.project,
            has_phases=has_phases,
            fails_fast=fails_fast,
            only_looks=all(PHASES[tool.effect] == "observation" for tool in tools.values()),
        )

    @property
    def idle(self) -> tuple[type[Event | Notice | Proposal], ...]:
        """Where nothing is ever put off, and nothing fails that would hold up another call."""
        return (ToolReturned, TurnSettled, Act) if self.only_looks else ()

    def start(self) -> Batch:
        return Batch()

    def observe(self, memory: Batch, event: Event | Notice, facts: Facts) -> Batch:
        match event:
            case Admitted(calls=calls):
                return self._chosen(memory, calls, facts)
            case ToolReturned():
                return self._returned(memory, event)
            case TurnSettled():
                return replace(
                    memory, phase=None, failed=(), has_failed=False, waiting=(), late=(), before=memory.waiting
                )
            case _:
                return memory

    def _chosen(self, memory: Batch, calls: tuple[Act, ...], facts: Facts) -> Batch:
        if not self.has_phases:
            return memory
        if len(calls) == 1 and not memory.before:  # nothing waits for it, and nobody has to be told
            return memory if self.only_looks else replace(memory, phase=self._phase(calls[0]))
        phases = [self._phase(act) for act in calls]
        phase = min(phases, key=ORDER.index)
        late = [act for act, its in zip(calls, phases, strict=True) if its != phase]
        again = [act.call.id for act in calls if _key(act) in memory.before] if memory.before else []
        fields: dict[str, Any] = {"turn": facts.iteration, "phase": phase, "calls": len(calls) - len(late)}
        fields |= {"deferred": [act.call.id for act in late], "proposed_again": again}
        return replace(
            memory,
            phase=None if self.only_looks else phase,
            waiting=tuple(_key(act) for act in late),
            late=tuple(act.index for act in late),
            told=memory.told + (len(calls) > 1 or bool(again)),
            note=Note(event="tool_batch", fields=fields),
        )

    def _phase(self, act: Act) -> Phase:
        return PHASES[self.plans[act.call.name].effect]

    def _returned(self, memory: Batch, event: ToolReturned) -> Batch:
        plan = self.plans.get(event.call.name)
        if plan is None:
            return memory
        is_failed = event.result.status in FAILED
        match PHASES[plan.effect]:
            case "mutation" if is_failed:
                failed = self._places(plan, event.result.arguments)
                return replace(memory, failed=(*memory.failed, *failed), is_blocked=True, has_failed=True)
            case "mutation" if memory.is_blocked and not memory.has_failed:
                return replace(memory, is_blocked=False)
            case "observation" if plan.effect == "read" and not is_failed and memory.is_blocked:
                return replace(memory, is_blocked=False)
            case _:
                return memory

    def _places(self, plan: ToolPlan, arguments: object) -> tuple[str, ...]:
        known = arguments if isinstance(arguments, Mapping) else {}
        return tuple(place(path, self.project) for path in touched_by(plan, known).paths)

    def review(self, memory: Batch, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Act):
            return PASS
        phase = self._phase(proposal)
        if memory.phase is not None and phase != memory.phase:
            return _deferred(
                f"not run yet: it {WORDS[phase]}, and this reply also asked for a call that {WORDS[memory.phase]}, "
                "which ran first. Ask for it again when you have seen the results."
            )
        if self.has_phases and memory.is_blocked and phase in ("process", "terminal"):
            return _deferred(
                f"not run yet: it {WORDS[phase]}, and the last change failed. "
                "Look at the state or mend the change first, then ask for it again."
            )
        return self._fail_fast(memory, proposal)

    def _fail_fast(self, memory: Batch, act: Act) -> Ruling:
        plan = self.plans[act.call.name]
        if not self.fails_fast or not memory.failed or PHASES[plan.effect] == "observation":
            return PASS
        shared = next((path for path in self._places(plan, act.arguments) if path in memory.failed), None)
        if shared is None:
            return PASS
        words = f"not run: the change of `{shared.rpartition('/')[2]}` before it failed. Look at it first."
        return Refuse(words, status="skipped", category="same_resource", retryable=True)

    def publish(self, memory: Batch) -> tuple[int, ...]:
        return memory.late

    def notes(self, before: Batch, after: Batch) -> tuple[Note, ...]:
        return (after.note,) if after.told != before.told else ()


def _deferred(words: str) -> Refuse:
    return Refuse(words, status="deferred", category="deferred", retryable=True)


def _key(act: Act) -> str:
    return call_key(act.call.name, act.arguments)
