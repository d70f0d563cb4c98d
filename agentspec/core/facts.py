"""facts: the shared, typed record that policies and expressions read. Each group has one writer.

The groups' field names are those of the places in `expressions.places`; a test compares the two.
"""

from __future__ import annotations

from agentspec.core.record import Record


class TurnFacts(Record, frozen=True):
    """The turn that has just ended, or the zero values before the first. Written by the kernel."""

    tool_call_count: int = 0
    tool_names: tuple[str, ...] = ()
    successful_tool_names: tuple[str, ...] = ()
    rejected_tool_names: tuple[str, ...] = ()
    text_chars: int = 0
    native_fallback_used: bool = False


class SessionFacts(Record, frozen=True):
    """What the run has done so far. Written by the kernel."""

    successful_tool_names: tuple[str, ...] = ()
    rejected_tool_names: tuple[str, ...] = ()
    required_tools_satisfied: bool = True
    required_tools_missing: tuple[str, ...] = ()
    calls: int = 0


class CompletionFacts(Record, frozen=True):
    """Whether the last turn proposed to be done, and what came of it. Written by the kernel."""

    proposed: bool = False
    vetoed: bool = False
    verdict: str = ""
    feedback: str = ""


class UsageFacts(Record, frozen=True):
    """What the run has used. Written by the limits policy."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    context_tokens: int = 0
    context_fill: float = 0.0


class BudgetFacts(Record, frozen=True):
    """How far the run may go. Written by the iteration budget."""

    current_limit: int = 0
    max: int = 0
    remaining: int = 0
    extension_count: int = 0
    wall_clock_ms: int = 0
    cost_usd: float = 0.0


class Facts(Record, frozen=True):
    """What policies and expressions may know; `now` is the time of the newest event, `started` of the first."""

    run_id: str = ""
    started: float = 0.0
    now: float = 0.0
    iteration: int = 0
    turn: TurnFacts = TurnFacts()
    session: SessionFacts = SessionFacts()
    completion: CompletionFacts = CompletionFacts()
    usage: UsageFacts = UsageFacts()
    budget: BudgetFacts = BudgetFacts()
