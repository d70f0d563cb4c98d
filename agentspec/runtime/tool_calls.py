"""tool_calls: carry out one call of a tool: once, or again where that is worth it and harmless.

Whatever a tool does, one event comes back, or the task was cancelled. What becomes of its output is `envelope`'s.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any

from agentspec.core.events import ToolReturned, Unanswered
from agentspec.core.messages import ToolError
from agentspec.core.orders import CallTool
from agentspec.core.tools import ToolPlan
from agentspec.ports import Instant, Invocation, Output
from agentspec.runtime.envelope import Envelope
from agentspec.runtime.masking.mask import Mask
from agentspec.runtime.offers import is_instant
from agentspec.runtime.own_cancel import is_cancelled
from agentspec.runtime.ports import Ports

REPEATABLE = ("read", "idempotent")
OWN_KINDS = ("toolkit", "expr")  # kinds of tools whose failures are the same the next time unless they say otherwise
LONGEST_BACKOFF = 60.0  # seconds


class ToolCalls:
    """Calls the tools of one run."""

    def __init__(self, plans: Mapping[str, ToolPlan], ports: Ports, result_max: int, mask: Mask) -> None:
        self._plans = plans
        self._ports = ports
        self._mask = mask
        self._envelope = Envelope(ports, result_max, mask)
        self._instant: dict[str, Instant | None] = {}  # by name, of the tools that were called

    def computed(self, order: CallTool) -> ToolReturned | None:
        """The answer to a call that only computes; None for one that takes time, or that touches the world."""
        if order.effect != "none":
            return None
        name = order.call.name
        if name not in self._instant:
            tool = self._ports.tools[name]
            self._instant[name] = tool if is_instant(tool) else None
        computing = self._instant[name]
        if computing is None:
            return None
        began = self._ports.clock.elapsed()
        try:
            output = computing.compute(self._invocation(order, key=""))  # nothing to be repeated
        except Exception as error:  # noqa: BLE001 - a tool's fault is a result that the model can read
            output = _fault(error)
        return self._returned(order, output, began)

    async def call(self, order: CallTool) -> ToolReturned | Unanswered:
        clock = self._ports.clock
        tool = self._plans[order.call.name]
        if order.repeat != "read":
            self._ports.journal.check_lease()  # another process may have taken the run over meanwhile
        began = clock.elapsed()
        output = await self._call_once(order, tool)
        for attempt in range(tool.retries if order.repeat in REPEATABLE else 0):
            if not _is_worth_it(output, tool):
                break
            await clock.sleep(min(tool.backoff * 2**attempt, LONGEST_BACKOFF))
            output = await self._call_once(order, tool)
        if output.status == "waiting":
            questions = tuple(map(self._mask.record, output.data or ()))
            return Unanswered(at=clock.now(), order=order.id, who=order.call.name, questions=questions)
        return self._returned(order, output, began)

    def _returned(self, order: CallTool, output: Output, began: float) -> ToolReturned:
        clock = self._ports.clock
        ms = round((clock.elapsed() - began) * 1000)
        result = self._envelope.of(order, output, ms)
        return ToolReturned(at=clock.now(), order=order.id, call=order.call, result=result)

    async def _call_once(self, order: CallTool, tool: ToolPlan) -> Output:
        try:
            async with asyncio.timeout(tool.timeout):
                output = await self._ports.tools[tool.name].call(
                    self._invocation(order, idempotency_key(self._ports.journal.run_id, order))
                )
        except TimeoutError:
            output = _failed(
                "timeout", f"no result after {tool.timeout:g} s; it was stopped and may have acted", "timeout"
            )
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            output = _failed("exception", "the tool cancelled itself; it may have acted")
        except Exception as error:  # noqa: BLE001 - a tool's fault is a result that the model can read
            output = _fault(error)
        return output

    def _invocation(self, order: CallTool, key: str) -> Invocation:
        names = self._ports.names
        return Invocation(
            name=order.call.name,
            call_id=order.call.id,
            arguments=order.arguments,
            key=key,
            run=dict(names.get("run", {})),
            inputs=dict(names.get("inputs", {})),
            identity=dict(names.get("identity", {})),
            at=self._ports.clock.now(),
        )


def idempotency_key(run_id: str, order: CallTool) -> str:
    """The same when a run is resumed, another for a call that the model really made again."""
    return hashlib.sha256(f"{run_id}/{order.turn}/{order.index}/{order.call.id}".encode()).hexdigest()[:32]


def _is_worth_it(output: Output, tool: ToolPlan) -> bool:
    """Whether a failed call may bring something else the next time: our own tools say so themselves."""
    if output.error is None:
        return False
    return output.error.retryable or output.status == "timeout" or tool.kind not in OWN_KINDS


def _fault(error: Exception) -> Output:
    words = str(error) or "no message"
    return _failed("exception", f"{type(error).__name__}: {words}"[:2000])


def _failed(category: str, message: str, status: Any = "error") -> Output:
    return Output(error=ToolError(category=category, message=message), status=status)
