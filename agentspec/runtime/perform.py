"""perform: carry out one order through the ports and bring back the event that answers it.

No decision stands here. Whatever an adapter does, exactly one event comes back, or the task was cancelled.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from agentspec.core.calls.canonical import LENGTH, text_digest
from agentspec.core.calls.cap import cap, encodable
from agentspec.core.events import Answered, AnyEvent, Consulted, ModelFailed, ModelReplied, ToolReturned, Unanswered
from agentspec.core.formats.sentinel import without_sentinel
from agentspec.core.messages import Failure, Reply, SystemMessage, ToolError, ToolResult, ToolStatus, UserMessage
from agentspec.core.orders import PERSON, Ask, CallModel, CallTool, Consult, Pending
from agentspec.core.plan import Plan
from agentspec.core.tools import ToolPlan
from agentspec.core.transcript import Transcript
from agentspec.errors import InternalError
from agentspec.ports import (
    Artifacts,
    Clock,
    Delta,
    Instant,
    Invocation,
    Journal,
    Model,
    ModelRequest,
    Output,
    Respondent,
    Tool,
    ToolSchema,
)
from agentspec.runtime.masking.deltas import MaskedDeltas
from agentspec.runtime.masking.mask import Mask
from agentspec.runtime.offers import is_instant
from agentspec.runtime.unsaid import Unsaid

REPEATABLE = ("read", "idempotent")
OWN_KINDS = ("toolkit", "expr")  # kinds of tools whose failures are the same the next time unless they say otherwise
LONGEST_BACKOFF = 60.0  # seconds
NO_OUTPUT = "(no output)"
CARRIED = frozenset((str, int, bool))  # types whose values JSON carries as they are
FAILED_TEXT = 65536  # bytes that are kept of a text whose answer failed


class Ports:
    """Everything that a run needs from the outside."""

    def __init__(
        self,
        *,
        model: Model,
        tools: Mapping[str, Tool],
        clock: Clock,
        journal: Journal,
        artifacts: Artifacts,
        judges: Mapping[str, Model] | None = None,
        people: Mapping[str, Respondent] | None = None,
        names: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.model = model
        self.tools = tools
        self.clock = clock
        self.journal = journal
        self.artifacts = artifacts
        self.judges = judges or {}  # models beside the worker, by who asks them; who has none asks the worker's
        self.people = people or {}  # who else can be asked, by name: `command`, `files`, …
        self.names = names or {}  # `inputs` and `run`, as expressions and templates see them


class Performer:
    """Performs the orders of one run."""

    def __init__(
        self,
        plan: Plan,
        ports: Ports,
        result_max: int,
        listen: Callable[[Delta], None] | None,
        mask: Mask | None = None,
    ) -> None:
        self.mask = mask or Mask()
        self.plan = plan
        self.ports = ports
        self.result_max = result_max
        self.listen = listen
        deferred = frozenset() if plan.search is None else frozenset(tool.name for tool in plan.search.hidden)
        self.schemas = tuple(
            ToolSchema(tool.name, tool.description, tool.parameters, tool.name in deferred, tool.namespace)
            for tool in plan.tools.values()
        )
        self.search = "" if plan.search is None else plan.search.strategy
        self.provider_tools = plan.provider_tools  # whoever fills their options in puts others here
        self._instant: dict[str, Instant | None] = {}  # by name, of the tools that were called
        self.schemas_by_name = {schema.name: schema for schema in self.schemas}
        self.shown = tuple(schema for schema in self.schemas if not plan.tools[schema.name].is_late)

    async def perform(self, order: Pending, transcript: Transcript) -> AnyEvent:
        match order:
            case CallModel():
                return await self._call_model(order, transcript)
            case CallTool():
                return await self._call_tool(order)
            case Ask():
                return await self._ask(order)
            case Consult():
                return await self._consult(order)

    def computed(self, order: CallTool) -> ToolReturned | None:
        """The answer to a call that only computes; None for one that takes time, or that touches the world."""
        if order.effect != "none":
            return None
        name = order.call.name
        if name not in self._instant:
            tool = self.ports.tools[name]
            self._instant[name] = tool if is_instant(tool) else None
        computing = self._instant[name]
        if computing is None:
            return None
        began = self.ports.clock.elapsed()
        try:
            output = computing.compute(self._invocation(order, key=""))  # nothing to be repeated
        except Exception as error:  # noqa: BLE001 - a tool's fault is a result that the model can read
            output = _fault(error)
        return self._returned(order, output, began)

    async def _call_model(self, order: CallModel, transcript: Transcript) -> ModelReplied | ModelFailed:
        tools = self.shown
        if order.tools is not None:  # in the order that was asked for: what was found later stands behind
            tools = tuple(self.schemas_by_name[name] for name in order.tools)
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
            search=self.search,
            route=order.route,
            is_mirrored=order.is_mirrored,
            begun=order.begun,
            provider_tools=self.provider_tools,
            artifacts=self.ports.artifacts,
            schema=self.plan.answer_schema if order.is_constrained and order.format == "native" else None,
        )
        clock = self.ports.clock
        began = clock.elapsed()
        unsaid = Unsaid(self.plan.sentinel, self.listen) if self.plan.sentinel and self.listen is not None else None
        told = unsaid or self.listen
        listen = None if told is None else MaskedDeltas(self.mask, told)
        answer = self._kept(await _answer_of(self.ports.model, request, listen), order.id)
        ms = _worked(clock.elapsed() - began, answer)
        if listen is not None:
            listen.end()
        if unsaid is not None:
            unsaid.end()
        if isinstance(answer, Failure):
            return ModelFailed(at=clock.now(), order=order.id, failure=answer, ms=ms, route=order.route)
        reply = without_sentinel(answer, self.plan.sentinel)
        return ModelReplied(at=clock.now(), order=order.id, reply=reply, ms=ms, route=order.route)

    def _kept(self, answer: Reply | Failure, order: int) -> Reply | Failure:
        """What may be stored of an answer: without secrets, and of the text of a failed one no more than shows it."""
        answer = self.mask.answer(answer, order)
        if isinstance(answer, Failure):
            return replace(answer, text=cap(answer.text, FAILED_TEXT).text)
        return answer

    async def _consult(self, order: Consult) -> Consulted:
        """Ask a model beside the worker, within the time that its question has."""
        asked, clock = order.consultation, self.ports.clock
        transcript = Transcript().append(SystemMessage(text=asked.system)).append(UserMessage(text=asked.packet))
        request = ModelRequest(
            transcript=transcript,
            max_output_tokens=asked.max_output_tokens,
            schema=asked.schema,
            role=asked.role,
            deadline=asked.timeout,
            route=asked.route or 0,
        )
        own = self.ports.judges.get(order.asker) if asked.route is None else None
        model = own or self.ports.model
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

    async def _call_tool(self, order: CallTool) -> ToolReturned | Unanswered:
        clock = self.ports.clock
        tool = self.plan.tools[order.call.name]
        if order.repeat != "read":
            self.ports.journal.check_lease()  # another process may have taken the run over since the intent was written
        began = clock.elapsed()
        output = await self._call_once(order, tool)
        for attempt in range(tool.retries if order.repeat in REPEATABLE else 0):
            if not _is_worth_it(output, tool):
                break
            await clock.sleep(min(tool.backoff * 2**attempt, LONGEST_BACKOFF))
            output = await self._call_once(order, tool)
        if output.status == "waiting":
            questions = tuple(map(self.mask.record, output.data or ()))
            return Unanswered(at=clock.now(), order=order.id, who=order.call.name, questions=questions)
        return self._returned(order, output, began)

    def _returned(self, order: CallTool, output: Output, began: float) -> ToolReturned:
        clock = self.ports.clock
        ms = round((clock.elapsed() - began) * 1000)
        data = _as_json(output.data)
        output = self.mask.output(output if data is output.data else replace(output, data=data))
        result = self._envelope(order, output, ms)
        return ToolReturned(at=clock.now(), order=order.id, call=order.call, result=result)

    async def _call_once(self, order: CallTool, tool: ToolPlan) -> Output:
        try:
            async with asyncio.timeout(tool.timeout):
                output = await self.ports.tools[tool.name].call(
                    self._invocation(order, idempotency_key(self.ports.journal.run_id, order))
                )
        except TimeoutError:
            output = _failed(
                "timeout", f"no result after {tool.timeout:g} s; it was stopped and may have acted", "timeout"
            )
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            output = _failed("exception", "the tool cancelled itself; it may have acted")
        except Exception as error:  # noqa: BLE001 - a tool's fault is a result that the model can read
            output = _fault(error)
        return output

    def _invocation(self, order: CallTool, key: str) -> Invocation:
        names = self.ports.names
        return Invocation(
            name=order.call.name,
            call_id=order.call.id,
            arguments=order.arguments,
            key=key,
            run=dict(names.get("run", {})),
            inputs=dict(names.get("inputs", {})),
            identity=dict(names.get("identity", {})),
            at=self.ports.clock.now(),
        )

    def _envelope(self, order: CallTool, output: Output, ms: int) -> ToolResult:
        """What the transcript and the journal keep of an output: capped, with the whole in an artifact."""
        text = encodable(output.text)
        status: ToolStatus = "ok" if output.status == "waiting" else output.status
        error = output.error
        if error is not None:
            error = replace(error, message=encodable(error.message))  # a file's name need not be UTF-8
            status = status if status != "ok" else "error"
            text = f"ERROR: {error.message}" + (f"\n{text}" if text else "")
        elif not text:
            text = NO_OUTPUT
        artifact = self._keep(output, text)
        capped = cap(text, self.result_max, artifact, full_bytes=output.full_bytes)
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
        return self.ports.artifacts.put(encoded) if len(encoded) > self.result_max else None

    def _keep_file(self, overflow: Path) -> str | None:
        """The artifact of a file; None where its secrets can't be taken out (a full disk): then it is not kept."""
        try:
            self.mask.file(overflow)
            return self.ports.artifacts.put(overflow)
        except OSError:
            return None
        finally:
            overflow.unlink(missing_ok=True)


def idempotency_key(run_id: str, order: CallTool) -> str:
    """The same when a run is resumed, another for a call that the model really made again."""
    return hashlib.sha256(f"{run_id}/{order.turn}/{order.index}/{order.call.id}".encode()).hexdigest()[:32]


def _is_cancelled() -> bool:
    """Whether the run cancelled this call; else a `CancelledError` is the adapter's own, and must not hang the run."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _answer_of(model: Model, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
    try:
        return await model.answer(request, listen)
    except (Exception, asyncio.CancelledError) as error:  # a plug-in's fault is the world's, and the run must go on
        if _is_cancelled():
            raise
        text = f"the provider `{model.provider}` failed inside: {type(error).__name__}: {error}"
        return Failure(category="bad_response", message=text[:500], provider=model.provider, model=model.name)


def _worked(seconds: float, answer: Reply | Failure) -> int:
    """The milliseconds that a call took, without the wait for its turn."""
    return max(0, round(seconds * 1000) - answer.waited_ms)


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


def _as_json(value: Any) -> Any:
    """Data that JSON carries as it is; anything else is kept as text, and the call stays a success."""
    if value is None or type(value) in CARRIED:
        return value
    try:
        return msgspec.json.decode(msgspec.json.encode(value, enc_hook=str))
    except (TypeError, ValueError, RecursionError):
        return str(value)
