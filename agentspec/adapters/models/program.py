"""program: a model that is a program: one JSON request on its standard input, one JSON answer on its standard output.

It is started anew for every call, ends with the call, and stands in for a provider: so it has the environment that a
provider's adapter has, keys included, which tools never have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from msgspec.structs import replace

from agentspec.adapters.models.layers.witness import Witness
from agentspec.adapters.models.script import ScriptModel
from agentspec.adapters.models.script_file import ERROR_KEYS, read_turns
from agentspec.adapters.models.wires.failures import complaint_of, status_of
from agentspec.adapters.models.wires.json_bytes import from_json, to_json
from agentspec.adapters.models.wires.message_log import Unpaired, sendable_arguments
from agentspec.adapters.models.wires.request_bytes import RequestBytes
from agentspec.adapters.models.wires.thinking import read_thinking
from agentspec.adapters.tools.programs.process import Command, Finished, run_process
from agentspec.adapters.tools.programs.starting import StartFailed
from agentspec.core.messages import (
    AssistantMessage,
    Failure,
    FailureClass,
    Message,
    Reply,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from agentspec.errors import SpecInvalid
from agentspec.ports import Delta, ModelRequest, ModelSettings

PROVIDER = "process"
KEYS = ("text", "tool_calls", "finish_reason", "usage", "error", "reasoning")
TAIL = 2000  # characters of what it said of its failure
RESERVED = ("model", "messages", "tools", "role")  # what options of one call never change


class ProgramModel:
    """Asks a program; one instance serves one run."""

    provider = PROVIDER

    def __init__(self, settings: ModelSettings, argv: tuple[str, ...], folder: Path) -> None:
        self.name = settings.model or Path(argv[0]).name
        self._settings = settings
        self._command = Command(argv, folder, dict(os.environ), keep=settings.max_bytes, spill_max=0)
        self._witness = Witness(PROVIDER, self.name, f"`{argv[0]}`")
        thinking = read_thinking(settings.reasoning)
        constant = {
            "model": settings.model or None,
            **({"reasoning": thinking.effort} if thinking else {}),
            **settings.sampling,
            **{name: value for name, value in settings.options.items() if name != "command"},
        }
        self._written = RequestBytes(self._messages, constant, RESERVED)

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Start the program once. `listen` hears the whole answer at its end."""
        left = self._settings.timeout if request.deadline is None else min(self._settings.timeout, request.deadline)
        if left <= 0:
            return self._witness.failure("timeout", "no time is left for a call")
        try:
            asked = self._body(request)
        except Unpaired as problem:
            return self._witness.failure("invalid_request", f"not sent, the conversation is not whole: {problem}")
        mark = self._written.mark
        answer = await self._exchange(self._command._replace(stdin=asked, timeout=left), request, listen)
        return mark.on(answer)

    async def _exchange(
        self, command: Command, request: ModelRequest, listen: Callable[[Delta], None] | None
    ) -> Reply | Failure:
        try:
            finished = await run_process(command)
        except StartFailed as problem:
            return self._witness.failure("invalid_request", f"it could not be started: {problem}", retryable=False)
        failure = self._ended(finished, command.timeout or 0.0)
        return failure or await self._read(finished.stdout.head, request, listen)

    async def close(self) -> None:
        """Nothing is held: every program has ended with its call."""

    def _body(self, request: ModelRequest) -> bytes:
        """The bytes of `request`: what never changes, the messages, then what varies. Raises `Unpaired`."""
        prefix = self._written.prefix(request, request.role, lambda fields: self._prefix(request, fields))
        harness = to_json({"role": "user", "content": request.harness}) if request.harness else None
        varying = {
            "max_output_tokens": request.max_output_tokens,
            "tool_choice": request.tool_choice if request.tools else None,
            "allowed_tools": list(request.allowed) if request.allowed else None,
            "schema": request.schema,
        }
        fields = {name: value for name, value in varying.items() if value is not None}
        return self._written.write(request, prefix, harness, self._written.closing(request, fields))

    def _prefix(self, request: ModelRequest, fields: dict[str, Any]) -> bytes:
        tools = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in request.tools
        ]
        return to_json({**fields, "role": request.role, "tools": tools})[:-1] + b',"messages":['

    def _messages(self, messages: Sequence[Message], is_first: bool) -> Iterator[bytes]:  # noqa: ARG002 - the shape
        for message in messages:
            told = _message(message)
            if isinstance(message, UserMessage | ToolMessage) and message.pictures:
                told["content"], sights = self._written.seen(message)
                told["images"] = [sight._asdict() for sight in sights]
            yield to_json(told)

    def _ended(self, finished: Finished, left: float) -> Failure | None:
        if finished.stopped:
            return self._witness.failure("timeout", f"no answer within {left:g} s; it was stopped")
        if finished.signal or finished.exit_code:
            how = f"signal {finished.signal}" if finished.signal else f"exit {finished.exit_code}"
            said = finished.stderr.head + finished.stderr.tail
            return self._witness.failure("server_error", f"{how}: {said.decode('utf-8', 'replace')[-TAIL:].strip()}")
        if not finished.stdout.is_whole:
            return self._witness.failure("bad_response", f"the answer is larger than {self._settings.max_bytes} bytes")
        return None

    async def _read(
        self, body: bytes, request: ModelRequest, listen: Callable[[Delta], None] | None
    ) -> Reply | Failure:
        try:
            told = from_json(body)
        except ValueError:
            return self._witness.failure("bad_response", "what it wrote is no JSON", retryable=True)
        if not isinstance(told, Mapping) or not told.keys() & set(KEYS):
            words = "its answer is no object with `text`, `tool_calls` or `error`"
            return self._witness.failure("bad_response", words, retryable=False)
        if told.get("error") is not None:
            told = {**told, "error": _error(told["error"])}
        try:
            turns = read_turns([{name: told[name] for name in KEYS if told.get(name) is not None}], "its answer")
        except SpecInvalid as problem:
            return self._witness.failure("bad_response", str(problem), retryable=False)
        player = ScriptModel(turns, self.name, witness=self._witness)
        answer = await player.answer(replace(request, deadline=None, max_output_tokens=None), listen)
        return replace(answer, provider=PROVIDER)


def _error(told: Any) -> Any:
    """The error as the protocol has it: a text alone is its message, and a server's that is passed on may say more."""
    if not isinstance(told, Mapping):
        return {"message": str(told)}
    known = {name: value for name, value in told.items() if name in ERROR_KEYS}
    is_told = isinstance(told.get("status"), int) or told.get("status") in get_args(FailureClass)
    return known if is_told else known | {"status": status_of(complaint_of(dict(told)))}


def _message(message: Message) -> dict[str, Any]:
    match message:
        case SystemMessage(text=text):
            return {"role": "system", "content": text}
        case UserMessage(text=text):
            return {"role": "user", "content": text}
        case ToolMessage(call_id=call_id, name=name, text=text):
            return {"role": "tool", "call_id": call_id, "name": name, "content": text}
        case AssistantMessage():
            calls = [
                {"id": call.id, "name": call.name, "arguments": from_json(sendable_arguments(call.arguments).encode())}
                for call in message.calls
            ]
            content = message.text if message.calls else message.raw or message.text
            return {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}


def program_model(settings: ModelSettings, folder: Path) -> ProgramModel:
    """The model behind `provider: process`, with `options.command`. Raises `SpecInvalid`."""
    argv = settings.options.get("command")
    if not isinstance(argv, list) or not argv or not all(isinstance(word, str) and word for word in argv):
        words = "`command` in `model.options`: a list of a program and its arguments"
        raise SpecInvalid(f"the provider `process` needs {words}")
    return ProgramModel(settings, tuple(argv), folder)
