"""kernel: drive the pure kernel with a list of events: given this, when that, then these orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from agentspec.core.events import (
    Answered,
    AnyEvent,
    Consulted,
    ModelFailed,
    ModelReplied,
    RunStarted,
    ToolReturned,
    UserSaid,
)
from agentspec.core.messages import Failure, Reply, ToolCall, ToolResult, UserMessage
from agentspec.core.orders import AnyOrder, Ask, CallModel, CallTool, Consult, Finish, Outcome, Pending
from agentspec.core.plan import Plan
from agentspec.core.policy import Policy
from agentspec.core.state import State
from agentspec.core.step import initial, step
from agentspec.core.tools import ToolPlan
from agentspec.link import link
from agentspec.spec.effective import effective
from agentspec.spec.settings import Settings

Asked = TypeVar("Asked", bound=Pending)


def tool(name: str, *, effect: Any = "read", **fields: Any) -> ToolPlan:
    """A tool that takes any object.

    >>> tool("look").effect
    'read'
    """
    known = {"description": name, "parameters": {"type": "object"}, "kind": "expr"} | fields
    return ToolPlan(name=name, effect=effect, **known)


def plan_of(*policies: Policy[Any], tools: Iterable[ToolPlan] = (), **fields: Any) -> Plan:
    """A plan with just these policies and tools: for the test of one policy. It looks at no arguments by itself.

    >>> plan_of(tools=[tool("look")]).tools["look"].kind
    'expr'
    """
    named: Mapping[str, ToolPlan] = {tool.name: tool for tool in tools}
    return Plan(name="test", spec_hash="0", tools=named, policies=policies, **{"loop_until_done": False, **fields})


def plan_for(values: Mapping[str, Any], *tools: ToolPlan, project: str = "") -> Plan:
    """The plan of a spec with these values, with every policy that a real run of it has. The values are not checked.

    >>> kernel = Kernel(plan_for({"execution": {"max_iterations": 1, "wrap_up": False}}, tool("look")))
    >>> kernel.start("What is there?")
    >>> kernel.reply("", call("look"))
    >>> kernel.returned("c1", "a book")
    >>> kernel.outcome.status, kernel.outcome.place
    ('budget_exhausted', 'execution.max_iterations')
    """
    return link(Settings(effective({"name": "test", **values}), project), tools, name="test", spec_hash="0")


class Kernel:
    """A run without a shell: every event is given by hand, and time passes one second an event.

    >>> kernel = Kernel(plan_of())
    >>> kernel.start("hello")
    >>> kernel.reply("hi")
    >>> kernel.outcome.reason
    'completed'
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.state: State = initial(plan)
        self.orders: list[AnyOrder] = []  # of the last step
        self.events: list[AnyEvent] = []
        self.now = 0.0

    def give(self, event: AnyEvent) -> None:
        """Let the kernel fold an event; what it orders stands in `orders`."""
        self.events.append(event)
        self.state, orders = step(self.plan, self.state, event)
        self.orders = list(orders)

    def tick(self) -> float:
        """The time of the next event."""
        self.now += 1.0
        return self.now

    def start(self, task: str) -> None:
        """The run begins with this task."""
        opening = (UserMessage(text=task),)
        self.give(
            RunStarted(at=self.tick(), run_id="r", session_id="s", opening=opening, spec_name="test", spec_hash="0")
        )

    def reply(self, text: str = "", *calls: ToolCall, **fields: Any) -> None:
        """The model answers the call that is waiting; StopIteration where none is."""
        order, reply = self.pending(CallModel), Reply(text=text, calls=calls, **fields)
        self.give(ModelReplied(at=self.tick(), order=order.id, reply=reply, route=order.route))

    def fail(self, category: Any, **fields: Any) -> None:
        """The call of the model that is waiting fails."""
        order, failure = self.pending(CallModel), Failure(category=category, **{"message": category, **fields})
        self.give(ModelFailed(at=self.tick(), order=order.id, failure=failure, route=order.route))

    def returned(self, call_id: str, text: str = "ok", **fields: Any) -> None:
        """The tool call of this id brings a result, with what its order says unless `fields` say otherwise."""
        order = next(o for o in self.state.pending.values() if isinstance(o, CallTool) and o.call.id == call_id)
        known: dict[str, Any] = {"arguments": order.arguments, "effect": order.effect} | fields
        result = ToolResult(name=order.call.name, call_id=call_id, text=text, **known)
        self.give(ToolReturned(at=self.tick(), order=order.id, call=order.call, result=result))

    def consulted(self, text: str = "", **fields: Any) -> None:
        """The model beside the worker that was asked answers with this text."""
        order = self.pending(Consult)
        reply = Reply(text=text, **fields)
        self._came_back(order, reply=reply)

    def consultation_failed(self, category: Any, **fields: Any) -> None:
        """The call of the model beside the worker fails."""
        order = self.pending(Consult)
        failure = Failure(category=category, **{"message": category, **fields})
        self._came_back(order, failure=failure)

    def _came_back(self, order: Consult, **answer: Any) -> None:
        asked = order.consultation
        event = Consulted(
            at=self.tick(), order=order.id, asker=order.asker, role=asked.role, route=asked.route, **answer
        )
        self.give(event)

    def say(self, text: str) -> None:
        """A person says something while the run goes on."""
        self.give(UserSaid(at=self.tick(), text=text))

    def answered(self, answer: Any = None) -> None:
        """Who was asked (a command, the workspace, the clock) answers."""
        order = self.pending(Ask)
        event = Answered(at=self.tick(), order=order.id, who=order.who, question=order.question, asker=order.asker)
        self.give(replace(event, answer=answer))

    def pending(self, kind: type[Asked]) -> Asked:
        """The order of this kind that has no answer yet."""
        return next(order for order in self.state.pending.values() if isinstance(order, kind))

    def ordered(self, kind: type[Any]) -> list[Any]:
        """The orders of this kind that the last step made."""
        return [order for order in self.orders if isinstance(order, kind)]

    @property
    def outcome(self) -> Outcome:
        """How the run ended; StopIteration while it goes on."""
        finish = next(order for order in reversed(self.orders) if isinstance(order, Finish))
        return finish.outcome

    @property
    def texts(self) -> list[str]:
        """The transcript's texts, for reading."""
        return [message.text for message in self.state.transcript]


def call(name: str, call_id: str = "c1", arguments: str = "{}") -> ToolCall:
    """A call as a model asks for it; `arguments` is text, as it comes over the wire.

    >>> call("look", arguments='{"at": "sky"}').arguments
    '{"at": "sky"}'
    """
    return ToolCall(id=call_id, name=name, arguments=arguments)
