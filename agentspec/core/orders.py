"""orders: what the shell must do. Journaled before they are performed, but for what only computes; numbered."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from agentspec.core.messages import Failure, ToolCall
from agentspec.core.record import Record

Effect = Literal["none", "read", "write", "process", "network", "terminal"]
RepeatClass = Literal["read", "idempotent", "once"]
ToolFormat = Literal["native", "json", "text"]
Role = Literal["judge", "summary", "repair"]
PERSON = "person"  # who is asked where a human being is to decide


class Order(Record, frozen=True, tag_field="kind"):
    """Something that the kernel wants done."""


class CallModel(Order, frozen=True, tag="call_model"):
    """Show the first `length` messages of the transcript to the model in its view, and `harness` after them.

    `reshaped` names who shows something otherwise than the request before, which so is no beginning of this one.
    `route` is the number of the route that answers; 0 is the default of the spec.
    """

    id: int
    turn: int
    attempt: int
    length: int
    harness: str | None = None
    tools: tuple[str, ...] | None = None  # None: all of the plan's
    max_output_tokens: int | None = None
    tool_choice: str | None = None
    format: ToolFormat = "native"
    is_constrained: bool = True  # the answer is held to the schema of the format, where it has one
    options: dict[str, Any] = {}  # provider options of this call alone
    allowed: tuple[str, ...] | None = None  # the tools that may be called; None: all that are shown
    reshaped: tuple[str, ...] = ()
    route: int = 0
    is_mirrored: bool = False  # another model is asked the same, for comparison
    begun: str = ""  # the beginning of its answer, which the model goes on with


class CallTool(Order, frozen=True, tag="call_tool"):
    id: int
    turn: int
    index: int
    call: ToolCall
    arguments: dict[str, Any]
    effect: Effect
    repeat: RepeatClass
    repaired: bool = False


class Ask(Order, frozen=True, tag="ask"):
    """Ask someone who is no model: the clock (`question` in seconds), a person, a command, the files of the workspace.

    `asker` is the policy that wants to know. `index` is the call of the batch that waits for the answer, where the
    others go on meanwhile.
    """

    id: int
    who: str
    question: Any
    asker: str = ""
    index: int | None = None


class Consultation(Record, frozen=True):
    """A question to a model beside the worker: it sees these two texts, and neither tools nor the transcript.

    `system` is the same for every question of its asker, so that a prompt cache hits; `packet` is what varies.
    """

    system: str
    packet: str
    role: Role = "judge"
    schema: dict[str, Any] | None = None  # of the answer; sent where the provider can hold a model to it
    timeout: float = 60.0  # seconds
    max_output_tokens: int | None = None
    route: int | None = None  # of the worker's, where one stands in; None: whoever is asked by default


class Consult(Order, frozen=True, tag="consult"):
    """Ask a model that is not the worker: a judge, a summariser, the repair of an answer. `asker` names whose it is."""

    id: int
    asker: str
    consultation: Consultation


class Cancel(Order, frozen=True, tag="cancel"):
    order: int


class Note(Order, frozen=True, tag="note"):
    """Write a decision to the event stream: `event` is its kind there."""

    event: str
    fields: dict[str, Any] = {}


class Outcome(Record, frozen=True):
    """How and why a run ends. `place` names the bound that ended it (`execution.limits.tokens`).

    `output` is the answer as the output contract read it, `output_valid` whether it fits (None: no contract was asked).
    """

    status: str
    reason: str
    failure: Failure | None = None
    place: str | None = None
    detail: str = ""
    output: Any = None
    output_valid: bool | None = None
    wrapped_up: bool = False


# The reasons of `done` that prove completion; with any other a rule of the spec has ended the run.
NATURAL = frozenset(("natural", "sentinel", "required_tools_satisfied", "stalled_judge_done", "completed"))


class Finish(Order, frozen=True, tag="finish"):
    outcome: Outcome


AnyOrder: TypeAlias = CallModel | CallTool | Ask | Consult | Cancel | Note | Finish
Pending: TypeAlias = CallModel | CallTool | Ask | Consult
