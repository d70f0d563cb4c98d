"""narrowing: tools that only read and are not used leave the view of the model. Nothing is forbidden by it.

A tool that has left and is called all the same runs, and is back. Without a word to the contrary a request keeps its
bytes: the provider is told what may be called, where it can be; else nothing is narrowed, and the event says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.offer.narrowing import PLACE, Narrowed, can_restrict, gone, narrowing_of
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Stage, TurnEnded
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class View(Record, frozen=True):
    """In which turn each tool was called last, since when that counts, and which tools have left."""

    used: dict[str, int] = {}
    since: int = 0
    turn: int = 0
    gone: frozenset[str] = frozenset()
    skills: tuple[str, ...] = ()
    is_said: bool = False


class Narrowing(Policy[View], frozen=True):
    """Counts turns without use; a skill that becomes active or ceases makes it begin anew."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 20
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (TurnEnded,)
    reviews: ClassVar = (Think,)
    announces: ClassVar = True

    narrowed: Narrowed
    tools: tuple[str, ...]
    restricts: bool

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        narrowed = narrowing_of(settings, tools)
        if narrowed is None:
            return None
        return cls(
            narrowed=narrowed,
            tools=tuple(name for name, tool in tools.items() if not tool.is_late),
            restricts=can_restrict(settings),
        )

    def start(self) -> View:
        return View()

    def observe(self, memory: View, event: Event | Notice, facts: Facts) -> View:
        if not isinstance(event, TurnEnded):
            return memory
        used = memory.used
        called = [name for name in facts.turn.tool_names if name in self.narrowed.leaving]
        if called:
            used = used | dict.fromkeys(called, event.turn)
        since = memory.since if facts.active_skills == memory.skills else event.turn
        left = gone(self.narrowed, used, since, event.turn)
        if len(left) == len(self.tools):  # a model without any tool is another agent
            left = frozenset()
        if (used, since, left) == (memory.used, memory.since, memory.gone):
            return memory
        return View(used, since, event.turn, left, facts.active_skills, is_said=memory.is_said or bool(left))

    def review(self, memory: View, proposal: Proposal, facts: Facts) -> Ruling:
        if not memory.gone or not isinstance(proposal, Think) or proposal.is_last:
            return PASS
        shown = self.tools if proposal.tools is None else proposal.tools
        left = tuple(name for name in shown if name not in memory.gone)
        if self.narrowed.mode != "cache_safe":
            return Rewrite(replace(proposal, tools=left))
        if not self.restricts or facts.tool_format != "native":
            return PASS
        return Rewrite(replace(proposal, allowed=left))

    def notes(self, before: View, after: View) -> tuple[Note, ...]:
        is_view = self.narrowed.mode != "cache_safe"
        is_applied = is_view or self.restricts
        if after.gone == before.gone or (before.is_said and not is_applied):
            return ()
        fields: dict[str, Any] = {
            "iteration": after.turn,
            "mode": self.narrowed.mode,
            "narrowed": sorted(after.gone - before.gone),
            "back": sorted(before.gone - after.gone),
            "applied": is_applied,
            "breaks_prefix": is_view,
        }
        if not is_applied:
            fields["reason"] = "the provider can't restrict what is called without a change of what stands before"
        return (Note(event="tools_narrowed", fields=fields),)
