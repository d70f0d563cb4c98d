"""terminal: the author's rules about the end of a run: once more to work, or another word for how it ended.

Bounds hold: no rule goes on past one. A rule that cannot be evaluated does not match, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.judging.vetoes import UNASKED
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnStarted
from agentspec.core.proposals import End, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match
from agentspec.core.rules.turn import Claim, TurnRules, feedback_of, outcome_of
from agentspec.core.rulings import PASS, SILENT, Refuse, Rewrite, Ruling, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "execution.terminal"
NAME = "terminal"
NOT_ASKED = frozenset((*UNASKED, "provider_error", "error", "input_guardrail"))
FINAL = frozenset(("budget_exhausted", "stuck"))  # ends that no rule can put off
GOES_ON = ("message", "claim_tool", "next_options")


class Ended(Record, frozen=True):
    """Whether a rule has put off an end already, answers of functions for the end that is proposed, and problems."""

    has_continued: bool = False
    answers: dict[int, Any] = {}
    claim: Claim = Claim()
    problems: tuple[tuple[int, str], ...] = ()


class Terminal(Policy[Ended], frozen=True):
    """Asked after the gates; one continue at most in a run."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 80
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (Answered, Ruled, TurnStarted)
    reviews: ClassVar = (End, Think)
    announces: ClassVar = True

    rules: TurnRules

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        rules = TurnRules.at(PLACE, settings, tools)
        return None if rules is None else cls(rules=rules)

    def start(self) -> Ended:
        return Ended()

    def observe(self, memory: Ended, event: Event | Notice, facts: Facts) -> Ended:
        match event:
            case Answered(asker="terminal", question={"rule": at}, answer=answer):
                return replace(memory, answers={**memory.answers, at: answer})
            case Ruled(policy="terminal", ruling=Tell(), proposal=End(answer=answer)):
                return replace(memory, problems=self._problems(memory, answer, facts))
            case Ruled(policy="terminal", ruling=Refuse(), proposal=End(answer=answer)):
                match = self._match(memory, answer, facts)
                claim = None if match is None else self.rules.claim(match.says, facts.iteration + 1)
                return Ended(has_continued=True, claim=memory.claim if claim is None else claim)
            case TurnStarted() | Ruled(proposal=End(), ruling=Refuse()):
                return replace(memory, answers={}, problems=()) if memory.answers or memory.problems else memory
            case _:
                return memory

    def _read(self, memory: Ended, answer: str, facts: Facts) -> list[Match]:
        was_claimed = memory.claim.turn == facts.iteration
        return self.rules.decide(facts, memory.answers, answer, was_claimed=was_claimed)

    def _match(self, memory: Ended, answer: str, facts: Facts) -> Match | None:
        """The rule that matches, or that asks a function first."""
        return next((match for match in self._read(memory, answer, facts) if not match.problem), None)

    def _problems(self, memory: Ended, answer: str, facts: Facts) -> tuple[tuple[int, str], ...]:
        return tuple((match.at, match.problem) for match in self._read(memory, answer, facts) if match.problem)

    def review(self, memory: Ended, proposal: Proposal, facts: Facts) -> Ruling:
        if isinstance(proposal, Think):
            return memory.claim.ruling(proposal)
        if not isinstance(proposal, End) or proposal.outcome.status in NOT_ASKED:
            return PASS
        match = self._match(memory, proposal.answer, facts)
        if self._problems(memory, proposal.answer, facts) != memory.problems:
            return SILENT
        if match is None:
            return PASS
        if match.ask is not None:
            return match.ask
        return self._act(memory, proposal, match)

    def _act(self, memory: Ended, end: End, match: Match) -> Ruling:
        outcome, says = end.outcome, match.says
        if isinstance(says.get("stop"), str):
            said = outcome_of(says, outcome.reason, f"{PLACE}[{match.at}]")
            detail = outcome.detail or f"it would have ended {outcome.status} ({outcome.reason})"
            outcome = replace(outcome, status=said.status, reason=said.reason, place=said.place, detail=detail)
            return Rewrite(replace(end, outcome=outcome))
        if says.get("stop") or memory.has_continued or outcome.status in FINAL or outcome.wrapped_up:
            return PASS
        if not any(says.get(name) for name in GOES_ON):
            return PASS
        return Refuse(says.get("reason") or "a rule of `terminal` goes on once more", tell=feedback_of(says, NAME))

    def notes(self, before: Ended, after: Ended) -> tuple[Note, ...]:
        new = [found for found in after.problems if found not in before.problems]
        return tuple(self.rules.book.note(at, problem) for at, problem in new)
