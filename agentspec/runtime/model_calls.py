"""model_calls: ask a model once, the worker's or one beside it. Whatever an adapter does, one event comes back.

Nothing that a model says goes on, or is shown, before the secrets are taken out of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from agentspec.core.calls.cap import cap
from agentspec.core.events import Consulted, ModelFailed, ModelReplied
from agentspec.core.formats.sentinel import without_sentinel
from agentspec.core.messages import Failure, Reply, SystemMessage, UserMessage
from agentspec.core.orders import CallModel, Consult
from agentspec.core.plan import Plan
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, Model, ModelRequest, ToolSchema
from agentspec.runtime.masking.deltas import MaskedDeltas
from agentspec.runtime.masking.mask import Mask
from agentspec.runtime.own_cancel import is_cancelled
from agentspec.runtime.ports import Ports
from agentspec.runtime.unsaid import Unsaid

FAILED_TEXT = 65536  # bytes that are kept of a text whose answer failed


class ModelCalls:
    """Asks the models of one run. `listen` hears the worker's answers while they come."""

    def __init__(self, plan: Plan, ports: Ports, mask: Mask, listen: Callable[[Delta], None] | None) -> None:
        self._plan = plan
        self._ports = ports
        self._mask = mask
        self._listen = listen
        deferred = frozenset() if plan.search is None else frozenset(tool.name for tool in plan.search.hidden)
        schemas = [
            ToolSchema(tool.name, tool.description, tool.parameters, tool.name in deferred, tool.namespace)
            for tool in plan.tools.values()
        ]
        self._schemas = {schema.name: schema for schema in schemas}
        self._shown = tuple(schema for schema in schemas if not plan.tools[schema.name].is_late)
        self._search = "" if plan.search is None else plan.search.strategy
        self.provider_tools = plan.provider_tools  # whoever fills their options in puts others here

    async def call(self, order: CallModel, transcript: Transcript) -> ModelReplied | ModelFailed:
        tools = self._shown
        if order.tools is not None:  # in the order that was asked for: what was found later stands behind
            tools = tuple(self._schemas[name] for name in order.tools)
        request = ModelRequest(
            transcript=transcript,
            tools=tools,
            harness=order.harness,
            max_output_tokens=order.max_output_tokens,
            tool_choice=order.tool_choice,
            format=order.format,
            is_constrained=order.is_constrained,
            options=order.options,
            allowed=order.allowed,
            search=self._search,
            route=order.route,
            is_mirrored=order.is_mirrored,
            begun=order.begun,
            provider_tools=self.provider_tools,
            artifacts=self._ports.artifacts,
            schema=self._plan.answer_schema if order.is_constrained and order.format == "native" else None,
        )
        clock = self._ports.clock
        began = clock.elapsed()
        unsaid = Unsaid(self._plan.sentinel, self._listen) if self._plan.sentinel and self._listen is not None else None
        told = unsaid or self._listen
        listen = None if told is None else MaskedDeltas(self._mask, told)
        answer = self._kept(await _answer_of(self._ports.model, request, listen), order.id)
        ms = _worked(clock.elapsed() - began, answer)
        if listen is not None:
            listen.end()
        if unsaid is not None:
            unsaid.end()
        if isinstance(answer, Failure):
            return ModelFailed(at=clock.now(), order=order.id, failure=answer, ms=ms, route=order.route)
        reply = without_sentinel(answer, self._plan.sentinel)
        return ModelReplied(at=clock.now(), order=order.id, reply=reply, ms=ms, route=order.route)

    def _kept(self, answer: Reply | Failure, order: int) -> Reply | Failure:
        """What may be stored of an answer: without secrets, and of the text of a failed one no more than shows it."""
        answer = self._mask.answer(answer, order)
        if isinstance(answer, Failure):
            return replace(answer, text=cap(answer.text, FAILED_TEXT).text)
        return answer

    async def consult(self, order: Consult) -> Consulted:
        """Ask a model beside the worker, within the time that its question has."""
        asked, clock = order.consultation, self._ports.clock
        transcript = Transcript().append(SystemMessage(text=asked.system)).append(UserMessage(text=asked.packet))
        request = ModelRequest(
            transcript=transcript,
            max_output_tokens=asked.max_output_tokens,
            schema=asked.schema,
            role=asked.role,
            deadline=asked.timeout,
            route=asked.route or 0,
        )
        own = self._ports.judges.get(order.asker) if asked.route is None else None
        model = own or self._ports.model
        began = clock.elapsed()
        try:
            async with asyncio.timeout(asked.timeout):
                answer = await _answer_of(model, request, None)
        except TimeoutError:
            words = f"no answer after {asked.timeout:g} s"
            answer = Failure(category="timeout", message=words, provider=model.provider, model=model.name)
        answer = self._kept(answer, order.id)
        ms = _worked(clock.elapsed() - began, answer)
        reply, failure = (None, answer) if isinstance(answer, Failure) else (answer, None)
        return Consulted(
            at=clock.now(),
            order=order.id,
            asker=order.asker,
            role=asked.role,
            reply=reply,
            failure=failure,
            ms=ms,
            route=asked.route,
        )


async def _answer_of(model: Model, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
    try:
        return await model.answer(request, listen)
    except (Exception, asyncio.CancelledError) as error:  # a plug-in's fault is the world's, and the run must go on
        if is_cancelled():
            raise
        text = f"the provider `{model.provider}` failed inside: {type(error).__name__}: {error}"
        return Failure(category="bad_response", message=text[:500], provider=model.provider, model=model.name)


def _worked(seconds: float, answer: Reply | Failure) -> int:
    """The milliseconds that a call took, without the wait for its turn."""
    return max(0, round(seconds * 1000) - answer.waited_ms)
