"""turn: what the rules of `post_turn` and `terminal` see and say; the two differ in when they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.core.facts import Facts
from agentspec.core.orders import NATURAL, Outcome
from agentspec.core.proposals import Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import artifacts, seen_result
from agentspec.core.rulings import Feedback

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

    def rewritten(self, think: Think) -> Think | None:
        """The request with the claim in it, or None where the claim is for another turn; last words are nobody's."""
        if think.turn != self.turn or think.is_last:
            return None
        return replace(think, tool_choice=self.tool or think.tool_choice, options={**think.options, **self.options})


def claim_of(says: Mapping[str, Any], turn: int, tools: tuple[str, ...]) -> Claim | None:
    """The claim that a rule lays on this turn, or None. A tool that is not offered cannot be claimed."""
    tool = says.get("claim_tool", "")
    tool = tool if tool in tools else ""
    options = dict(says.get("next_options") or {})
    return Claim(turn, tool, options) if tool or options else None


def seen(facts: Facts, tools: tuple[str, ...], answer: str, *, was_claimed: bool) -> dict[str, Any]:
    """What these rules see beside the facts."""
    return {
        "answer": answer,
        "artifacts": artifacts(facts),
        "tool_results": [seen_result(result) for result in facts.results],
        "available_tool_names": tools,
        "claimable_tool_names": tools,
        "has_tool_calls": facts.turn.tool_call_count > 0,
        "prior_turn_claimed_for_repair": was_claimed,
    }


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
