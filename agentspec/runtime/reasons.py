"""reasons: every reason for which a run ends in the runtime's own words: the statuses that it stands with, and what it
says. A rule of a spec gives reasons of its own beside them.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Reason(NamedTuple):
    """What a reason stands with, and what it says."""

    statuses: tuple[str, ...]
    says: str


def _bound(says: str) -> Reason:
    return Reason(("budget_exhausted",), f"The bound of the run was reached: {says}.")


def _provider(says: str) -> Reason:
    return Reason(("provider_error",), says)


def _unverified(says: str) -> Reason:
    return Reason(("completion_unverified",), says)


REASONS: Final[dict[str, Reason]] = {
    "completed": Reason(("done",), "A reply without tool calls: without `loop_until_done` that is the answer."),
    "natural": Reason(("done",), "The model answered without tool calls, and no gate objected."),
    "sentinel": Reason(("done",), "The model wrote the word that says that it is done."),
    "required_tools_satisfied": Reason(("done",), "The tools of `require_successful_tools` have succeeded."),
    "stalled_judge_done": Reason(("done",), "The run was stalled, and a judge said that the work is done."),
    "stop_after_tool": Reason(("done",), "A tool of `stop_after_successful_tools` has succeeded."),
    "post_turn_stop": Reason(("done",), "A rule of `post_turn` ended it."),
    "loop_control": Reason((), "A rule of `loop_control` ended it; the status is the word of its `stop`."),
    "completion_judge_cap_reached": _unverified("The judge of completion has refused as often as it may."),
    "turn_end_cap_reached": _unverified("The judge of `turn_end_condition` has refused as often as it may."),
    "verify_attempts_exhausted": _unverified("`verify_completion` has refused as often as it may."),
    "verifier_failed": _unverified("The command of `verify_completion` can't be started."),
    "judge_deadline": _unverified("No time was left for a judge that had to be asked."),
    "judge_budget": _unverified("A judge that had to be asked did not fit into the tokens or dollars that are left."),
    "judge_timeout": _unverified("A judge did not answer in time, and `on_error: unverified` says what that means."),
    "judge_failed": _unverified("A judge could not be asked, and `on_error: unverified` says what that means."),
    "artifact_missing": _unverified("A file of `require_artifacts` is not there."),
    "max_iterations": _bound("so many turns, see `execution.max_iterations`"),
    "wall_clock": _bound("the time since it began, see `execution.limits.wall_clock`"),
    "working_time": _bound("the time in which it worked, see `execution.limits.working_time`"),
    "tokens": _bound("tokens of all its calls, see `execution.limits.tokens`"),
    "cost_usd": _bound("dollars, see `execution.limits.cost_usd`"),
    "tool_calls": _bound("calls of tools, see `execution.limits.tool_calls`"),
    "provider_calls": _bound("calls of models, see `execution.limits.provider_calls`"),
    "consecutive_failures": _bound("tool calls in a row that failed, see `execution.limits.consecutive_failures`"),
    "max_nudges": Reason(("stuck",), "The model went on with words alone, however often it was told to act."),
    "repeated_call": Reason(("stuck",), "The same call brought the same result again and again."),
    "thrash": Reason(("stuck",), "It went round in circles in more than one way."),
    "barren_reply": Reason(("stuck",), "Reply after reply ran nothing and finished nothing."),
    "required_tools_missing": Reason(("failed",), "A tool of `require_successful_tools` has never succeeded."),
    "output_invalid": Reason(("failed",), "The answer does not fit `execution.output`, also after a repair."),
    "output_truncated": Reason(("failed",), "The answer was cut off at its longest, again and again."),
    "tool_error": Reason(("failed",), "A tool failed, and `tool_error_mode: abort` ends a run for that."),
    "repeated_denial": Reason(("error",), "The model asked for nothing but what it may not do, twice."),
    "parse_dropped": Reason(("error",), "A call could not be read, and would have been lost."),
    "internal": Reason(("error",), "A bug in agentspec: please report it."),
    "context_overflow": Reason(("error",), "The request is too long for the model, and nothing is left to leave out."),
    "tripwire": Reason(("input_guardrail",), "`input_guardrail` refused the task."),
    "auth": _provider("The server refused the key, or what it may do."),
    "rate_limited": _provider("The server had too many requests, or the account has nothing left."),
    "timeout": _provider("The server did not answer in time."),
    "server_error": _provider("The server failed, every time that it was asked."),
    "invalid_request": _provider("The server refused the request itself; asked again, it would refuse it again."),
    "content_filter": _provider("The provider's filter held the answer back."),
    "connection": _provider("The server was not reached, or the connection was cut in the middle of the answer."),
    "bad_response": _provider("What the server sent is no answer of its protocol."),
    "circuit_open": _provider("The model had failed too often in a row, and is left alone (`model.circuit_breaker`)."),
    "approval": Reason(("suspended",), "A person has to allow a call: `agentspec resume RUN --approve ID=allow`."),
    "input": Reason(("suspended",), "A person has to answer: `agentspec resume RUN --answer ID=TEXT`."),
    "tool_result": Reason(("suspended",), "The caller runs a tool: `agentspec resume RUN --tool-result ID=JSON`."),
    "signal": Reason(("interrupted",), "Ctrl-C or `kill`."),
    "user": Reason(("cancelled",), "Its caller cancelled it."),
    "parent": Reason(("cancelled", "suspended"), "The run that called it has ended, or lies still."),
}
