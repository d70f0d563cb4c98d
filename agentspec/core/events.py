"""events: the facts that happened, each with its time and complete in itself. Past tense, never a wish.

The journal stores these records; a state is nothing but their fold.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from agentspec.core.messages import Failure, Message, Reply, ToolCall, ToolResult, Used
from agentspec.core.orders import Role
from agentspec.core.record import Record


class Event(Record, frozen=True, tag_field="kind"):
    """Something that happened `at` a time (seconds since the epoch, given from outside)."""

    at: float


class RunStarted(Event, frozen=True, tag="run_started"):
    """A run began: `opening` is the transcript that the first request will show.

    `before` is what earlier runs of its session have used, where its limits hold for all of them together. `counted`
    are the tokens of the opening, where somebody could count them as the model does.
    """

    run_id: str
    session_id: str
    opening: tuple[Message, ...]
    spec_name: str
    spec_hash: str
    plan: dict[str, Any] = {}  # what a reader of the journal wants to know: versions, limits, policies
    before: Used | None = None
    counted: int | None = None


class ModelReplied(Event, frozen=True, tag="model_replied"):
    order: int
    reply: Reply
    ms: int = 0
    route: int = 0  # that of its order


class ModelFailed(Event, frozen=True, tag="model_failed"):
    order: int
    failure: Failure
    ms: int = 0
    route: int = 0


class ToolReturned(Event, frozen=True, tag="tool_returned"):
    order: int
    call: ToolCall
    result: ToolResult


class Answered(Event, frozen=True, tag="answered"):
    """Somebody who was asked (`clock`, `person`, `command`, …) has answered."""

    order: int
    who: str
    question: Any
    answer: Any = None
    asker: str = ""


class Unanswered(Event, frozen=True, tag="unanswered"):
    """Nobody is there who could answer; the question stays open until the run is gone on with.

    A call of a tool stays open like this as well, where the tool waits for somebody: `questions` are what it waits for.
    """

    order: int
    who: str
    questions: tuple[dict[str, Any], ...] = ()


class Consulted(Event, frozen=True, tag="consulted"):
    """A model beside the worker has answered `asker`: with a reply, or with the failure that kept it from one."""

    order: int
    asker: str
    role: Role
    reply: Reply | None = None
    failure: Failure | None = None
    ms: int = 0
    route: int | None = None  # that of its order


class UserSaid(Event, frozen=True, tag="user_said"):
    text: str


class ToolsChanged(Event, frozen=True, tag="tools_changed"):
    """An MCP server offers other tools than before. What was changed or removed is not called any more.

    What was added is for later runs: the tools that a run shows its model stay as they are.
    """

    server: str
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class DeadlineReached(Event, frozen=True, tag="deadline_reached"):
    """A bound on time ran out while something was in flight, or was about to be (`not_started`: orders).

    While `spare` seconds are left of the bound, they are meant for the last words of the run.
    """

    limit: str
    not_started: tuple[int, ...] = ()
    spare: float = 0.0


class AbortRequested(Event, frozen=True, tag="abort_requested"):
    """Somebody wants the run to stop now: `signal` can be resumed, `user` and `parent` are for good.

    `not_started` are orders that were given in the same moment, so that nothing of them was done.
    """

    by: str
    not_started: tuple[int, ...] = ()


class Resumed(Event, frozen=True, tag="resumed"):
    """Another process, or the same one later, goes on with the run; `message` is what a person says to it then."""

    reason: str = ""
    reissued: tuple[int, ...] = ()
    message: str | None = None


AnyEvent: TypeAlias = (
    RunStarted
    | ModelReplied
    | ModelFailed
    | ToolReturned
    | Answered
    | Unanswered
    | Consulted
    | UserSaid
    | ToolsChanged
    | DeadlineReached
    | AbortRequested
    | Resumed
)
