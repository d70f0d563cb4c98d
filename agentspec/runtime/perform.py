"""perform: carry out one order through the ports and bring back the event that answers it.

No decision stands here. Whatever an adapter does, exactly one event comes back, or the task was cancelled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentspec.core.events import Answered, AnyEvent, Unanswered
from agentspec.core.orders import PERSON, Ask, CallModel, CallTool, Consult, Pending
from agentspec.core.plan import Plan
from agentspec.core.transcript import Transcript
from agentspec.errors import InternalError
from agentspec.ports import Delta
from agentspec.runtime.masking.mask import Mask
from agentspec.runtime.model_calls import ModelCalls
from agentspec.runtime.ports import Ports
from agentspec.runtime.tool_calls import ToolCalls


class Performer:
    """Performs the orders of one run: questions to models, calls of tools, and questions to whoever else is there."""

    def __init__(
        self,
        plan: Plan,
        ports: Ports,
        result_max: int,
        listen: Callable[[Delta], None] | None,
        mask: Mask | None = None,
    ) -> None:
        self.ports = ports
        self.mask = mask or Mask()
        self.models = ModelCalls(plan, ports, self.mask, listen)
        self.tools = ToolCalls(plan.tools, ports, result_max, self.mask)

    async def perform(self, order: Pending, transcript: Transcript) -> AnyEvent:
        match order:
            case CallModel():
                return await self.models.call(order, transcript)
            case CallTool():
                return await self.tools.call(order)
            case Ask():
                return await self._ask(order)
            case Consult():
                return await self.models.consult(order)

    async def _ask(self, order: Ask) -> Answered | Unanswered:
        clock = self.ports.clock
        answer: Any = None
        if order.who == "clock":
            await clock.sleep(float(order.question))
        else:
            respondent = self.ports.people.get(order.who)
            if respondent is None and order.who != PERSON:
                raise InternalError(f"nobody answers for `{order.who}`")
            answer = None if respondent is None else self.mask.value(await respondent.answer(order.question))
            if answer is None and order.who == PERSON:
                return Unanswered(at=clock.now(), order=order.id, who=order.who)
        return Answered(
            at=clock.now(), order=order.id, who=order.who, question=order.question, answer=answer, asker=order.asker
        )
