"""fills: what fills the window, in words, when nothing can be left out any more. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentspec.core.context.counted import Counted
from agentspec.core.context.room import Room
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage
from agentspec.core.proposals import Think
from agentspec.core.transcript import weight_of

NAMED = 3  # the largest parts that are told of


def fills(think: Think, tools: float, counted: Counted, room: Room) -> str:
    """The size of a request against its window, and its largest parts."""
    parts: dict[str, float] = {"the tools": tools} if tools else {}
    for name, tokens in _parts(think):
        parts[name] = parts.get(name, 0.0) + tokens
    largest = sorted(parts.items(), key=lambda part: -part[1])[:NAMED]
    told = ", ".join(f"{name} about {counted.expected(tokens)}" for name, tokens in largest if tokens >= 1)
    return f"the request has about {counted.expected(think.tokens + tools)} tokens: {told}{_window(room)}"


def _window(room: Room) -> str:
    if room.window is None:
        return ""
    return f"; the window has {room.window}, of which {room.reserved} are kept for the answer"


def _parts(think: Think) -> Iterator[tuple[str, float]]:
    names: dict[str, str] = {}
    task = max(think.view.fixed, default=-1)
    for place, message in think.view.walk(think.transcript):
        if message is None:
            continue
        if isinstance(message, AssistantMessage):
            names |= {call.id: call.name for call in message.calls}
        yield _name(place, message, task, names), weight_of(message)


def _name(place: int, message: Message, task: int, names: Mapping[str, str]) -> str:
    match message:
        case SystemMessage():
            return "the system text"
        case ToolMessage(call_id=call_id, name=name):
            return f"the result of `{names.get(call_id, name)}` (message {place + 1})"
        case AssistantMessage():
            return "the model's own words"
        case _:
            return "the task" if place == task else "what was said to it"
