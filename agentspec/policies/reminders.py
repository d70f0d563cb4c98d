"""reminders: say again what a model tends to forget, every so many turns, behind everything else.

What is said stands in the harness slot alone: the conversation does not grow by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Self

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match, Rulebook
from agentspec.core.rulings import PASS, SILENT, Feedback, Ruling, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "context.reminders"
WHEN = "loop_control.when"


class Reminded(Record, frozen=True):
    """The turn whose reminders were looked at, and the conditions that could not be evaluated in it."""

    turn: int = 0
    problems: tuple[tuple[int, str], ...] = ()


class Reminders(Policy[Reminded], frozen=True, gc=True):
    """A condition that can't be evaluated does not hold."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 76
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (Think,)
    announces: ClassVar = True

    rules: Rulebook

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        written = settings.get(PLACE) or ()
        rules = [dict(each) if isinstance(each, Mapping) else {"text": each} for each in written]
        return cls(rules=Rulebook(rules, WHEN, {})) if rules else None

    def start(self) -> Reminded:
        return Reminded()

    def observe(self, memory: Reminded, event: Event | Notice, facts: Facts) -> Reminded:
        match event:
            case Ruled(policy="reminders", proposal=Think(turn=turn)):
                found = self._matches(turn, facts)
                return Reminded(turn, tuple((match.at, match.problem) for match in found if match.problem))
            case _:
                return memory

    def review(self, memory: Reminded, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Think) or proposal.is_last or proposal.attempt > 1 or memory.turn == proposal.turn:
            return PASS
        matches = list(self._matches(proposal.turn, facts))
        texts = [str(match.says["text"]) for match in matches if not match.problem]
        if texts:
            return Tell(Feedback("reminder", "\n\n".join(texts), action="inform", source="reminders"))
        return SILENT if matches else PASS

    def notes(self, before: Reminded, after: Reminded) -> tuple[Note, ...]:
        return tuple(self.rules.note(at, problem) for at, problem in after.problems) if after != before else ()

    def _matches(self, turn: int, facts: Facts) -> Iterator[Match]:
        """The reminders that are due before this turn, and those of which nobody can say it."""
        due = [rule for rule in self.rules.rules if turn % int(rule.says.get("every") or 1) == 0]
        return self.rules.read(facts, {}, due)
