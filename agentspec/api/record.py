"""record: a run written down as a scenario: its model turns, its tool results, and what came out.

The file checks, and answers as a script: `agentspec run SPEC --script FILE`. It is made to be handed on, so what has
the form of a secret is never in it, whoever said it. Nothing is run here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agentspec.core.events import ModelFailed, ModelReplied, RunStarted, ToolReturned
from agentspec.core.messages import Failure, Reply, ToolCall, ToolResult
from agentspec.errors import NotAllowed
from agentspec.ports import JournalRecord
from agentspec.runtime.journal import AnyRecord, decode
from agentspec.runtime.result import Result
from agentspec.text.secrets import redact

PREFIX = re.compile(r"^[^:]* at [^:]+(?::\d+)?: (?:HTTP \d+: )?")  # who said it: a script says so itself
ORDINARY = ("stop", "tool_calls", "")  # finish reasons that a script gives by itself
GLOB = re.compile(r"[*?\[\]]")
UNSAID = "unsaid"  # stands for none at all: a script that said nothing would say that the reply is complete
STATUSES = ("ok", "error", "timeout", "denied")


def require_writable(path: Path) -> None:
    """Raise `NotAllowed` where no file can be written, before anything is started; what is there stays."""
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise NotAllowed(f"can't write `{path}`: {error.strerror}; nothing was started") from None


def write_scenario(path: Path, source: str, records: Iterable[JournalRecord], result: Result) -> None:
    """Write a run of the spec `source` (`FILE#NAME`) as a scenario. Raises `OSError`."""
    from agentspec.syntax.format import text_of  # noqa: PLC0415 - a run that is not recorded writes no spec

    file, mark, name = source.partition("#")
    given = os.path.relpath(file, path.parent) + mark + name
    values = scenario(given, [decode(record) for record in records], result)
    path.write_text(text_of(values, "yaml"), encoding="utf-8")


def scenario(source: str, records: Sequence[AnyRecord], result: Result) -> dict[str, Any]:
    """The scenario of a run as plain values."""
    turns = [_turn(event) for event in records if isinstance(event, ModelReplied | ModelFailed)]
    results = [_result(event.result) for event in records if isinstance(event, ToolReturned)]
    started = next(event for event in records if isinstance(event, RunStarted))
    inputs = started.plan.get("inputs")
    values: dict[str, Any] = {"scenario": f"a recorded run of {result.spec.name}", "for": source}
    values |= {"inputs": inputs} if inputs else {}
    values |= {"task": started.opening[-1].text, "model": turns}
    values |= {"tool_results": results} if results else {}
    said = [_said(event.result) for event in records if isinstance(event, ToolReturned) and _is_said(event.result)]
    values |= {"user": said} if said else {}
    values |= {"expect": _expected(result)}
    return {key: value if key == "for" else _redacted(value) for key, value in values.items()}


def _redacted(value: Any) -> Any:
    """A plain value without what looks like a key or a password in its texts."""
    match value:
        case str():
            return redact(value)
        case dict():
            return {redact(str(key)): _redacted(item) for key, item in value.items()}
        case list() | tuple():
            return [_redacted(item) for item in value]
        case _:
            return value


def _turn(event: ModelReplied | ModelFailed) -> dict[str, Any]:
    return _of_reply(event.reply) if isinstance(event, ModelReplied) else {"error": _of_failure(event.failure)}


def _of_reply(reply: Reply) -> dict[str, Any]:
    turn: dict[str, Any] = {"text": reply.text} if reply.text or not reply.calls else {}
    turn |= {"reasoning": reply.reasoning} if reply.reasoning else {}
    turn |= {"tool_calls": [_call(call) for call in reply.calls]} if reply.calls else {}
    unsaid = UNSAID if reply.calls and not reply.is_complete else ""
    word = reply.finish_text or unsaid
    turn |= {"finish_reason": word} if word not in ORDINARY else {}
    if not reply.usage.estimated:
        turn["usage"] = {"input_tokens": reply.usage.input_tokens, "output_tokens": reply.usage.output_tokens}
    return turn


def _call(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = msgspec.json.decode(call.arguments)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return {"name": call.name, "arguments": arguments if isinstance(arguments, dict) else call.arguments, "id": call.id}


def _of_failure(failure: Failure) -> dict[str, Any]:
    error: dict[str, Any] = {
        "status": failure.http_status or failure.category,
        "message": PREFIX.sub("", failure.message),
    }
    return error | ({"retry_after": f"{failure.retry_after:g}s"} if failure.retry_after is not None else {})


def _result(result: ToolResult) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": result.name}
    shown |= {"arguments": result.arguments} if isinstance(result.arguments, dict) else {}
    status = result.status if result.status in STATUSES else "error"
    return shown | {"status": status, "text": result.text}


def _is_said(result: ToolResult) -> bool:
    """Whether a person has answered the model."""
    asked = result.arguments.get("question") if isinstance(result.arguments, dict) else None
    return result.ok and result.effect == "terminal" and isinstance(asked, str)


def _said(result: ToolResult) -> dict[str, Any]:
    return {"match": GLOB.sub("?", redact(result.arguments["question"])), "reply": result.text}


def _expected(result: Result) -> dict[str, Any]:
    expected: dict[str, Any] = {"status": result.status, "stop_reason": result.stop_reason}
    tools = {"calls": result.tools.calls, "successful": result.tools.successful, "rejected": result.tools.rejected}
    expected |= {"tools": tools} if result.tools.calls else {}
    return expected | ({"text": {"equals": result.text}} if result.text else {})
