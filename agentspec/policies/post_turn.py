"""post_turn: the author's rules about a finished turn: what the model is told, what it must do next, or that it ends.

The first rule that matches decides. A rule that cannot be evaluated does not match, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnSettled
from agentspec.core.proposals import Close, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match
from agentspec.core.rules.turn import Claim, TurnRules, feedback_of, outcome_of
from agentspec.core.rulings import PASS, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "execution.post_turn"
NAME = "post_turn"


class Looked(Record, frozen=True):
    """What the rules said about the turn that was settled last.

    `says` is the rule that matched, and `at` its place in the list; `asks` whether a function has to be asked first,
    `told` and `stopped` what has been done about it. `problems` are rules of this turn that could not be evaluated,
    each with its place in the list.
    """

    turn: int = 0
    says: dict[str, Any] = {}
    at: int = 0
    asks: bool = False
    answers: dict[int, Any] = {}
    told: bool = False
    stopped: bool = False
    claim: Claim = Claim()
    problems: tuple[tuple[int, str], ...] = ()


class PostTurn(Policy[Looked], frozen=True):
    """Heard when a turn is settled, also after a veto; acted upon before the turn is closed."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 55
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (TurnSettled, Answered, Ruled)
    reviews: ClassVar = (Close, Think)
    announces: ClassVar = True

    rules: TurnRules

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        rules = TurnRules.at(PLACE, settings, tools)
        return None if rules is None else cls(rules=rules)

    def start(self) -> Looked:
        return Looked()

    def observe(self, memory: Looked, event: Event | Notice, facts: Facts) -> Looked:
        match event:
            case TurnSettled(turn=turn) if turn != memory.turn or not (memory.told or memory.stopped):
                return self._decided(Looked(turn=turn, claim=memory.claim), facts)
            case Answered(asker="post_turn", question={"rule": at}, answer=answer):
                return self._decided(replace(memory, answers={**memory.answers, at: answer}), facts)
            case Ruled(policy="post_turn", ruling=Tell()):
                return replace(memory, told=True)
            case Ruled(policy="post_turn", ruling=Stop()):
                return replace(memory, stopped=True)
            case _:
                return memory

    def _matches(self, memory: Looked, facts: Facts) -> list[Match]:
        was_claimed = memory.claim.turn == memory.turn and bool(memory.claim.tool)
        return self.rules.decide(facts, memory.answers, facts.text, was_claimed=was_claimed)

    def _decided(self, memory: Looked, facts: Facts) -> Looked:
        found = self._matches(memory, facts)
        last = found[-1] if found else Match(-1)
        claim = self.rules.claim(last.says, memory.turn + 1)
        return replace(
            memory,
            says=dict(last.says),
            at=last.at,
            asks=last.ask is not None,
            claim=memory.claim if claim is None else claim,
            problems=tuple((match.at, match.problem) for match in found if match.problem),
        )

    def review(self, memory: Looked, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Think():
                return memory.claim.ruling(proposal)
            case Close(turn=turn) if turn == memory.turn:
                return self._act(memory, facts)
            case _:
                return PASS

    def _act(self, memory: Looked, facts: Facts) -> Ruling:
        if memory.asks:
            asked = self._matches(memory, facts)[-1].ask
            return PASS if asked is None else asked
        feedback = feedback_of(memory.says, NAME)
        if feedback is not None and not memory.told:
            return Tell(feedback)
        if memory.says.get("stop") and not memory.stopped:
            outcome = outcome_of(memory.says, "post_turn_stop", f"{PLACE}[{memory.at}]")
            return Stop(outcome, is_gated=memory.says.get("needs_verify") is True)
        return PASS

    def notes(self, before: Looked, after: Looked) -> tuple[Note, ...]:
        if after.problems == before.problems and after.turn == before.turn:
            return ()
        known = before.problems if after.turn == before.turn else ()
        return tuple(self.rules.book.note(at, problem) for at, problem in after.problems if (at, problem) not in known)
