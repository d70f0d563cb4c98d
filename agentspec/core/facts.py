"""facts: the shared, typed record that policies and expressions read. Each group has one writer.

The groups' field names are those of the places in `expressions.places`; a test compares the two.
"""

from __future__ import annotations

import msgspec

from agentspec.core.context.view import Cut
from agentspec.core.messages import ToolResult
from agentspec.core.orders import ToolFormat
from agentspec.core.record import Record
from agentspec.core.transcript import Transcript


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


class ProgressFacts(Record, frozen=True):
    """Whether anything new happens. Written by the progress policy."""

    changed: bool = False
    no_net_advance: bool = False
    no_information_gain: bool = False
    turns_since_progressing: int = 0
    summary: str = ""
    repeats: int = 0
    repeated_tool: str = ""


class UsageFacts(Record, frozen=True):
    """What the run has used. Written by the limits policy."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    context_tokens: int = 0
    context_fill: float = 0.0


class LeftFacts(Record, frozen=True):
    """What is left of the bounds, less what is kept back for last words; None where there is none. Written by limits.

    `deadline` is a moment in seconds since the epoch, and `deadline_by` the bound that sets it. `keeps_last_words` is
    whether a last turn would fit all bounds.
    """

    tokens: int | None = None
    cost_usd: float | None = None
    provider_calls: int | None = None
    tool_calls: int | None = None
    deadline: float | None = None
    deadline_by: str = ""
    keeps_last_words: bool = True


class EvidenceFacts(Record, frozen=True):
    """What a judge is shown of the work, each clipped: the newest change, check, problem. Written by evidence."""

    mutation: str = ""
    verification: str = ""
    problem: str = ""
    observation: str = ""


class JudgeFacts(Record, frozen=True):
    """How often a judge was asked, and what came of it. Written by the judge's own policy."""

    invocations: int = 0
    vetoes: int = 0
    max_invocations: int = 0
    cap_reached: bool = False


class ArtifactFacts(Record, frozen=True):
    """The files that must exist at the end. Written by require_artifacts, each time that it looks."""

    present: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unverifiable: tuple[str, ...] = ()


class StallFacts(Record, frozen=True):
    """Whether the run repeats itself. Written by stall.

    `repeated_tool_calls` counts the calls that brought what they had brought before; `is_stalled` says that the turn
    which ended last was one repetition too many.
    """

    repeated_tool_calls: int = 0
    is_stalled: bool = False


class BudgetFacts(Record, frozen=True):
    """How far the run may go. Written by the iteration budget."""

    mode: str = "fixed"
    initial: int = 0
    current_limit: int = 0
    max: int = 0
    remaining: int = 0
    extension_count: int = 0
    wall_clock_ms: int = 0
    cost_usd: float = 0.0


class Facts(Record, frozen=True):
    """What policies and expressions may know; `now` is the time of the newest event, `started` of the first.

    `paused` are the seconds in which the run waited for people or lay still. `vetoes` counts the ends that were
    refused. `tool_format` is how calls are written now, and `is_constrained` whether answers are held to a schema where
    they can be; their writer is the policy of that name. `text` is the visible text of the turn, `results` the results
    of its calls when all are settled. `request_bytes` is about the size of the newest request, without its tools,
    and `shown` what it shows of the transcript; `hidden_tool_bytes` are those of tools that it
    does not show, and `late_tool_bytes` those of tools that came later. `stand_in` is the route that answers in this
    turn for one that has failed for good; written by fallback. Those of judges and files are None where the spec asks
    for none.
    """

    run_id: str = ""
    task: str = ""
    started: float = 0.0
    now: float = 0.0
    paused: float = 0.0
    iteration: int = 0
    vetoes: int = 0
    request_bytes: int = 0
    shown: Transcript = msgspec.field(default_factory=Transcript)
    hidden_tool_bytes: int = 0
    late_tool_bytes: int = 0
    tool_format: ToolFormat = "native"
    is_constrained: bool = True
    stand_in: int | None = None
    text: str = ""
    results: tuple[ToolResult, ...] = ()
    turn: TurnFacts = TurnFacts()
    session: SessionFacts = SessionFacts()
    completion: CompletionFacts = CompletionFacts()
    progress: ProgressFacts = ProgressFacts()
    usage: UsageFacts = UsageFacts()
    budget: BudgetFacts = BudgetFacts()
    left: LeftFacts = LeftFacts()
    evidence: EvidenceFacts = EvidenceFacts()
    artifacts: ArtifactFacts | None = None
    completion_judge: JudgeFacts | None = None
    turn_end_condition: JudgeFacts | None = None
    stall: StallFacts = StallFacts()
    deferred: tuple[int, ...] = ()  # calls of the reply that wait for another one. Written by effect_phases
    active_skills: tuple[str, ...] = ()  # written by skills
    scratchpad: str = ""  # the notes that the model keeps, as it reads them. Written by scratchpad
    sentinel: str = ""  # the word that says done; none without it. Written by sentinel
    cut: Cut | None = None  # what requests show as one message. Written by compaction
