"""handoff: a layer that keeps what a result hands over to others as an artifact.

A result hands over where it is a mapping with the key `handoff` (or `__handoff`): a mapping that says what for whom.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from agentspec.core.calls.layers import Layer
from agentspec.core.facts import Facts
from agentspec.core.messages import ToolError
from agentspec.core.tools import ToolPlan
from agentspec.errors import JournalError
from agentspec.ports import Artifacts, Invocation, Output, Tool

KEYS = ("handoff", "__handoff")


class HandoffTool:
    """With `strict` a result whose hand-over can't be read or kept is an error; else it stays as it is."""

    def __init__(self, tool: Tool, plan: ToolPlan, layer: Layer, artifacts: Artifacts | None) -> None:
        self._tool, self._plan, self._layer, self._artifacts = tool, plan, layer, artifacts

    async def call(self, invocation: Invocation) -> Output:
        acts, _ = self._layer.acts_on(self._plan, invocation.arguments, Facts())
        output = await self._tool.call(invocation)
        given = _given(output) if acts and output.error is None else None
        key = next((key for key in KEYS if given is not None and key in given), None)
        return output if given is None or key is None else self._kept(output, given, given[key])

    async def close(self) -> None:
        await self._tool.close()

    def _kept(self, output: Output, given: Mapping[str, Any], handoff: Any) -> Output:
        if not isinstance(handoff, Mapping) or not handoff:
            return self._unread(output, "it is no mapping that says something")
        try:
            artifact = "" if self._artifacts is None else self._artifacts.put(msgspec.json.encode(handoff))
        except (JournalError, TypeError, ValueError) as problem:
            return self._unread(output, str(problem))
        if not artifact:
            return self._unread(output, "nothing is kept here")
        before = given.get("artifacts")
        kept = [*(before if isinstance(before, list) else ()), {"artifact": artifact, "what": "handoff"}]
        return replace(
            output, text=f"{output.text}\n[handed over, kept as artifact {artifact}]", data={**given, "artifacts": kept}
        )

    def _unread(self, output: Output, why: str) -> Output:
        if self._layer.says.get("strict") is not True:
            return output
        message = f"the hand-over can't be read: {why} (`{self._layer.place}.strict`)"
        return replace(output, status="error", error=ToolError(category="handoff", message=message))


def _given(output: Output) -> Mapping[str, Any] | None:
    """The result as a mapping: what came as a value, or the JSON that a program printed."""
    if isinstance(output.data, Mapping):
        return output.data
    if output.data is not None or output.overflow is not None or not output.text.lstrip().startswith("{"):
        return None
    try:
        found = msgspec.json.decode(output.text)
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, Mapping) else None
