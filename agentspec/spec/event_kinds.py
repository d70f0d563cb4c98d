"""event_kinds: the kinds of events that a run tells, in the words of its event stream. Nothing is told here."""

from __future__ import annotations

from typing import Final

EVENT_KINDS: Final[dict[str, str]] = {
    "run_started": "The run began: its spec, its session, its task.",
    "turn_started": "A turn began.",
    "model_call": "A model was asked, and answered or failed; `role` says which one where it is not the worker.",
    "tool_call": "A call of a tool was made.",
    "tool_result": "A call has its result, or was refused; `status` says which.",
    "tool_batch": "The calls of a reply were put in order.",
    "tool_search": "The model looked for tools.",
    "tools_changed": "A server of MCP offers other tools than before.",
    "tools_narrowed": "Tools left the view of the model, or came back.",
    "provider_tool_call": "A tool ran at the provider.",
    "feedback_composed": "The model was told something in its next request.",
    "approval_requested": "Somebody is asked to approve a call.",
    "approval_decided": "A call was approved, or not.",
    "input_requested": "The run waits for an answer of somebody.",
    "loop_control_decision": "A rule of the loop extended the budget, or ended the run.",
    "limit_reached": "A bound was reached.",
    "stall_warning": "The run repeats itself.",
    "judge_decision": "A judge, or a check, has decided about an answer.",
    "step_judge_decision": "A judge has decided about a turn.",
    "guardrail_verdict": "The task was looked at before the first turn.",
    "expression_error": "An expression could not be evaluated.",
    "compacted": "The view of the conversation was made shorter.",
    "projected": "Messages were left out of the view, or shown otherwise.",
    "window_lowered": "The window of a model was found to be smaller.",
    "window_restored": "A window that was thought to be smaller is what it was: its provider counts wrongly.",
    "format_changed": "The format of tool calls was changed for the rest of the run.",
    "usage_estimated": "A provider did not say how many tokens a call took.",
    "skill_matched": "A skill fits the task.",
    "skill_activated": "A skill came into use.",
    "skill_deactivated": "A skill went out of use.",
    "scratchpad_updated": "The notes of the model were changed.",
    "progress_reported": "The model told how far it is.",
    "stance_left": "The model may now change something.",
    "span": "A layer around a tool tells how long a call took.",
    "resumed": "The run goes on.",
    "run_finished": "The run ended: its status and its reason.",
}
# What only those hear who watch while the run goes on.
LIVE_KINDS: Final[dict[str, str]] = {
    "text_delta": "A piece of an answer.",
    "reasoning_delta": "A piece of what the model thinks.",
    "tool_call_delta": "A piece of a call.",
    "restart": "What was heard of an answer so far does not count.",
    "question_asked": "A tool asks somebody.",
    "question_answered": "Somebody has answered it.",
}
RESULT_STATUSES: Final = (
    *("ok", "error", "invalid_arguments", "unknown_tool", "denied", "timeout"),
    *("cancelled", "skipped", "deferred", "unknown_outcome"),
)
"""How a call of a tool can end, as `tool_result` tells it."""
