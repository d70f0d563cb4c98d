"""places: where expressions stand, which names each place knows, and what an error means there.

Plain data, cheap to import: nothing of CEL or protobuf is loaded here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from agentspec.expressions.groups import Named

Gives = Literal["boolean", "number", "returns", "text"]

_LOOP: dict[str, Named] = {
    "iteration": ("integer", "the turn that just ended, from 1"),
    "budget": ("budget", "the iteration budget"),
    "turn": ("turn", "the turn that just ended"),
    "session": ("session", "the run so far"),
    "completion": ("completion", "whether the turn proposed to be done, and what came of it"),
    "progress": ("progress", "whether anything new happens"),
    "usage": ("usage", "tokens, cost and context"),
}
_VERIFY: dict[str, Named] = {
    **_LOOP,
    "answer": ("string", "the answer that is proposed"),
    "artifacts": ("artifacts", "required artifacts"),
}
_TURN_END: dict[str, Named] = {
    **_VERIFY,
    "tool_results": (["tool_result"], "results of the turn, in order"),
    "text": ("string", "visible text of the turn"),
    "available_tool_names": ("string[]", "tools that the model could call in the turn"),
    "claimable_tool_names": ("string[]", "tools that the next turn may be told to call"),
    "has_tool_calls": ("boolean", "the turn asked for a tool"),
    "prior_turn_claimed_for_repair": ("boolean", "the turn before was claimed for a repair"),
}
_CALL: dict[str, Named] = {
    "tool": ("tool", "the tool that is to be called"),
    "args": ("args", "the arguments of the call"),
    "paths": ("string[]", "paths that the call touches"),
    "command": ("string[]", "the command line, element by element; empty for other tools"),
    "url": ("url", "the address that the call goes to; empty for other tools"),
    "identity": ("identity", "who the run acts for"),
    "session": ("session", "the run so far"),
}
_TOOL_TEXT: dict[str, Named] = {
    "args": ("args", "the arguments of the call"),
    "identity": ("identity", "who the run acts for"),
    "inputs": ("inputs", "the inputs of the spec"),
    "run": ("run", "the run"),
}
_ENV: dict[str, Named] = {"env": ({"values": "string"}, "environment variables, never shown and never journaled")}
_PROMPT: dict[str, Named] = {"inputs": ("inputs", "the inputs of the spec"), "run": ("run_prompt", "the run")}


class Place(NamedTuple):
    """One place where an expression or a template may stand."""

    id: str
    title: str  # as it stands in a spec
    names: dict[str, Named]
    gives: Gives
    on_error: str

    @property
    def spelled(self) -> str:
        """The title as it stands in a sentence."""
        return self.title if "`" in self.title or " " in self.title else f"`{self.title}`"

    @property
    def is_template(self) -> bool:
        return self.gives == "text"


def _place(
    place_id: str, title: str, names: dict[str, Named], on_error: str, gives: Gives = "boolean"
) -> tuple[str, Place]:
    return place_id, Place(place_id, title, names, gives, on_error)


PLACES: dict[str, Place] = dict(
    (
        _place("loop_control.when", "loop_control[].when", _LOOP, "the rule does not match"),
        _place("verify_completion.when", "verify_completion[].when", _VERIFY, "it counts as a veto"),
        _place("turn_end_condition.cadence.when", "turn_end_condition.cadence.when", _VERIFY, "the judge is not due"),
        _place("post_turn.when", "post_turn[].when", _TURN_END, "the rule does not match"),
        _place("terminal.when", "terminal[].when", _TURN_END, "the rule does not match"),
        _place(
            "tools.expr",
            "tools.*.expr",
            {"args": ("args", "the arguments of the call"), "run": ("run", "the run")},
            "the call is a tool error",
            "returns",
        ),
        _place("approval.when", "approval.rules[].when", _CALL, "the call is denied"),
        _place("permissions.when", "permissions.*.when", _CALL, "the call is denied"),
        _place("middleware.when", "middleware.*.when", _CALL, "the call is denied"),
        _place(
            "model.routes.when",
            "model.routes[].when",
            {
                "turn": ("turn", "the turn that just ended; zero values before the first"),
                "progress": ("progress", "whether anything new happens; zero values before the first turn"),
                "reasoning_task": ("string", "the task that `reasoning` names; empty where it names none"),
                "attempt": ("integer", "the attempt at this turn, from 1"),
                "last_error": ("last_error", "the last failed model call"),
                "last_verdict": ("last_verdict", "what the last judge said"),
            },
            "the route is not taken",
        ),
        _place(
            "input_guardrail.when",
            "input_guardrail.when",
            {
                "task": ("string", "the task as it was given"),
                "messages": (["task_message"], "the conversation before the first model call"),
                "model": ("model", "who will answer"),
            },
            "the guardrail trips",
        ),
        _place(
            "context.filter.when",
            "context.filter[].when",
            {"message": ("message", "one message of the transcript")},
            "the message is kept",
        ),
        _place(
            "tool_search.rank",
            "tool_search.rank",
            {"query": ("string", "what is searched for"), "tool": ("found_tool", "a tool that could be found")},
            "the rank is 0",
            "number",
        ),
        _place(
            "skills.when",
            "skills.*.when",
            {
                "task": ("string", "the task as it was given"),
                "working_files": ("string[]", "files that the run works on"),
                "iteration": ("integer", "the turn that just ended; 0 before the first"),
            },
            "the skill is not matched",
        ),
        _place("prompt", "a prompt", _PROMPT, "the run does not start", "text"),
        _place("tools.template", "a tool", _TOOL_TEXT, "the call is a tool error", "text"),
        _place("tools.template.env", "a tool's `url`, `headers` or `env`", _TOOL_TEXT | _ENV, "tool error", "text"),
        _place(
            "connection",
            "`base_url`, `url`, `headers` or `env`",
            {**_PROMPT, **_ENV, "identity": _CALL["identity"]},
            "the run does not start",
            "text",
        ),
        _place(
            "resources.where",
            "resources.*.where",
            {"row": ("row", "one row of the table"), "identity": ("identity", "who the run acts for")},
            "the row is not visible",
        ),
        _place(
            "expect.that",
            "expect.that",
            {
                "result": ("result", "the result of the run"),
                "files": ({"values": "string"}, "the files of the workspace after the run, by path"),
            },
            "the expectation fails",
        ),
    )
)
