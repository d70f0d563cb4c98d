"""weak: small models with known bad habits, simulated: what the protections of a loop save, and whether they lie.

Seeded, pure and quick: no provider, no shell. The task needs five calls and then an answer; an answer that comes
earlier is wrong, so that a run which ends as done can be held against what was really done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from agentspec.core.events import ModelReplied, ToolReturned
from agentspec.core.messages import Reply, ToolCall, ToolMessage, ToolResult
from agentspec.core.orders import CallModel, CallTool
from agentspec.core.plan import Plan
from agentspec.testing.kernel import Kernel, plan_for, tool

STEPS = (("find", "{}"), *(("read", f'{{"path": "{name}.txt"}}') for name in "abcd"))
WORLD = {
    ("find", "{}"): "a.txt b.txt c.txt d.txt",
    **{("read", f'{{"path": "{name}.txt"}}'): f"{name} is {ord(name)}" for name in "abcd"},
}
ANSWER = "The sum is 394."
LONGEST = 30  # turns
SOBERED = 0.4  # what is left of the readiness to fall after each refusal
POLLS = 8  # looks until the job is done


class Habit(NamedTuple):
    """What a model does wrong, how readily, and how readily it listens when somebody says so."""

    name: str
    title: str
    falls: float = 0.5
    heeds: float = 0.6
    recovers: float = 0.05  # by itself, in a turn in which nobody says anything


HABITS = (
    Habit("steady", "does what it should", falls=0.0),
    Habit("polls", f"asks for a status that changes, {POLLS} times, before it goes on", falls=0.0),
    Habit("repeats", "makes its last call again"),
    Habit("relists", "asks for the same list between its steps", falls=0.4, recovers=0.6),
    Habit("swings", "goes back and forth between two calls"),
    Habit("empty", "answers nothing"),
    Habit("announces", "says what it will call and does not call it"),
    Habit("claims", "says that it is done before it has begun", falls=0.9),
    Habit("invents", "calls tools that do not exist"),
    Habit("goes on", "does not stop when it is done", falls=0.9),
)


class Weak:
    """A model with a habit. It knows the right way, and falls into its habit by chance."""

    def __init__(self, habit: Habit, seed: int) -> None:
        self.habit = habit
        self.random = Random(f"{habit.name} {seed}")  # noqa: S311 - the same draw each time, no secret
        self.falls = habit.falls
        self.step = 0  # of the right way
        self.polls = 0
        self.made = 0
        self.is_lost = False
        self.last = STEPS[0]

    @property
    def has_worked(self) -> bool:
        return self.step == len(STEPS)

    def answer(self, *, is_told: bool, is_refused: bool) -> Reply:
        """The next reply. What the harness says is heard once; a call that was refused stays in the conversation, and
        a model that has seen one falls less readily from then on.
        """
        if is_refused:
            self.falls *= SOBERED
        is_told = is_told or is_refused
        chance = self.habit.heeds if is_told else self.habit.recovers
        self.is_lost = self.random.random() >= chance if self.is_lost else self._falls()
        return self._wrong() if self.is_lost else self._right()

    def _falls(self) -> bool:
        if self.habit.name == "goes on" and not self.has_worked:
            return False
        if self.habit.name == "claims" and self.step:
            return False
        return self.random.random() < self.falls

    def _right(self) -> Reply:
        if self.habit.name == "polls" and self.step == 1 and self.polls < POLLS:
            self.polls += 1
            return self._call("status", "{}")
        if self.has_worked:
            return Reply(text=ANSWER)
        self.last = STEPS[self.step]
        self.step += 1
        return self._call(*self.last)

    def _wrong(self) -> Reply:
        name, arguments = STEPS[min(self.step, len(STEPS) - 1)]
        match self.habit.name:
            case "empty":
                return Reply()
            case "announces":
                return Reply(text=f"I will call {name} with {arguments} next.")
            case "claims":
                return Reply(text="The task is done.")
            case "invents":
                return self._call(f"open_{self.random.choice('pqrs')}", arguments)
            case "relists":
                return self._call(*STEPS[0])
            case "swings":
                self.last = STEPS[0] if self.last != STEPS[0] else STEPS[1]
                return self._call(*self.last)
            case _:
                return self._call(*self.last)

    def _call(self, name: str, arguments: str) -> Reply:
        self.made += 1
        return Reply(calls=(ToolCall(id=f"c{self.made}", name=name, arguments=arguments),), finish="tool_calls")


class Played(NamedTuple):
    """How one run went; a lie is a run that ends as done before the work is."""

    status: str
    reason: str
    turns: int
    tokens: int
    has_worked: bool

    @property
    def is_done(self) -> bool:
        return self.status == "done"

    @property
    def is_lie(self) -> bool:
        return self.is_done and not self.has_worked


def plan_of_task(execution: Mapping[str, Any]) -> Plan:
    """The task under these settings."""
    own = {"loop_until_done": True, "max_iterations": LONGEST, "max_nudges": 8, "wrap_up": False, **execution}
    return plan_for({"execution": own}, tool("find"), tool("read"), tool("status"))


def play(habit: Habit, plan: Plan, seed: int) -> Played:
    """One run of the task by a model with this habit.

    >>> play(HABITS[0], plan_of_task({}), 1)
    Played(status='done', reason='natural', turns=6, tokens=1226, has_worked=True)
    """
    kernel = Kernel(plan)
    kernel.start("Add up the numbers in all files.")
    model = Weak(habit, seed)
    tokens = turns = 0
    while kernel.state.outcome is None:
        order = next(iter(kernel.state.pending.values()))
        if isinstance(order, CallModel):
            reply = model.answer(is_told=order.harness is not None, is_refused=_is_refused(kernel, order))
            tokens += _tokens(kernel, order, reply)
            turns = order.turn
            kernel.give(ModelReplied(at=kernel.tick(), order=order.id, reply=reply))
        elif isinstance(order, CallTool):
            kernel.give(_returned(kernel, order, model))
    outcome = kernel.state.outcome
    return Played(outcome.status, outcome.reason, turns, tokens, model.has_worked)


def _returned(kernel: Kernel, order: CallTool, model: Weak) -> ToolReturned:
    call = order.call
    text = f"{100 * model.polls // POLLS} %" if call.name == "status" else WORLD[call.name, call.arguments]
    result = ToolResult(name=call.name, call_id=call.id, text=text, arguments=order.arguments)
    return ToolReturned(at=kernel.tick(), order=order.id, call=call, result=result)


def _is_refused(kernel: Kernel, order: CallModel) -> bool:
    last = kernel.state.transcript[order.length - 1]
    return isinstance(last, ToolMessage) and last.text.startswith("ERROR")


def _tokens(kernel: Kernel, order: CallModel, reply: Reply) -> int:
    """What one call costs: a system text and tools of 150 tokens, what was said so far, and the reply."""
    said = sum(len(message.text) + 20 for message in kernel.state.transcript)
    return 150 + (said + len(order.harness or "") + len(reply.text) + 40 * len(reply.calls)) // 4


# What is switched off or on, by what the table calls it.
SETTINGS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "no `stall`": {"stall": False},
    "no `recover`": {"recover": {"missing_call": False, "fenced_call": False}},
    "no nudges": {"max_nudges": 0},
    "all three off": {"stall": False, "recover": {"missing_call": False, "fenced_call": False}, "max_nudges": 0},
    "`read` required": {"require_successful_tools": ["read"]},
}


class Row(NamedTuple):
    """Many runs of one habit under one setting: shares in percent, and means."""

    done: int
    lies: int
    turns: float
    tokens: int


def rows(seeds: int = 30) -> Iterator[tuple[Habit, str, Row]]:
    """Every habit under every setting."""
    plans = {name: plan_of_task(execution) for name, execution in SETTINGS.items()}
    for habit in HABITS:
        for name, plan in plans.items():
            yield habit, name, _row([play(habit, plan, seed) for seed in range(seeds)])


def _row(played: list[Played]) -> Row:
    return Row(
        done=round(100 * sum(run.is_done and run.has_worked for run in played) / len(played)),
        lies=round(100 * sum(run.is_lie for run in played) / len(played)),
        turns=round(sum(run.turns for run in played) / len(played), 1),
        tokens=round(sum(run.tokens for run in played) / len(played)),
    )
