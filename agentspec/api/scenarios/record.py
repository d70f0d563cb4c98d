"""record: a run written down as a scenario: its model turns, its tool results, and what came out.

The file checks, and answers as a script: `agentspec run SPEC --script FILE`. It is made to be handed on, so what has
the form of a secret, or a name that tells of one, is never in it, whoever said it. Nothing is run here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.called import LENT
from agentspec.api.assembly.opening import told_before, told_beside
from agentspec.api.assembly.pictures import Keep
from agentspec.api.scenarios.journals import Journal, decoded, told_by
from agentspec.core.events import RunStarted
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agentspec.errors import AgentSpecError
from agentspec.ports import JournalRecord
from agentspec.runtime.journal import decode
from agentspec.runtime.result import Result
from agentspec.syntax.read import spelling_of
from agentspec.text.assigned import Left, without_secrets
from agentspec.text.secrets import redact

GLOB = re.compile(r"[*?\[\]]")


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
    path: Path,
    source: str,
    journals: Iterable[Iterable[JournalRecord]],
    result: Result,
    before: Before,
    played: Container[str] = (),
) -> int:
    """Write a run of the spec `source` (`FILE#NAME`) as a scenario, and tell in how many places something is redacted.

    Raises `OSError`. The first of the journals is its own, the others are those of agents that it called; `played` are
    the tools that called them, whose results come out anew when the scenario is played.
    """
    from agentspec.syntax.format import text_of  # noqa: PLC0415 - a run that is not recorded writes no spec

    file, mark, name = source.partition("#")
    given = os.path.relpath(file, path.parent) + mark + name
    timed = [[(record.at, decode(record)) for record in records] for records in journals]
    values, places = scenario(given, timed, result, before, played)
    path.write_text(text_of(values, spelling_of(path.name)), encoding="utf-8")
    return places


def scenario(
    source: str, journals: Sequence[Journal], result: Result, before: Before, played: Container[str] = ()
) -> Left:
    """The scenario of a run, and of the agents that it called, as plain values; a key that says nothing is left out."""
    told = told_by(journals, played)
    started = next(record for _, record in journals[0] if isinstance(record, RunStarted))
    capability = (started.plan.get("values") or {}).get("capability") or {}
    history, task = _conversation(started, before)
    values: dict[str, Any] = {
        "scenario": f"a recorded run of {result.spec.name}",
        "for": source,
        "inputs": started.plan.get("inputs"),
        "set": started.plan.get("sets"),
        "history": history,
        "task": task,
        "identity": capability.get("identity"),
        "approve": _in_a_word(told.consents),
        "model": told.turns,
        "tool_results": told.results,
        "user": told.replies,
    }
    said = {key: value for key, value in values.items() if value or key == "model"} | {"expect": _expected(result)}
    redacted, places = without_secrets(_redacted({**said, "for": ""}))
    rules = [rule | {"match": GLOB.sub("?", rule["match"])} for rule in redacted.get("user", ())]
    return Left(redacted | {"for": source} | ({"user": rules} if rules else {}), places)


def _in_a_word(consents: list[dict[str, Any]]) -> Any:
    """The rules, or the one word that says the same."""
    words = {each["decision"] for each in consents}
    return words.pop() if len(words) == 1 and words <= {"allow", "deny"} else consents if words - {"ask"} else None


class Before(NamedTuple):
    """What a run of the spec is told before its task: of the project, and of an earlier conversation."""

    beside: Sequence[Message] = ()
    history: Sequence[Message] = ()


def told_to(blueprint: Blueprint, keep: Keep) -> Before:
    """What a run of a blueprint is told before its task, as far as its files can still be read."""
    try:
        beside = told_beside(blueprint, _unheard)
        return Before(beside, told_before(blueprint, keep, _unheard)[len(beside) :])
    except AgentSpecError:
        return Before()


def _unheard(line: str) -> None:
    """The run itself has said it."""
    del line


def _conversation(started: RunStarted, before: Before) -> tuple[list[dict[str, Any]], str]:
    """What was said before the task, where it is not what the spec itself tells, and the task, where there is one."""
    opening = [message for message in started.opening if not isinstance(message, SystemMessage)]
    said = opening[len(before.beside) :] if _texts(opening[: len(before.beside)]) == _texts(before.beside) else opening
    if _texts(said) == _texts(before.history):
        return [], ""
    task = said[-1].text if said else ""
    own = _texts(said[:-1]) == _texts(before.history)
    return [] if own else [_message(message) for message in said[:-1]], task


def _texts(messages: Sequence[Message]) -> list[tuple[type, str]]:
    return [(type(message), message.text) for message in messages]


def _message(message: Message) -> dict[str, Any]:
    match message:
        case AssistantMessage(calls=calls) if calls:
            made = [{"id": call.id, "name": call.name, "arguments": decoded(call.arguments)} for call in calls]
            return {"role": "assistant", **({"content": message.text} if message.text else {}), "tool_calls": made}
        case AssistantMessage():
            return {"role": "assistant", "content": message.text}
        case ToolMessage():
            return {"role": "tool_result", "call_id": message.call_id, "content": message.text}
        case SystemMessage():
            return {"role": "system", "content": message.text}
        case UserMessage():
            return {"role": "user", "content": message.text}


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


def _expected(result: Result) -> dict[str, Any]:
    expected: dict[str, Any] = {"status": result.status, "stop_reason": result.stop_reason}
    tools = {"calls": result.tools.calls, "successful": result.tools.successful, "rejected": result.tools.rejected}
    expected |= {"tools": tools} if result.tools.calls else {}
    return expected | ({"text": {"equals": result.text}} if result.text else {})
