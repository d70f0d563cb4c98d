"""envelope: what the transcript and the journal keep of what a tool brought: without secrets, capped, the whole kept.

What was too large for memory lies in a file, which is never left behind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from agentspec.core.calls.canonical import LENGTH, text_digest
from agentspec.core.calls.cap import cap, encodable
from agentspec.core.calls.settle import mark_of
from agentspec.core.messages import ToolResult, ToolStatus
from agentspec.core.orders import CallTool
from agentspec.ports import Output
from agentspec.runtime.masking.mask import Mask
from agentspec.runtime.ports import Ports

NO_OUTPUT = "(no output)"
CARRIED = frozenset((str, int, bool))  # types whose values JSON carries as they are


class Envelope:
    """Makes results of outputs; `result_max` bytes of a text are shown, more are an artifact."""

    def __init__(self, ports: Ports, result_max: int, mask: Mask) -> None:
        self._ports = ports
        self._result_max = result_max
        self._mask = mask

    def of(self, order: CallTool, output: Output, ms: int) -> ToolResult:
        """The result of a call that took so many milliseconds."""
        data = _as_json(output.data)
        output = self._mask.output(output if data is output.data else replace(output, data=data))
        text = encodable(output.text)
        status: ToolStatus = "ok" if output.status == "waiting" else output.status
        error = output.error
        if error is not None:
            error = replace(error, message=encodable(error.message))  # a file's name need not be UTF-8
            status = status if status != "ok" else "error"
            text = f"{mark_of(status)}{error.message}" + (f"\n{text}" if text else "")
        elif not text:
            text = NO_OUTPUT
        artifact = self._keep(output, text)
        capped = cap(text, self._result_max, artifact, full_bytes=output.full_bytes)
        return ToolResult(
            name=order.call.name,
            call_id=order.call.id,
            status=status,
            text=capped.text,
            arguments=order.arguments,
            data=output.data if not capped.truncated else None,
            error=error,
            effect=order.effect,
            duration_ms=ms,
            truncated=capped.truncated,
            full_bytes=capped.full_bytes,
            artifact=artifact,
            digest=artifact[:LENGTH] if artifact is not None else text_digest(text),
            used=output.used,
            pictures=output.pictures,
        )

    def _keep(self, output: Output, text: str) -> str | None:
        if output.overflow is not None:
            return self._keep_file(output.overflow)
        encoded = text.encode()
        return self._ports.artifacts.put(encoded) if len(encoded) > self._result_max else None

    def _keep_file(self, overflow: Path) -> str | None:
        """The artifact of a file; None where its secrets can't be taken out (a full disk): then it is not kept."""
        try:
            self._mask.file(overflow)
            return self._ports.artifacts.put(overflow)
        except OSError:
            return None
        finally:
            overflow.unlink(missing_ok=True)


def _as_json(value: Any) -> Any:
    """Data that JSON carries as it is; anything else is kept as text, and the call stays a success."""
    if value is None or type(value) in CARRIED:
        return value
    try:
        return msgspec.json.decode(msgspec.json.encode(value, enc_hook=str))
    except (TypeError, ValueError, RecursionError):
        return str(value)
