"""read_only_stance: tools that change things are hidden until something has happened; from then on all are shown.

Nothing is forbidden for good by it: it is a stance, and not a wall.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Stage, TurnEnded
from agentspec.core.proposals import Admit, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Rulebook
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "capability.read_only_stance"
HIDDEN = ("write", "process")


class Stance(Record, frozen=True):
    """In which turn the tools were earned, and what kept the condition from being read last."""

    earned: int | None = None
    problem: str = ""
    turn: int = 0


class ReadOnlyStance(Policy[Stance], frozen=True):
    """The condition is read when a turn has ended; once it held, it is not asked again."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 15
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (TurnEnded,)
    reviews: ClassVar = (Think, Admit)
    announces: ClassVar = True

    until: Any
    text: str
    hidden: tuple[str, ...]
    shown: tuple[str, ...]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        given: Mapping[str, Any] | None = settings.get(PLACE)
        if not given:
            return None
        effects = given.get("hide") or HIDDEN
        hidden = tuple(tool.name for tool in tools.values() if tool.effect in effects)
        if not hidden:
            return None
        return cls(
            until=Rulebook([{"when": given["until"]}], "loop_control.when", {}),
            text=str(given["until"]),
            hidden=hidden,
            shown=tuple(name for name, tool in tools.items() if name not in hidden and not tool.is_late),
        )

    def start(self) -> Stance:
        return Stance()

    def observe(self, memory: Stance, event: Event | Notice, facts: Facts) -> Stance:
        if not isinstance(event, TurnEnded) or memory.earned is not None:
            return memory
        match = next(self.until.read(facts, {}), None)
        if match is None:
            return memory
        if match.problem:
            return Stance(problem=match.problem, turn=event.turn)
        return Stance(earned=event.turn)

    def review(self, memory: Stance, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if memory.earned is not None:
            return PASS
        match proposal:
            case Think():
                shown = self.shown if proposal.tools is None else proposal.tools
                return Rewrite(replace(proposal, tools=tuple(name for name in shown if name not in self.hidden)))
            case Admit(call=call) if call.name in self.hidden:
                words = f"`{call.name}` is not offered yet: it changes things, and they are looked at first (`{PLACE}`)"
                return Refuse(words, status="unknown_tool", category="not_loaded", retryable=True)
            case _:
                return PASS

    def notes(self, before: Stance, after: Stance) -> tuple[Note, ...]:  # noqa: ARG002 - the shape
        if after.earned is not None:
            shown = {"turn": after.earned, "shown": list(self.hidden), "breaks_prefix": True}
            return (Note(event="stance_left", fields=shown),)
        problem = {"place": f"{PLACE}.until", "expression": self.text, "error": after.problem, "turn": after.turn}
        return (Note(event="expression_error", fields=problem),)
