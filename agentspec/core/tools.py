"""tools: a tool as the kernel knows it: what it takes, what it may do, and whether it may run twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from agentspec.core.calls.touched import Touched, Touches, by_names
from agentspec.core.context.tokens import tokens_of
from agentspec.core.orders import Effect, RepeatClass
from agentspec.core.record import Record
from agentspec.core.transcript import CALL_BYTES, CALL_TOKENS, bytes_of

Work: TypeAlias = Literal["", "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"]
WORK: dict[str, Work] = {"none": "think", "read": "read", "write": "edit", "process": "execute", "network": "fetch"}


class ToolPlan(Record, frozen=True, gc=True):
    """A tool as the kernel knows it. `parameters` is a JSON Schema 2020-12 object schema.

    `repeat` tells what may happen to a call whose outcome a crash has swallowed: `read` and `idempotent` run again,
    `once` never does. `touches` reads what a call touches from its arguments; without it their names are looked at.
    `work` is what sort of work it is, for rules; without it the effect tells. `server` is the MCP server that it is of.
    A tool that `is_deferred` is shown when it was searched for; `namespace` is the group that it is found in. One that
    `is_late` is shown when there is something for it to do.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect
    kind: str
    repeat: RepeatClass = "once"
    timeout: float = 120.0
    is_concurrent: bool = False
    retries: int = 0  # calls after the first that failed, where it may be repeated
    backoff: float = 1.0  # seconds before the first of them; it doubles
    touches: Touches | None = None
    work: Work = ""
    server: str = ""
    is_deferred: bool = False
    namespace: str = ""
    is_late: bool = False

    @property
    def does(self) -> Work:
        """What sort of work it is."""
        return self.work or WORK.get(self.effect, "other")


class Shown(Protocol):
    """A tool as a model sees it."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def parameters(self) -> dict[str, Any]: ...


def bytes_of_tool(tool: Shown) -> int:
    """About how many bytes a request has for the tool."""
    return CALL_BYTES + len(tool.name) + bytes_of(tool.description) + len(msgspec.json.encode(tool.parameters))


def tokens_of_tool(tool: ToolPlan) -> float:
    """About how many tokens a request has for the tool."""
    parameters = msgspec.json.encode(tool.parameters).decode("utf-8", "replace")
    return CALL_TOKENS + tokens_of(f"{tool.name} {tool.description} {parameters}")


def touched_by(tool: ToolPlan, arguments: Mapping[str, Any]) -> Touched:
    """What a call of the tool with these arguments touches."""
    return by_names(arguments) if tool.touches is None else tool.touches(arguments)
