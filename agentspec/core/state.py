"""state: where a run stands. A fold of its journal, and nothing else.

Only `step` makes new states; it copies one shallowly at its start and changes the copy.
"""

from __future__ import annotations

from typing import Any

from agentspec.core.context.feedback import Given
from agentspec.core.context.view import View
from agentspec.core.facts import Facts
from agentspec.core.messages import Failure, Reply, ToolCall, ToolResult
from agentspec.core.orders import Outcome, Pending
from agentspec.core.proposals import End
from agentspec.core.record import Record
from agentspec.core.rulings import Feedback
from agentspec.core.transcript import Transcript


class Slot(Record, frozen=True):
    """One call of the current batch: admitted with its arguments, then ordered, then settled.

    While a person is asked about it, `question` is the number of that order, and other calls go on.
    """

    call: ToolCall
    arguments: dict[str, Any] | None = None
    repaired: bool = False
    question: int | None = None
    order: int | None = None
    result: ToolResult | None = None

    @property
    def is_open(self) -> bool:
        """Whether it may be proposed to be run."""
        return self.result is None and self.order is None and self.question is None


class State:
    """The whole memory of a run between two events."""

    transcript: Transcript
    view: View
    shown: Transcript
    reshaped: tuple[str, ...]
    memory: list[Any]
    facts: Facts
    pending: dict[int, Pending]
    batch: list[Slot]
    admitted: int
    decided: int
    absent: dict[int, tuple[dict[str, Any], ...]]
    orders_made: int
    is_turn_open: bool
    is_settled: bool
    attempts: int
    reply: Reply | None
    failure: Failure | None
    ending: End | None
    closing: Outcome | None
    outcome: Outcome | None
    abort: str | None
    told: tuple[Feedback, ...]
    given: Given
    harness: str | None
    queue: tuple[str, ...]
    was_cut: bool
    is_own: bool

    def __init__(self, memory: list[Any]) -> None:
        self.transcript = Transcript()
        self.view = View()  # how the newest request shows the transcript, and what it shows of it
        self.shown = self.transcript
        self.reshaped = ()  # who shows something otherwise than the newest request did
        self.memory = memory  # one value a policy, in the plan's order
        self.facts = Facts()
        self.pending = {}  # orders without an answer, by id
        self.batch = []  # the calls of the reply that was taken last
        self.admitted = 0  # how many of them, from the first on, were admitted or refused
        self.decided = 0  # how many of them, from the first on, are not open any more
        self.absent = {}  # orders for which nobody is there, with what a tool asks; they wait for a resume
        self.orders_made = 0
        self.is_turn_open = False
        self.is_settled = False  # all that the open turn asked for has its answer, and the turn may be closed
        self.attempts = 0  # model calls of the open turn
        self.reply = None  # answered, not yet taken
        self.failure = None  # the last model call's, not yet dealt with
        self.ending = None  # how the run proposes to end
        self.closing = None  # the end that stands when the last words are spoken
        self.outcome = None
        self.abort = None
        self.told = ()  # feedback for the next turn
        self.given = Given()  # what the harness has told so far
        self.harness = None  # what the harness says at the end of the open turn's request
        self.queue = ()  # user messages that wait for the next turn
        self.was_cut = False  # the reply did not say that it was complete: its calls are not mended
        self.is_own = False  # the batch is a call of the runtime's own

    def copy(self) -> State:
        new = State.__new__(State)
        new.__dict__ = self.__dict__.copy()  # every event copies a state: field by field it would take thrice as long
        new.memory = self.memory.copy()
        new.pending = self.pending.copy()
        new.batch = self.batch.copy()
        return new

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # a state is compared, never a key

    @property
    def is_over(self) -> bool:
        return self.outcome is not None
