"""groups: the records that expressions read, field by field, each with its type and one line on what it is.

Plain data. The facts of a run have the same names; a test compares the two.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from agentspec.expressions.types import Type, read_type

Named: TypeAlias = tuple[object, str]  # the form of a type, and one line on what it is

EFFECT = {"enum": ["none", "read", "write", "process", "network"]}
STATUS = {
    "enum": [
        "ok",
        "error",
        "invalid_arguments",
        "unknown_tool",
        "denied",
        "timeout",
        "cancelled",
        "skipped",
        "deferred",
        "unknown_outcome",
    ]
}
FAILURE = {
    "enum": [
        "auth",
        "rate_limited",
        "timeout",
        "server_error",
        "invalid_request",
        "content_filter",
        "connection",
        "bad_response",
        "circuit_open",
        "context_overflow",
    ]
}
KIND = {
    "enum": ["expr", "run", "http", "python", "agent", "mcp", "toolkit", "resource", "skill", "runtime"],
}

MODE = {"enum": ["fixed", "adaptive"]}
STATE = {"enum": ["completed", "stopped", "failed", "cancelled", "suspended"]}
FORMAT = {"enum": ["native", "json", "text"]}

GROUPS: dict[str, dict[str, Named]] = {
    "budget": {
        "mode": (MODE, "how the iteration budget grows"),
        "initial": ("integer", "the iteration limit at the start"),
        "current_limit": ("integer", "the iteration limit that is in force now"),
        "max": ("integer", "the iteration limit that no extension passes"),
        "remaining": ("integer", "turns left before the current limit"),
        "extension_count": ("integer", "extensions granted so far"),
        "wall_clock_ms": ("integer", "milliseconds since the run started"),
        "cost_usd": ("number", "what the run has cost so far"),
    },
    "turn": {
        "tool_call_count": ("integer", "tool calls of the turn that just ended"),
        "tool_names": ("string[]", "tools that the turn asked for, in order"),
        "successful_tool_names": ("string[]", "tools of the turn that succeeded"),
        "rejected_tool_names": ("string[]", "tools of the turn that failed or were refused"),
        "text_chars": ("integer", "characters of visible text"),
        "native_fallback_used": ("boolean", "a call came as text where native calls were asked for"),
    },
    "session": {
        "successful_tool_names": ("string[]", "tools that succeeded at least once in the run"),
        "rejected_tool_names": ("string[]", "tools that failed or were refused at least once in the run"),
        "required_tools_satisfied": ("boolean", "every required tool has succeeded"),
        "required_tools_missing": ("string[]", "required tools that have not succeeded yet"),
        "calls": ("integer", "tool calls so far"),
    },
    "completion": {
        "proposed": ("boolean", "the turn proposed to be done"),
        "vetoed": ("boolean", "the proposal was vetoed"),
        "verdict": ({"enum": ["", "done", "continue", "unverified"]}, "what the last judge said; empty before one"),
        "feedback": ("string", "the words of the last veto"),
    },
    "progress": {
        "changed": ("boolean", "a call was made, a new tool succeeded, or text was written"),
        "no_net_advance": ("boolean", "a verification keeps failing in the same way"),
        "no_information_gain": ("boolean", "every call of the turn only repeated what was known"),
        "turns_since_progressing": ("integer", "turns since the last one that progressed"),
        "summary": ("string", "one line on the progress of the turn"),
        "repeats": ("integer", "how often the most repeated call gave the same result"),
        "repeated_tool": ("string", "the tool of that call; empty where nothing repeats"),
    },
    "usage": {
        "input_tokens": ("integer", "tokens sent so far"),
        "output_tokens": ("integer", "tokens received so far"),
        "cost_usd": ("number", "what the run has cost so far"),
        "context_tokens": ("integer", "tokens of the next request, estimated"),
        "context_fill": ("number", "share of the context window that it fills, 0.0 to 1.0"),
    },
    "artifacts": {
        "present": ("string[]", "required artifacts that exist"),
        "missing": ("string[]", "required artifacts that do not exist"),
        "unverifiable": ("string[]", "required artifacts that could not be looked at"),
    },
    "tool_result": {
        "name": ("string", "the tool"),
        "ok": ("boolean", "it succeeded"),
        "status": (STATUS, "how the call ended"),
        "text": ("string", "what the model was shown"),
        "error": ("string?", "the message of a failed call"),
        "data": ("any", "the structured result, if there is one"),
    },
    "run": {
        "id": ("string", "the run"),
        "session_id": ("string", "the session that the run continues"),
        "spec": ("string", "the name of the spec"),
        "task": ("string", "the task as it was given"),
        "provider": ("string", "the provider of the first route"),
        "model": ("string", "the model of the first route"),
        "tool_format": (FORMAT, "how tool calls are written"),
        "final_answer": ("string", "how an answer is given in this tool format, in words"),
        "done_sentinel": ("string", "the word that says done; empty where there is none"),
        "done_sentinel_form": ("string", "how the word is to be written, in words"),
        "done_sentinel_rendered": ("string", "the word exactly as the model must write it"),
        "date": ("string", "the day on which the run started, `2026-01-31`"),
        "started_at": ("time", "when the run started"),
        "now": ("time", "when the tool was called or the turn ended"),
    },
    "tool": {
        "name": ("string", "the tool that is to be called"),
        "kind": (KIND, "what stands behind it"),
        "effect": (EFFECT, "what it may do"),
    },
    "url": {
        "text": ("string", "the whole address"),
        "scheme": ("string", "`https`"),
        "host": ("string", "the host name, in lower case"),
        "port": ("integer", "the port, also where it is the scheme's own"),
        "path": ("string", "the path"),
        "query": ("string", "what follows the `?`"),
    },
    "identity": {
        "user": ("string", "who the run acts for; empty where nobody was named"),
        "roles": ("string[]", "the roles of that user"),
        "tenant": ("string", "the tenant; empty where none was named"),
    },
    "last_error": {
        "class": ({"enum": ["", *FAILURE["enum"]]}, "why the last model call failed; empty where none did"),
    },
    "last_verdict": {
        "escalate": ("boolean", "the last judge asked for a stronger model"),
    },
    "model": {
        "provider": ("string", "the provider of the first route"),
        "name": ("string", "the model of the first route"),
    },
    "task_message": {
        "role": ({"enum": ["system", "user", "assistant", "tool"]}, "who speaks"),
        "content": ("string", "the text"),
    },
    "message": {
        "role": ({"enum": ["system", "user", "assistant", "tool"]}, "who speaks"),
        "index": ("integer", "its place in the transcript, from 0"),
        "age": ("integer", "messages that came after it"),
        "tokens": ("integer", "its size, estimated"),
        "tool": ("string", "the tool of a tool message; empty in others"),
    },
    "found_tool": {
        "name": ("string", "the tool"),
        "description": ("string", "what the model is told about it"),
        "namespace": ("string", "its namespace; empty where it has none"),
        "kind": (KIND, "what stands behind it"),
        "effect": (EFFECT, "what it may do"),
        "score": ("number", "the rank that the built-in search gives it"),
    },
    "result_llm": {
        "iterations": ("integer", "turns"),
        "provider_calls": ("integer", "physical model calls, also retries and judges"),
        "judge_calls": ("integer", "calls of judges"),
        "empty_retries": ("integer", "empty answers that were asked for again"),
        "duration_ms": ("integer", "time spent in model calls"),
        "input_tokens": ("integer", "tokens sent"),
        "output_tokens": ("integer", "tokens received"),
        "cached_input_tokens": ("integer", "tokens that a prompt cache answered"),
        "reasoning_tokens": ("integer", "tokens of reasoning"),
        "cost_usd": ("number", "what the run cost"),
        "usage_estimated": ("boolean", "a provider did not report its usage"),
        "prefix_share": ("number", "share of what was sent that the next request began with"),
        "prefix_breaks": ("any", "how often it was less than all, by what changed it"),
        "routes": ("any[]", "what the calls on each route took, where there are several"),
        "own": ("any", "the same figures without children"),
    },
    "result_tools": {
        "calls": ("string[]", "tools that were called, in order"),
        "successful": ("string[]", "tools that succeeded"),
        "rejected": ("string[]", "tools that failed or were refused"),
        "mode": (FORMAT, "the tool format that ran"),
        "text_fallbacks": ("integer", "replies whose calls came as text where native calls were asked for"),
        "text_fallbacks_rejected": ("integer", "those of them that were not taken"),
    },
    "result_budget": {
        "mode": (MODE, "how the iteration budget grows"),
        "initial": ("integer", "the first limit"),
        "max": ("integer", "the limit that no extension passes"),
        "final_limit": ("integer", "the limit at the end"),
        "extensions_used": ("integer", "extensions granted"),
        "decisions": ("any[]", "what loop control decided, in order"),
    },
    "result_stall": {
        "repeated_tool_calls": ("integer", "calls that only repeated an earlier one"),
        "warnings": ("any[]", "notes that the model was given"),
        "suspected_loop": ("boolean", "the run looked like a loop"),
    },
    "result_terminal": {
        "kind": ("string", "`natural` is the only one that proves completion"),
        "reason": ("string", "why the run ended"),
        "owner": ("string", "who ended it"),
        "lifecycle_state": (STATE, "where the run stands"),
        "run_record_status": ("string", "the same for the list of runs"),
    },
    "result": {
        "run_id": ("string", "the run"),
        "session_id": ("string", "its session"),
        "status": ("string", "how the run ended"),
        "stop_reason": ("string", "why it ended"),
        "text": ("string", "the answer"),
        "visible_text": ("string", "all visible texts"),
        "output": ("any", "the answer that the output contract parsed"),
        "output_valid": ("boolean?", "whether it fits the contract"),
        "llm": ("result_llm", "figures of the model calls"),
        "tools": ("result_tools", "what was called"),
        "adaptive_budget": ("result_budget", "the iteration budget"),
        "terminal": ("result_terminal", "the terminal outcome"),
        "stall": ("result_stall", "repetition"),
        "completion_judge": ("any", "what the completion judge did"),
        "turn_end_condition": ("any", "what the turn-end judge did"),
        "compactions": ("any[]", "compactions, in order"),
        "missing_required_tools": ("string[]", "required tools that never succeeded"),
        "declared_artifacts": ("any", "required artifacts, present and missing"),
        "error": ("any", "what failed"),
        "handle": ("any", "what a suspended run waits for"),
        "wrapped_up": ("boolean", "the last turn was a wrap-up"),
        "stopped_by": ("any", "the bound or the rule that ended the run"),
    },
}
# A prompt is written before the first call and stays: it has no `now`.
GROUPS["run_prompt"] = {name: named for name, named in GROUPS["run"].items() if name != "now"}


@cache
def group_type(name: str) -> Type:
    """The record of a group. The group must exist."""
    fields = tuple((field, named_type(form)) for field, (form, _) in GROUPS[name].items())
    return Type("record", fields=fields, name=name)


def named_type(form: object) -> Type:
    """The type of a form of these tables, in which a word may also be the name of a group."""
    if isinstance(form, str) and form in GROUPS:
        return group_type(form)
    if isinstance(form, list):
        return Type("list", item=named_type(form[0]))
    return read_type(form)


def facts_groups() -> dict[str, Type]:
    """The groups that a run's facts must have, field by field, for a test that compares the two."""
    return {name: group_type(name) for name in ("budget", "turn", "session", "completion", "progress", "usage")}
