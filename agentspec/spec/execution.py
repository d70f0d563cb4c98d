"""execution: the section that says how a run works, how long, and when it is done.

Only keys, types, limits and documentation; what a key does stands with the policy that acts on it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.judges import InputGuardrail, Judge, StepJudge, TurnEnd
from agentspec.spec.kinds import (
    Count,
    Duration,
    JsonSchema,
    Line,
    Money,
    No,
    PathText,
    Period,
    Price,
    Size,
    Text,
    ToolRef,
    Whole,
)
from agentspec.spec.rules import LoopRule, TerminalRule, TurnRule, VerifyRule

ToolNames = Some[ToolRef]


class IterationBudget(Record):
    """How many turns a run has, and how that grows."""

    mode: Literal["fixed", "adaptive"] = key("`adaptive` starts at `initial` and grows up to `max`.", "fixed")
    initial: Maybe[Count] = key("The limit at the start.", None, shown="adaptive: a quarter of `max`; fixed: `max`")
    max: Maybe[Count] = key("The limit that nothing passes.", None, shown="adaptive: 16; fixed: the profile's")
    extend_by: Maybe[Whole] = key("Iterations that one extension adds.", None, shown="adaptive: 2; fixed: 0")
    progress_window: Maybe[Count] = key("Turns back that still count as progress.", None, shown="`extend_by`")
    expose_decisions: Maybe[bool] = key("Whether the model is told of extensions.", None, shown="`true` if adaptive")


class UnknownPrice(Record):
    """The prices to reckon with where none is known, in US dollars for a million tokens."""

    input: Price = key("A million input tokens.")
    output: Price = key("A million output tokens.")


class Limits(Record):
    """Hard bounds, each with a stop reason of its own; children share them."""

    wall_clock: Maybe[Period] = key("Time from the start to the end.", None)
    working_time: Maybe[Period] = key("The same without waiting for people and approvals.", None)
    tokens: Maybe[Count] = key("Input and output tokens together.", None)
    cost_usd: Maybe[Money] = key("US dollars.", None)
    tool_calls: Maybe[Count] = key("Tool calls that are run.", None)
    consecutive_failures: Maybe[Count] = key("Tool calls in a row that end in an error.", None)
    provider_calls: Maybe[Count] = key("Calls of a model: retries, judges and summaries included.", None)
    on_missing_usage: Literal["estimate", "fail"] = key("What happens where a provider reports no usage.", "estimate")
    on_unknown_price: Literal["error"] | UnknownPrice = key("What happens where no price is known.", "error")
    show: bool = key("Whether the model is told what is left.", default=False)
    scope: Literal["run", "session"] = key("Whether a session's runs have one pot together.", "run")


class WrapUp(Record):
    """The last turn without tools that a bound leaves for an answer."""

    reserve_tokens: Maybe[Count] = key(
        "Tokens kept back for it.", None, shown="the smaller of 1024 and the longest answer"
    )
    instructions: Maybe[Text] = key("What the model is told.", None, shown="built in")


class TurnPolicy(Record):
    """What a turn must look like."""

    require_action_or_yield: bool = key("A turn has to call a tool or say that it waits.", default=False)
    allow_done_sentinel: bool = key("Whether the sentinel may end the run.", default=True)
    max_prose_chars: Maybe[Count] = key("The longest text of a turn, in characters.", None)


class RepairDiagnostics(Record):
    """What stall detection knows of editing and verifying in turns."""

    repair_aware: bool = key("Watch edits and verifications.", default=False)
    stuck_same_diagnostic_after: Count = key("The same diagnostic so often is a trip.", 3)
    post_edit_reverify: bool = key("After an edit, running the same verification again is no repeat.", default=True)
    no_net_progress_extend_guard: bool = key("No extension while the same verification keeps failing.", default=False)
    no_net_progress_extend_after: Count = key("Failures alike after which the guard holds.", 3)
    no_net_progress_hard_cap_after: Count = key("Failures alike that end the run.", 16)


class Stall(Record):
    """How repetition is seen and answered."""

    threshold: Annotated[int, Field(ge=2)] = key("The repeat that is a trip.", 3)
    stuck_limit: Maybe[Whole] = key(
        "Repeats that are allowed before one is a trip.", None, shown="2: one less than `threshold`"
    )
    max_notes: Whole = key("Notes that one repeated call gets.", 1)
    rescue: bool = key("Whether the first trip gives one more turn instead of an end.", default=True)
    inject_feedback: bool = key("Whether the model is told of repeats.", default=True)
    repeat_same_error: Count = key("The same error of the same call so often is a trip.", 3)
    ping_pong_cycles: Count = key("Two calls in turns so often is a trip.", 6)
    repeat_context_window_error: Count = key("The same context-window error so often is a trip.", 2)
    repeat_parse_rejection: Count = key("Calls that cannot be read so often is a trip.", 2)
    hard_stop_after_trips: Count = key("Trips in a row that end the run.", 3)
    exempt_tools: Items[ToolRef] = key("Tools that may repeat.", [])
    include_arguments: bool = key("Whether notes show arguments, not only their digests.", default=False)
    fingerprint: Maybe[Some[PathText]] = key("Paths whose change makes a repeated call a new one.", None)
    repair_diagnostics: Maybe[RepairDiagnostics] = key("Watch editing and verifying.", None)


class Output(Record):
    """The contract of the final answer."""

    schema_: Maybe[JsonSchema | PathText] = key("A JSON Schema, or the path of one.", None, alias="schema")
    repairs: Maybe[Whole] = key("Repair calls for an answer that does not fit.", None, shown="1; profile `verifier`: 3")


class Recover(Record):
    """Slips of a model that are answered with a corrective note."""

    missing_call: bool = key("A turn that announces a call and makes none.", default=True)
    fenced_call: bool = key("A call inside a code fence.", default=True)
    malformed_call: bool = key("A call that cannot be read.", default=True)


class Execution(Record):
    """How it works, how long, and when it is done."""

    profile: Literal["tool_using", "researcher", "verifier", "completer"] = key(
        "A set of defaults: 50 iterations and 8 nudges, 30 and 4, 5 and 0, 1 and 0; written keys win.", "tool_using"
    )
    loop_until_done: bool = key("Go on until a completion is accepted.", default=False)
    done_sentinel: Maybe[No | Line] = key(
        "The word that ends a run in loops without native tool calls; `false` for none.",
        None,
        shown="native: none; else `##DONE##`",
    )
    max_iterations: Maybe[Count] = key("Turns; the same as a fixed budget.", None, shown="the profile's")
    iteration_budget: Maybe[Literal["fixed", "adaptive"] | IterationBudget] = key("Turns, and how they grow.", None)
    loop_control: Maybe[Some[LoopRule]] = key(
        "Rules asked after every turn: extend the budget or stop.", None, shown="adaptive: extend on progress"
    )
    limits: Limits = key("Hard bounds of time, tokens, money and calls.", {})
    wrap_up: bool | WrapUp = key("One last turn without tools before a bound stops the run.", default=True)
    max_nudges: Maybe[Whole] = key("Text-only turns in a row before the run stops.", None, shown="the profile's")
    nudge: Maybe[Text] = key("What is said after such a turn.", None, shown="built in")
    turn_policy: TurnPolicy = key("What a turn must look like.", {})
    stall: bool | Stall = key("Whether and how repetition is stopped.", default=True)
    output: Literal["text", "json"] | Output = key(
        "The contract of the final answer; never sent on tool turns.", "text"
    )
    verify_completion: Maybe[Some[VerifyRule]] = key("Rules and commands that a completion must pass.", None)
    verify_completion_judge: bool | Judge = key("A model that a completion must convince.", default=False)
    turn_end_condition: bool | TurnEnd = key("A model that is asked at the end of turns, when due.", default=False)
    step_judge: bool | StepJudge = key("A model that looks at a turn before its tools run.", default=False)
    input_guardrail: Maybe[InputGuardrail] = key("A look at the task before the first model call.", None)
    require_successful_tools: Maybe[Some[ToolRef | Some[ToolRef]]] = key(
        "Tools that must have succeeded; of a nested list one is enough.", None
    )
    stop_after_successful_tools: Maybe[ToolNames] = key("Tools whose success ends the run.", None)
    require_artifacts: Maybe[Some[PathText]] = key("Paths that must exist at the end.", None)
    post_turn: Maybe[Some[TurnRule]] = key("Rules asked after a turn's tools.", None)
    terminal: Maybe[Some[TerminalRule]] = key("Rules asked before a run ends.", None)
    recover: Recover = key("Slips of a model that are answered with a note.", {})
    tool_arg_validation: Literal["strict", "lenient", "none"] = key(
        "`strict` rejects wrong arguments with all errors, `lenient` makes safe coercions first.", "strict"
    )
    max_concurrent_tools: Count = key("Tools at a time; results keep their order.", 8)
    effect_phases: bool = key("Run a turn's calls in phases: observe, change, process, end.", default=True)
    fail_fast_same_resource: bool = key("A failed change leaves out later calls on the same path.", default=True)
    tool_error_mode: Literal["recover", "abort"] = key(
        "Whether the model sees a tool's error, or the run ends.", "recover"
    )
    tool_retries: Whole = key("Tries after the first, for tools that may be repeated.", 0)
    tool_backoff: Duration = key("The wait before the first retry; it doubles.", "1s")
    tool_timeout: Period = key("How long one call may take.", "120s")
    tool_result_max: Literal["auto"] | Size = key(
        "Bytes of a result that the model sees; `auto` fits them to the model's window.", "64KiB"
    )
