"""record: a run written down as a scenario: its model turns, its tool results, and what came out.

The file checks, and answers as a script: `agentspec run SPEC --script FILE`. It is made to be handed on, so what has
the form of a secret is never in it, whoever said it. Nothing is run here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.assembly.called import LENT
from agentspec.core.events import Consulted, ModelFailed, ModelReplied, RunStarted, ToolReturned
from agentspec.core.messages import Failure, Reply, ToolCall, ToolResult
from agentspec.core.orders import CallModel, Consult
from agentspec.ports import JournalRecord
from agentspec.runtime.journal import AnyRecord, decode
from agentspec.runtime.result import Result
from agentspec.text.secrets import redact

T = TypeVar("T")
Journal: TypeAlias = Sequence[tuple[float, AnyRecord]]
"""The records of one run, each with its time."""
PREFIX = re.compile(r"^[^:]* at [^:]+(?::\d+)?: (?:HTTP \d+: )?")  # who said it: a script says so itself
ORDINARY = ("stop", "tool_calls", "")  # finish reasons that a script gives by itself
GLOB = re.compile(r"[*?\[\]]")
UNSAID = "unsaid"  # stands for none at all: a script that said nothing would say that the reply is complete
STATUSES = ("ok", "error", "timeout", "denied")


def shared_agents(agents: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The names of the agents, by the tools that call them, whose turns a script of the whole run has to hold.

    An agent with a script in its own spec plays that one, whatever script its caller is given.
    """
    own = {name: kept["values"].get("model") or {} for name, kept in agents.items() if not kept[LENT]}
    return {name: kept["name"] for name, kept in agents.items() if own.get(name, {}).get("provider") != "script"}


def journals_of(store: SqliteStore, records: list[JournalRecord], specs: Collection[str]) -> list[list[JournalRecord]]:
    """The journal of a run, and behind it those of the agents of these specs that it has called."""
    started = decode(records[0])
    assert isinstance(started, RunStarted)
    lines = store.list_runs(since=started.at) if specs else []
    called = [line for line in lines if line.get("parent") == started.run_id and line["spec"] in specs]
    return [records, *(store.read_run(line["run_id"]) for line in called)]


def write_scenario(
    path: Path, source: str, journals: Iterable[Iterable[JournalRecord]], result: Result, played: Container[str] = ()
) -> None:
    """Write a run of the spec `source` (`FILE#NAME`) as a scenario. Raises `OSError`.

    The first of the journals is its own, the others are those of agents that it called; `played` are the tools that
    called them, whose results come out anew when the scenario is played.
    """
    from agentspec.syntax.format import text_of  # noqa: PLC0415 - a run that is not recorded writes no spec

    file, mark, name = source.partition("#")
    given = os.path.relpath(file, path.parent) + mark + name
    timed = [[(record.at, decode(record)) for record in records] for records in journals]
    values = scenario(given, timed, result, played)
    path.write_text(text_of(values, "yaml"), encoding="utf-8")


def scenario(source: str, journals: Sequence[Journal], result: Result, played: Container[str] = ()) -> dict[str, Any]:
    """The scenario of a run, and of the agents that it called, as plain values."""
    turns = _in_order(map(_turns, journals))
    returned = [event.result for event in _in_order(map(_returned, journals)) if event.call.name not in played]
    results = [_result(each) for each in returned]
    started = next(event for _, event in journals[0] if isinstance(event, RunStarted))
    inputs = started.plan.get("inputs")
    values: dict[str, Any] = {"scenario": f"a recorded run of {result.spec.name}", "for": source}
    values |= {"inputs": inputs} if inputs else {}
    values |= {"task": started.opening[-1].text, "model": turns}
    values |= {"tool_results": results} if results else {}
    said = [_said(each) for each in returned if _is_said(each)]
    values |= {"user": said} if said else {}
    values |= {"expect": _expected(result)}
    return {key: value if key == "for" else _redacted(value) for key, value in values.items()}


def _in_order(journals: Iterable[Iterator[tuple[float, T]]]) -> list[T]:
    """What several journals tell, the earliest first."""
    return [told for _, told in sorted(chain.from_iterable(journals), key=itemgetter(0))]


def _turns(journal: Journal) -> Iterator[tuple[float, dict[str, Any]]]:
    """The turns of a model, and when it was asked for each: a script gives them in that order.

    A call that was refused by a limit was never put to a model.
    """
    asked: dict[int, float] = {}
    for at, record in journal:
        match record:
            case CallModel() | Consult():
                asked[record.id] = at
            case ModelReplied():
                yield asked.pop(record.order), _of_reply(record.reply)
            case ModelFailed() if not record.failure.limit:
                yield asked.pop(record.order), {"error": _of_failure(record.failure)}
            case Consulted(role=role, reply=reply) if reply is not None:  # a model that is asked beside the worker
                yield asked.pop(record.order), {"role": role, **_of_reply(reply)}
            case Consulted(role=role, failure=failure) if failure is not None and not failure.limit:
                yield asked.pop(record.order), {"role": role, "error": _of_failure(failure)}
            case _:
                pass


def _returned(journal: Journal) -> Iterator[tuple[float, ToolReturned]]:
    return ((at, record) for at, record in journal if isinstance(record, ToolReturned))


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
