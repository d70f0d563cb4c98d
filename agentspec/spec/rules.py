"""rules: the rule lists that several sections share: a condition, and what then happens.

A rule without its verb is refused here; whether a rule can ever match is the checker's question.
"""

from __future__ import annotations

from typing import Annotated

from agentspec.spec.base import Maybe, Record, Some, key
from agentspec.spec.kinds import (
    CallText,
    Count,
    Expression,
    Free,
    Line,
    Mark,
    PathText,
    Period,
    Python,
    Status,
    Text,
    ToolRef,
    Yes,
)

Argv = Annotated[Some[CallText], Mark("argv")]
"""A command and its arguments, one element each; never a shell."""


class LoopRule(Record):
    """A rule of the loop: the first that matches decides whether the budget grows or the run ends."""

    one_of = ("extend", "extend_to", "stop", "none", "python")

    when: Maybe[Annotated[str, Expression("loop_control.when")]] = key("The rule matches when it holds.", None)
    extend: Maybe[Yes | Count] = key("Add so many iterations; `true` adds the budget's `extend_by`.", None)
    extend_to: Maybe[Count] = key("Raise the limit to this iteration.", None)
    stop: Maybe[Status] = key("End the run with this status.", None)
    none: Maybe[Yes] = key("Change nothing, and ask no later rule.", None)
    python: Maybe[Python] = key("A function that decides: the same state in, the same command out.", None)
    reason: Maybe[Line] = key("Why, for the record and the result.", None)


class VerifyRule(Record):
    """A cheap check of a proposed completion: a condition, or a command."""

    one_of = ("veto", "accept", "command", "python")

    when: Maybe[Annotated[str, Expression("verify_completion.when")]] = key("The rule matches when it holds.", None)
    veto: Maybe[Text] = key("Refuse the completion; these words go back to the model.", None)
    accept: Maybe[Yes] = key("Let the completion pass, and ask no later rule.", None)
    command: Maybe[Argv] = key("A command that accepts by exit 0; otherwise its tail is the feedback.", None)
    python: Maybe[Python] = key("A function that decides: the same state in, the same command out.", None)
    cwd: Maybe[PathText] = key("Where the command runs.", None, shown="the project folder")
    timeout: Maybe[Period] = key("How long the command may take.", None, shown="`execution.tool_timeout`")
    reason: Maybe[Line] = key("Why, for the record.", None)


class TurnRule(Record):
    """A rule that looks at a finished turn and speaks to the model, or ends the run."""

    some_of = ("message", "stop", "claim_tool", "next_options", "python")

    when: Maybe[Annotated[str, Expression("post_turn.when")]] = key("The rule matches when it holds.", None)
    message: Maybe[Text] = key("Said to the model at the end of its next request.", None)
    feedback_kind: Maybe[Line] = key("The kind that the message has in events.", None)
    stop: Maybe[Yes | Status] = key("End the run, with this status where one is given.", None)
    needs_verify: Maybe[bool] = key("Ask the gates of completion before the stop counts.", None)
    claim_tool: Maybe[ToolRef] = key("The next turn must call this tool.", None)
    next_options: Maybe[Free] = key("Provider options of the next call alone.", None)
    python: Maybe[Python] = key("A function that decides: the same state in, the same command out.", None)
    reason: Maybe[Line] = key("Why; for a stop with a status it is the stop reason of the result.", None)


class TerminalRule(TurnRule):
    """A rule that is asked once more when a run is about to end."""

    when: Maybe[Annotated[str, Expression("terminal.when")]] = key("The rule matches when it holds.", None)
