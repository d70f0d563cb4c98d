"""turn: what the rules of `post_turn` and `terminal` see and say; the two differ in when they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from msgspec.structs import replace

from agentspec.core.facts import Facts
from agentspec.core.orders import NATURAL, Outcome
from agentspec.core.proposals import Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match, Rulebook, artifacts, seen_result
from agentspec.core.rulings import PASS, Feedback, Rewrite, Ruling
from agentspec.spec.settings import Settings

VERBS: dict[str, tuple[str, ...]] = {
    "message": ("text",),
    "feedback_kind": ("text",),
    "stop": ("true", "text"),
    "needs_verify": ("true",),
    "claim_tool": ("text",),
    "next_options": ("a mapping",),
    "reason": ("text",),
}


class Claim(Record, frozen=True):
    """What a rule has said about the next turn: the tool that it must call, and options of its request."""

    turn: int = 0
    tool: str = ""
    options: dict[str, Any] = {}

    def ruling(self, think: Think) -> Ruling:
        """The request with the claim in it, unless the claim is for another turn; last words are nobody's."""
        if think.turn != self.turn or think.is_last:
            return PASS
        options = {**think.options, **self.options}
        return Rewrite(replace(think, tool_choice=self.tool or think.tool_choice, options=options))


class TurnRules(NamedTuple):
    """The rules of one of the two places, with the names of the tools that they may claim."""

    book: Rulebook
    tools: tuple[str, ...]

    @classmethod
    def at(cls, place: str, settings: Settings, tools: Iterable[str]) -> Self | None:
        """Those of a spec at a place (`execution.post_turn`), or None where it has none."""
        rules = settings.get(place)
        where = f"{place.removeprefix('execution.')}.when"
        return cls(Rulebook(rules, where, VERBS), tuple(tools)) if rules else None

    def decide(self, facts: Facts, answers: Mapping[int, Any], answer: str, *, was_claimed: bool) -> list[Match]:
        """What they say about this answer; `was_claimed` where a rule has claimed the turn."""
        more = {
            "answer": answer,
            "artifacts": artifacts(facts),
            "tool_results": [seen_result(result) for result in facts.results],
            "available_tool_names": self.tools,
            "claimable_tool_names": self.tools,
            "has_tool_calls": facts.turn.tool_call_count > 0,
            "prior_turn_claimed_for_repair": was_claimed,
        }
        return self.book.decide(facts, answers, **more)

    def claim(self, says: Mapping[str, Any], turn: int) -> Claim | None:
        """The claim that a rule lays on this turn, or None. A tool that is not offered cannot be claimed."""
        tool = says.get("claim_tool", "")
        tool = tool if tool in self.tools else ""
        options = dict(says.get("next_options") or {})
        return Claim(turn, tool, options) if tool or options else None


def feedback_of(says: Mapping[str, Any], source: str) -> Feedback | None:
    """What a rule tells the model, or None."""
    message = says.get("message")
    return Feedback(says.get("feedback_kind") or source, message, source=source) if message else None


def outcome_of(says: Mapping[str, Any], reason: str, place: str) -> Outcome:
    """How a rule ends the run: with its own status and reason; as done never with a reason that claims completion."""
    stop, why = says.get("stop"), says.get("reason") or ""
    if stop is True:
        return Outcome("done", reason if not why or why in NATURAL else why, place=place, detail=why)
    return Outcome(str(stop), why or reason, place=place)
