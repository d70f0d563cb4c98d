"""layered: tools with a layer of middleware around them: a receipt of each call, or texts blanked on both ways.

A call that can leave no receipt is not made.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from agentspec.adapters.tools.handoff import HandoffTool
from agentspec.adapters.tools.receipts import HIDDEN, write_receipt
from agentspec.core.calls.canonical import call_key
from agentspec.core.calls.layers import Layer
from agentspec.core.calls.matching import listed
from agentspec.core.facts import Facts
from agentspec.core.messages import ToolError
from agentspec.core.tools import ToolPlan
from agentspec.ports import Artifacts, Invocation, Output, Tool
from agentspec.text.blanks import Blanks


class AuditedTool:
    """Writes one JSON line when a call begins and one when it has ended; some arguments are left out of them."""

    def __init__(self, tool: Tool, plan: ToolPlan, layer: Layer, project: Path) -> None:
        self._tool, self._plan, self._layer = tool, plan, layer
        self._path = project / str(layer.says["path"])
        self._left_out = frozenset(layer.says.get("redact") or ())

    async def call(self, invocation: Invocation) -> Output:
        acts, problem = self._layer.acts_on(self._plan, invocation.arguments, Facts())
        if not acts:
            return await self._tool.call(invocation)
        if problem:
            return _refused(f"`{self._layer.place}.when` could not be evaluated: {problem}")
        shown = {name: HIDDEN if name in self._left_out else value for name, value in invocation.arguments.items()}
        receipt = {
            "run_id": invocation.run.get("id", ""),
            "call_id": invocation.call_id,
            "tool": self._plan.name,
            "user": invocation.identity.get("user", ""),
            "hash": call_key(self._plan.name, invocation.arguments),
        }
        try:
            write_receipt(self._path, {"event": "called", **receipt, "arguments": shown})
        except OSError as error:
            return _refused(f"its receipt can't be written to `{self._layer.says['path']}`: {error.strerror}")
        output = await self._tool.call(invocation)
        status = output.status if output.error is None or output.status != "ok" else "error"
        write_receipt(self._path, {"event": "returned", **receipt, "status": status})
        return output

    async def close(self) -> None:
        await self._tool.close()


class RedactedTool:
    """Blanks texts that fit a pattern, and the values of some names, in what a tool is given and in what it brings."""

    def __init__(self, tool: Tool, plan: ToolPlan, layer: Layer) -> None:
        self._tool, self._plan, self._layer = tool, plan, layer
        self._blanks = Blanks(listed(layer.says.get("patterns")), listed(layer.says.get("keys")))

    async def call(self, invocation: Invocation) -> Output:
        acts, _ = self._layer.acts_on(self._plan, invocation.arguments, Facts())
        if not acts:
            return await self._tool.call(invocation)
        given = replace(invocation, arguments=self._blanks.value(invocation.arguments))
        return self._blanked(await self._tool.call(given))

    async def close(self) -> None:
        await self._tool.close()

    def _blanked(self, output: Output) -> Output:
        error = output.error
        if error is not None:
            error = replace(error, message=self._blanks.text(error.message))
        if output.overflow is not None:
            self._blanks.file(output.overflow)
        return replace(output, text=self._blanks.text(output.text), data=self._blanks.value(output.data), error=error)


def layered(
    tool: Tool, plan: ToolPlan, project: Path, layers: Sequence[Layer], artifacts: Artifacts | None = None
) -> Tool:
    """The tool with the layers that are about it around it, the first one outermost."""
    for layer in reversed(layers):
        if not layer.is_about(plan):
            continue
        match layer.kind:
            case "audit_log" if layer.says.get("path"):
                tool = AuditedTool(tool, plan, layer, project)
            case "redact":
                tool = RedactedTool(tool, plan, layer)
            case "handoff":
                tool = HandoffTool(tool, plan, layer, artifacts)
            case _:
                pass
    return tool


def _refused(why: str) -> Output:
    return Output(status="error", error=ToolError(category="middleware", message=f"not run: {why}"))
