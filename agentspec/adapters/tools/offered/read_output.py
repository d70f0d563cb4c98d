"""read_output: reads a stretch of a result that was too large to be shown at once. Changes nothing.

Which outputs may be read is the business of the run's policy of the same name.
"""

from __future__ import annotations

import asyncio

from agentspec.core.calls.cap import READ_OUTPUT
from agentspec.core.messages import ToolError
from agentspec.core.tools import ToolPlan
from agentspec.errors import AgentSpecError
from agentspec.ports import Artifacts, Invocation, Output

HEAD = 160  # bytes that the line above a stretch may have
LEAST = 64
DESCRIPTION = (
    "Reads a stretch of a result that was cut because it is too large. The mark in the cut result names the artifact."
)


def read_output_plan() -> ToolPlan:
    """The tool as the model sees it, once something was cut."""
    return ToolPlan(
        name=READ_OUTPUT,
        description=DESCRIPTION,
        parameters={
            "type": "object",
            "properties": {
                "artifact": {"type": "string", "description": "The artifact that the mark in the cut result names."},
                "offset": {
                    "type": "integer",
                    "description": "The first byte to show, 0 if not given; a negative number counts from the end.",
                },
                "length": {"type": "integer", "minimum": 1, "description": "The most bytes to show."},
            },
            "required": ["artifact"],
            "additionalProperties": False,
        },
        effect="none",
        kind="runtime",
        repeat="read",
        is_late=True,
    )


class ReadOutput:
    """Shows whole characters, never more than one answer of `result_max` bytes may hold."""

    def __init__(self, artifacts: Artifacts | None, result_max: int) -> None:
        self._artifacts = artifacts
        self._most = max(LEAST, result_max - HEAD)

    async def call(self, invocation: Invocation) -> Output:
        given = invocation.arguments
        length = min(int(given.get("length") or self._most), self._most)
        try:
            return await asyncio.to_thread(self._read, str(given["artifact"]), int(given.get("offset") or 0), length)
        except (AgentSpecError, OSError) as problem:
            return Output(status="error", error=ToolError(category="not_found", message=str(problem)))

    async def close(self) -> None: ...

    def _read(self, artifact: str, offset: int, length: int) -> Output:
        if self._artifacts is None:
            return Output(status="error", error=ToolError(category="not_found", message="no outputs are kept here"))
        size = self._artifacts.size(artifact)
        start = max(0, size + offset if offset < 0 else offset)
        if start >= size:
            return Output(text=f"[nothing from byte {start} on: the output has {size} bytes]")
        data = self._artifacts.read(artifact, start, length)
        start, data = _whole(start, data)
        end = start + len(data)
        more = f"; read on with offset={end}" if end < size else ", which is its end"
        return Output(text=f"[bytes {start} to {end} of {size}{more}]\n{data.decode('utf-8', 'replace')}")


def _whole(start: int, data: bytes) -> tuple[int, bytes]:
    """The stretch without the rest of a character at its beginning, or the first half of one at its end (RFC 3629)."""
    first = next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
    last = next((at for at in range(1, min(4, len(data)) + 1) if data[-at] & 0xC0 != 0x80), 0)
    begun = data[-last] if last else 0
    needed = 4 if begun >= 0xF0 else 3 if begun >= 0xE0 else 2 if begun >= 0xC0 else 1
    end = len(data) - last if needed > last and len(data) - last > first else len(data)
    return start + first, data[first:end]
