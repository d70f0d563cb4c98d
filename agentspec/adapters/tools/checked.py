"""checked: holds what a tool gives against the type that its author wrote under `returns`.

Where the type is no text, the text that a program printed is read as JSON. A result that does not fit is an error that
says how, and what was given stays with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.core.messages import ToolError
from agentspec.core.schema.validate import compile_schema
from agentspec.ports import Invocation, Output, Tool


class CheckedTool:
    """A tool whose results fit `returns`, a JSON Schema; `prints` where its text is the result."""

    def __init__(self, tool: Tool, returns: Mapping[str, Any], *, prints: bool) -> None:
        self._tool = tool
        self._validator = compile_schema(returns, noun="key")
        self._is_text = returns.get("type") == "string"
        self._prints = prints

    async def call(self, invocation: Invocation) -> Output:
        output = await self._tool.call(invocation)
        if output.error is not None or output.status != "ok":
            return output
        if output.overflow is not None and not self._is_text:
            return _refused(output, "it is too large to be read whole")
        try:
            value = self._value(output)
        except (ValueError, RecursionError):
            return _refused(output, "it is no JSON")
        problems = self._validator.check(value)
        if problems:
            return _refused(output, "; ".join(problems))
        return output if self._is_text else replace(output, data=value)

    async def close(self) -> None:
        await self._tool.close()

    def _value(self, output: Output) -> Any:
        """What is held against the type: the text that a program printed, or its JSON; else what came as a value."""
        if not self._prints:
            return output.text if self._is_text and output.data is None else output.data
        return output.text if self._is_text else json.loads(output.text)


def _refused(output: Output, why: str) -> Output:
    error = ToolError(category="result", message=f"the result is not what `returns` says: {why}")
    return replace(output, status="error", error=error)
