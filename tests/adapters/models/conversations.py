"""Conversations of every kind, for requests in every protocol, and a look at each leaf of what a vendor's types take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.core.transcript import Transcript

TEXT = st.text(max_size=12) | st.sampled_from(["", " ", "\n", "ok", "\ud800", "null", "é🙂", "a" * 300])
ARGUMENTS = st.sampled_from(['{"key":"a"}', "", "{}", '{"key": ', "[1]", "null", '{"key":1e400}', "{'key': 'a'}"])
IDS = st.from_regex(r"[a-z0-9_]{1,8}", fullmatch=True) | st.sampled_from(["a b", "call|1", "é", "x" * 200])
NAMES = st.sampled_from(["lookup", "read file", "", "é", "n" * 80])


@st.composite
def conversations(draw: st.DrawFn, origin: str = "", extra: Mapping[str, Any] | None = None) -> Transcript:
    """A conversation whose calls all have their results. Some answers come from `origin` and have its `extra`."""
    messages: list[Message] = [SystemMessage(draw(TEXT))] if draw(st.booleans()) else []
    messages.append(UserMessage(draw(TEXT.filter(str.strip))))
    taken: set[str] = set()
    for _ in range(draw(st.integers(0, 6))):
        match draw(st.sampled_from(["user", "assistant", "calls", "system"])):
            case "user":
                messages.append(UserMessage(draw(TEXT)))
            case "system":
                messages.append(SystemMessage(draw(TEXT)))
            case kind:
                ids = draw(st.lists(IDS, max_size=3, unique=True)) if kind == "calls" else []
                calls = tuple(ToolCall(each, draw(NAMES), draw(ARGUMENTS)) for each in ids if each not in taken)
                taken.update(call.id for call in calls)
                own = {"origin": origin, "extra": dict(extra or {})} if draw(st.booleans()) else {}
                messages.append(AssistantMessage(text=draw(TEXT), calls=calls, reasoning=draw(TEXT), **own))
                messages += [ToolMessage(call.id, call.name, draw(TEXT)) for call in calls]
    return Transcript(messages)


def leaves(value: Any) -> Any:
    """`value` with every lazy part of it read: vendors' types look at the items of a list when somebody takes them."""
    if isinstance(value, Mapping):
        return {key: leaves(inner) for key, inner in value.items()}
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return value
    return [leaves(inner) for inner in value]


def decoded(body: bytes) -> dict[str, Any]:
    """A request as its server reads it; it has no constants that JSON does not know."""

    def refuse(constant: str) -> Any:
        raise AssertionError(constant)

    return json.loads(body.decode("utf-8"), parse_constant=refuse)
