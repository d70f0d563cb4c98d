"""formatted: any model, asked in the tool format that a request names; its answer comes back as calls all the same.

Each message is rewritten once, so that a request begins with the bytes of the one before, in every format.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from agentspec.core.formats.leaked import read_leaked, read_lost
from agentspec.core.formats.manual import Tool, manual, results
from agentspec.core.formats.steps import NO_STEP, exact_step_schema, read_step, step_schema, write_step
from agentspec.core.formats.tagged import OPEN, TextCall, read_tagged, write_tagged
from agentspec.core.messages import (
    AssistantMessage,
    Failure,
    Message,
    Reply,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, Model, ModelRequest

Listener = Callable[[Delta], None]


class FormattedModel:
    """A model that can be asked in every tool format; `head_of` says how calls and answers are written in one."""

    def __init__(self, model: Model, head_of: Callable[[str], str]) -> None:
        self.model = model
        self._head_of = head_of
        self.provider = model.provider
        self.name = model.name
        self._plain = _Plain("native", "")

    async def answer(self, request: ModelRequest, listen: Listener | None) -> Reply | Failure:
        """Ask once, in the format of the request; a question that is not the worker's has no format."""
        if request.role != "worker":
            return await self.model.answer(request, listen)
        if request.format == "native":
            answer = await self.model.answer(request, listen)
            return answer if isinstance(answer, Failure) else read_in(request, answer)
        if self._plain.format != request.format:
            self._plain = _Plain(request.format, self._head_of(request.format))
        answer = await self.model.answer(self._plain.request(request), _listener(request.format, listen))
        if isinstance(answer, Failure):
            return answer
        reply = read_in(request, answer)
        if listen is not None and request.format == "json" and reply.text:
            listen(Delta(kind="text_delta", text=reply.text))
        return reply

    async def close(self) -> None:
        await self.model.close()


def read_in(request: ModelRequest, reply: Reply) -> Reply:
    """The reply as the format of its request reads it: visible text, and calls."""
    match request.format:
        case "native":
            return _with_leaked_calls(reply, request)
        case "json":
            return _read_json(reply, request.transcript.position, may_call=request.tool_choice != "none")
        case "text":
            return _read_text(reply, request.transcript.position)


def _with_leaked_calls(reply: Reply, request: ModelRequest) -> Reply:
    """The reply with the calls that its whole text is made of, where the provider sent none of its own."""
    if reply.calls or reply.finish == "length" or not reply.is_complete:
        return reply
    tools = {tool.name for tool in request.tools}
    found = read_leaked(reply.text, tools)
    if not found:
        lost = read_lost(reply.text, tools)
        return reply if lost is None else replace(reply, text=lost.text, raw=reply.text, lost=lost.lost)
    calls = _numbered(found, request.transcript.position)
    return replace(reply, text="", raw=reply.text, calls=calls, finish="tool_calls", is_from_text=True)


def _numbered(calls: tuple[TextCall, ...], position: int) -> tuple[ToolCall, ...]:
    """Ids that are the same when the same answer is read again."""
    return tuple(
        ToolCall(id=f"call_{position}_{number}", name=call.name, arguments=call.arguments)
        for number, call in enumerate(calls, 1)
    )


def _read_json(reply: Reply, position: int, *, may_call: bool) -> Reply:
    """The reply as a step. Where nothing may be called, a text without one is the answer: nothing in it can be lost."""
    step, why = read_step(reply.text)
    if step is None:
        if why == NO_STEP and not may_call:
            return reply
        lost = (why,) if why and reply.finish != "length" else ()
        is_shown = not lost and why in ("", NO_STEP)  # of a step that was cut off nothing is for a person
        return replace(reply, text=reply.text if is_shown else "", raw=reply.text, lost=lost)
    if step.tool is None:
        return replace(reply, text=step.answer, raw=reply.text, reasoning=reply.reasoning or step.reason, finish="stop")
    arguments = json.dumps(step.args, ensure_ascii=False, separators=(",", ":"))
    calls = _numbered((TextCall(step.tool, arguments),), position)
    return replace(
        reply, text="", raw=reply.text, calls=calls, reasoning=reply.reasoning or step.reason, finish="tool_calls"
    )


def _read_text(reply: Reply, position: int) -> Reply:
    read = read_tagged(reply.text)
    if not read.calls and not read.lost:
        return reply
    finish = "tool_calls" if read.calls else reply.finish
    calls = _numbered(read.calls, position)
    return replace(reply, text=read.text, raw=reply.text, calls=calls, lost=read.lost, finish=finish)


class _Plain:
    """A conversation rewritten into plain messages as it grows."""

    def __init__(self, chosen: str, head: str) -> None:
        self.format = chosen
        self._head = head
        self._manual: str | None = None
        self._source = Transcript()
        self._count = 0
        self._written = Transcript()

    def request(self, request: ModelRequest) -> ModelRequest:
        """The same question without tools, calls and results of the provider's own kind."""
        tools = [Tool(tool.name, tool.description, tool.parameters) for tool in request.tools]
        written = manual(self._head, tools)
        if written != self._manual or not request.transcript.is_extension_of(self._source):
            self._manual, self._count, self._written = written, 0, Transcript()
        self._follow(request.transcript)
        schema, exact = _schemas(request) if self.format == "json" else (request.schema, request.exact_schema)
        return replace(
            request,
            transcript=self._written,
            tools=(),
            tool_choice=None,
            allowed=None,
            search="",
            schema=schema,
            exact_schema=exact,
        )

    def _follow(self, transcript: Transcript) -> None:
        self._source = transcript
        brought: list[ToolMessage] = []
        for message in transcript.since(self._count):
            if isinstance(message, ToolMessage):
                brought.append(message)
                continue
            self._flush(brought)
            self._write(message)
        self._flush(brought)
        self._count = len(transcript)

    def _flush(self, brought: list[ToolMessage]) -> None:
        if brought:
            text = results([(message.name, message.text) for message in brought])
            pictures = tuple(picture for message in brought for picture in message.pictures)
            self._written = self._written.append(UserMessage(text=text, pictures=pictures))
            brought.clear()

    def _write(self, message: Message) -> None:
        if not len(self._written):
            text = f"{message.text}\n\n{self._manual}" if isinstance(message, SystemMessage) else str(self._manual)
            self._written = self._written.append(SystemMessage(text=text))
            if isinstance(message, SystemMessage):
                return
        if isinstance(message, AssistantMessage):
            message = AssistantMessage(text=self._said(message), reasoning=message.reasoning, origin=message.origin)
        self._written = self._written.append(message)

    def _said(self, message: AssistantMessage) -> str:
        if message.raw or not message.calls:
            return message.raw or message.text
        write = write_step if self.format == "json" else write_tagged
        return "\n".join(
            (*((message.text,) if message.text else ()), *(write(call.name, call.arguments) for call in message.calls))
        )


def _schemas(request: ModelRequest) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """What a step is held to, loosely and exactly."""
    if not request.is_constrained:
        return request.schema, request.exact_schema
    must_call = request.tool_choice not in (None, "auto", "none")
    allowed = _allowed(request)
    parameters = {tool.name: tool.parameters for tool in request.tools if tool.name in allowed}
    return step_schema(allowed, must_call=must_call), exact_step_schema(parameters, must_call=must_call)


def _allowed(request: ModelRequest) -> tuple[str, ...]:
    """The tools that this turn may call."""
    names = tuple(tool.name for tool in request.tools)
    match request.tool_choice:
        case "none":
            return ()
        case chosen if chosen in names:
            return (str(chosen),)
        case _:
            return names


def _listener(chosen: str, listen: Listener | None) -> Listener | None:
    """Whoever listens hears what a person may see: nothing of a step, and of tagged text what is outside of tags."""
    if listen is None or chosen == "json":
        return None if listen is None else _only_reasoning(listen)
    return _OutsideOfTags(listen)


def _only_reasoning(listen: Listener) -> Listener:
    def hear(delta: Delta) -> None:
        if delta.kind != "text_delta":
            listen(delta)

    return hear


class _OutsideOfTags:
    """Passes text on until a tag opens; what may be the beginning of one is held back."""

    def __init__(self, listen: Listener) -> None:
        self._listen = listen
        self._held = ""
        self._is_over = False

    def __call__(self, delta: Delta) -> None:
        if delta.kind == "restart":
            self._held, self._is_over = "", False
        if delta.kind != "text_delta":
            self._listen(delta)
            return
        if self._is_over:
            return
        self._held += delta.text
        opens = self._held.find(OPEN)
        self._is_over = opens >= 0
        keep = 0 if self._is_over else _begun(self._held)
        shown = self._held[:opens] if self._is_over else self._held[: len(self._held) - keep]
        self._held = self._held[len(shown) :]
        if shown:
            self._listen(replace(delta, text=shown))


def _begun(text: str) -> int:
    """How many characters at the end of a text may begin a tag."""
    return next((size for size in range(len(OPEN) - 1, 0, -1) if text.endswith(OPEN[:size])), 0)
