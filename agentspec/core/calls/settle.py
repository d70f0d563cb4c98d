"""settle: what becomes of the calls of a turn: the result of one that is not run, the facts when all are settled."""

from __future__ import annotations

from typing import TypeAlias

from msgspec.structs import replace

from agentspec.core.facts import Facts, SessionFacts, TurnFacts
from agentspec.core.messages import ToolError, ToolResult, ToolStatus
from agentspec.core.rulings import Refuse
from agentspec.core.state import Slot

NOT_REJECTED = ("ok", "deferred", "skipped")
MARKS = {"denied": "DENIED: ", "deferred": "DEFERRED: "}


def mark_of(status: ToolStatus) -> str:
    """What stands before the words of a call that was not ok, for the model."""
    return MARKS.get(status, "ERROR: ")


def refused(slot: Slot, refusal: Refuse) -> ToolResult:
    """The result that answers a call which is not run, or not run to its end."""
    return ToolResult(
        name=slot.call.name,
        call_id=slot.call.id,
        status=refusal.status,
        text=mark_of(refusal.status) + refusal.reason,
        error=ToolError(
            category=refusal.category or refusal.status, message=refusal.reason, retryable=refusal.retryable
        ),
    )


Groups: TypeAlias = tuple[tuple[str, ...], ...]


def after_turn(facts: Facts, results: list[ToolResult], required: Groups = ()) -> Facts:
    """The facts when the calls of a turn have these results; of each `required` group one tool must have succeeded."""
    names = good = _names(results)
    bad: tuple[str, ...] = ()
    passed = [result for result in results if result.status == "ok"]
    if len(passed) < len(results):
        good = _names(passed)
        bad = _names([result for result in results if result.status not in NOT_REJECTED])
    turn = TurnFacts(
        tool_call_count=len(results),
        tool_names=names,
        successful_tool_names=good,
        rejected_tool_names=bad,
        text_chars=facts.turn.text_chars,
        native_fallback_used=facts.turn.native_fallback_used,
    )
    session = facts.session
    if not {*session.successful_tool_names}.issuperset(good) or not {*session.rejected_tool_names}.issuperset(bad):
        session = replace(
            session,
            successful_tool_names=_joined(session.successful_tool_names, good),
            rejected_tool_names=_joined(session.rejected_tool_names, bad),
        )
    if required and good:
        session = with_required(session, required)
    return replace(facts, turn=turn, session=session, results=tuple(results))


def with_required(session: SessionFacts, required: Groups) -> SessionFacts:
    """Which of the required tools are still missing; a group of alternatives is named as `a | b`."""
    done = session.successful_tool_names
    missing = tuple(" | ".join(group) for group in required if not any(name in done for name in group))
    return replace(session, required_tools_missing=missing, required_tools_satisfied=not missing)


def _names(results: list[ToolResult]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([result.name for result in results]))


def _joined(known: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *new)))
