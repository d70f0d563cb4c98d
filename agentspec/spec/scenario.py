"""scenario: a test of a spec: scripted turns of the model, simulated people, and what must come out.

Only the form; running it stands with the test command.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from agentspec.spec.authority import Identity
from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.context import Called
from agentspec.spec.kinds import (
    AgentRef,
    Anything,
    Count,
    Duration,
    Expression,
    Free,
    Glob,
    Line,
    Price,
    Regex,
    Whole,
    Yes,
)
from agentspec.spec.statuses import ErrorClass


class ScriptedCall(Record):
    """A tool call of a scripted turn."""

    name: Line = key("The tool.")
    arguments: Free | str = key("Its arguments; a text is given to the runtime as it is.", {})
    id: Maybe[Line] = key("Its id.", None, shown="a new one")


class ScriptedError(Record):
    """A failure of the provider instead of an answer."""

    status: Maybe[Annotated[int, "HTTP"] | ErrorClass] = key("The HTTP status, or the class of the failure.", None)
    message: Maybe[Line] = key("What it says.", None)
    retry_after: Maybe[Duration] = key("When it would like to be asked again.", None)


class Match(Record):
    """Which requests a turn answers."""

    some_of = ("text", "role")

    text: Maybe[Glob] = key("A pattern of the last message.", None)
    role: Maybe[Literal["worker", "judge", "summary", "repair"]] = key("Who is asked.", None)


class ScriptedTurn(Record):
    """One answer of the scripted model."""

    text: Maybe[str] = key("What it says.", None)
    reasoning: Maybe[str] = key("What it thinks.", None)
    tool_calls: Items[ScriptedCall] = key("What it calls.", [])
    finish_reason: Maybe[Line] = key("Why it stopped.", None)
    usage: Maybe[Free] = key("The tokens that it reports.", None)
    error: Maybe[ScriptedError] = key("A failure instead of an answer.", None)
    delay: Maybe[Duration] = key("How long it takes.", None)
    raw: Anything = key("The answer as the provider would send it.", None)
    said: Maybe[Line] = key("What a person says meanwhile; the model reads it in its next request.", None)
    interrupt: Maybe[Yes] = key("The run is interrupted while the model is asked.", None)
    match: Maybe[Glob | Match] = key("Answer only requests that fit.", None)
    role: Maybe[Literal["worker", "judge", "summary", "repair"]] = key("Answer only this role.", None)


class Reply(Record):
    """What a simulated person does when asked."""

    one_of = ("reply", "action")

    match: Glob = key("A pattern of the question.", "*")
    reply: Maybe[str] = key("The answer.", None)
    action: Maybe[Literal["stop", "fail", "interrupt", "wait"]] = key(
        "Cancel the run, fail the scenario, interrupt the run, or leave the question open.", None
    )


class SimulatedUser(Record):
    """A simulated person, spelled out."""

    one_of = ("replies", "agent")

    replies: Maybe[Some[Reply]] = key("Ordered rules; the first that matches answers.", None)
    agent: Maybe[AgentRef] = key("A spec that plays the person.", None)
    max_replies: Maybe[Count] = key("The most answers.", None)
    max_llm_calls: Maybe[Count] = key("The most calls of a model, for an agent.", None)


class Consent(Record):
    """What a person says where a call of a tool is to be approved."""

    tool: Glob = key("A pattern of the tool's name.", "*")
    decision: Literal["allow", "session", "deny", "ask", "interrupt"] = key(
        "The answer; `ask` leaves the question open, `interrupt` interrupts the run."
    )


class PastMessage(Record):
    """A message of the conversation before the task, as it was said."""

    role: Literal["user", "assistant", "system", "tool_result"] = key("Who spoke.")
    content: Maybe[str] = key("What was said.", None)
    tool_calls: Maybe[Some[Called]] = key("Calls that the assistant made.", None)
    call_id: Maybe[Line] = key("The call that a result answers.", None)


class ToolAnswer(Record):
    """A recorded result: the tool is not run."""

    name: Line = key("The tool.")
    arguments: Maybe[Free] = key("Only for these arguments.", None)
    status: Literal["ok", "error", "timeout", "denied", "interrupted"] = key(
        "How the call ended; `interrupted` interrupts the run while it goes on.", "ok"
    )
    delay: Maybe[Duration] = key("How long it takes.", None)
    text: Maybe[str] = key("What the model sees.", None)
    data: Anything = key("The result's data.", None)
    file: Maybe[Literal["new", "changed"]] = key(
        "A call of `files.edit` changes its file in the copy as well; one that is `new` isn't there before.",
        None,
    )


class ExpectedText(Record):
    """What the final text must be like."""

    some_of = ("equals", "contains", "excludes", "matches")

    equals: Maybe[str] = key("Exactly this.", None)
    contains: Maybe[Line | Some[Line]] = key("With this in it.", None)
    excludes: Maybe[Line | Some[Line]] = key("Without this.", None)
    matches: Maybe[Regex] = key("A regular expression.", None)


class ExpectedTools(Record):
    """What must have been called."""

    some_of = ("calls", "successful", "rejected", "not_called")

    calls: Maybe[Items[Line]] = key("All calls, in this order.", None)
    successful: Maybe[Items[Line]] = key("These succeeded.", None)
    rejected: Maybe[Items[Line]] = key("These were refused or failed.", None)
    not_called: Maybe[Some[Line]] = key("None of these.", None)


class ExpectedLimits(Record):
    """The most that the run may have used."""

    iterations: Maybe[Whole] = key("Turns.", None)
    provider_calls: Maybe[Whole] = key("Calls of a model.", None)
    tool_calls: Maybe[Whole] = key("Tool calls.", None)
    tokens: Maybe[Whole] = key("Tokens.", None)
    cost_usd: Maybe[Price] = key("US dollars.", None)


class Expect(Record):
    """What must come out; all that is given must hold."""

    some_of = ("status", "stop_reason", "tools", "text", "output", "files", "limits", "events", "that")

    status: Maybe[Line | Some[Line]] = key("The status, or one of several.", None)
    stop_reason: Maybe[Line | Some[Line]] = key("The stop reason, or one of several.", None)
    tools: Maybe[ExpectedTools] = key("What must have been called.", None)
    text: Maybe[str | ExpectedText] = key("What the final text must be like.", None)
    output: Anything = key("The structured output.", None)
    files: Maybe[dict[str, str]] = key("Files of the workspace afterwards.", None)
    limits: Maybe[ExpectedLimits] = key("The most that the run may have used.", None)
    events: Maybe[Some[dict[str, Any]]] = key("Events that must have happened, in this order.", None)
    that: Maybe[Annotated[str, Expression("expect.that")] | Some[Annotated[str, Expression("expect.that")]]] = key(
        "Expressions over the result.", None
    )


class Scenario(Record):
    """A test of a spec."""

    scenario: Line = key("What it shows, in a sentence.")
    for_: AgentRef = key("The spec: a file, or `FILE#NAME`.", alias="for")
    description: Maybe[Line] = key("More about it.", None)
    inputs: Maybe[Free] = key("Values for the spec's inputs.", None)
    set: Maybe[Some[Line]] = key("Keys of the spec that are set, as `--set` does: `PATH=VALUE`.", None)
    history: Maybe[Some[PastMessage]] = key("The conversation before the task.", None, shown="the spec's own")
    task: Maybe[str] = key("The task.", None, shown="the spec's own")
    identity: Maybe[Identity] = key("Who the run acts for.", None)
    approve: Literal["ask", "allow", "deny"] | Some[Consent] = key(
        "How questions about approval are answered: one word for all, or ordered rules.", "ask"
    )
    model: Maybe[Items[ScriptedTurn]] = key("The scripted turns of the model.", None)
    user: Maybe[Items[Reply] | SimulatedUser] = key("The simulated person.", None)
    tool_results: Maybe[Items[ToolAnswer]] = key("Recorded results of tools that are not run.", None)
    files: Maybe[dict[str, str]] = key("Files of the workspace at the start.", None)
    expect: Expect = key("What must come out.")
