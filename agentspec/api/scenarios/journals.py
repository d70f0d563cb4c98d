"""journals: what the journals of a run, and of the agents that it called, tell: turns, results, and what people said.

Everything comes out in the order in which it was asked for. What was in flight when the run was stopped is told as
such, unless the run has gone on since: then it was asked again, or has been answered as lost.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import msgspec

from agentspec.core.events import (
    AbortRequested,
    Answered,
    Consulted,
    DeadlineReached,
    ModelFailed,
    ModelReplied,
    Resumed,
    ToolReturned,
    Unanswered,
)
from agentspec.core.messages import Failure, Reply, ToolCall
from agentspec.core.orders import PERSON, Ask, CallModel, CallTool, Cancel, Consult, Note
from agentspec.runtime.journal import AnyRecord

Journal: TypeAlias = Sequence[tuple[float, AnyRecord]]
"""The records of one run, each with its time."""
PREFIX = re.compile(r"^[^:]* at [^:]+(?::\d+)?: (?:HTTP \d+: )?")  # who said it: a script says so itself
ORDINARY = ("stop", "tool_calls", "")  # finish reasons that a script gives by itself
UNSAID = "unsaid"  # stands for none at all: a script that said nothing would say that the reply is complete
STATUSES = ("ok", "error", "timeout", "denied")
CHANGED = {"sha256", "created", "deleted"}  # what the result of a change of a file tells
OVER = 1.0  # seconds that what a bound has cut takes longer than the bound
ASKING = "terminal"  # the effect of a tool that asks a person
USER = "user"  # who cancels a run for good


class Told(NamedTuple):
    """What a scenario has to hold so that a run comes out again."""

    turns: list[dict[str, Any]]
    results: list[dict[str, Any]]
    replies: list[dict[str, Any]]
    consents: list[dict[str, Any]]


class Asked(NamedTuple):
    """An order that waits for its answer, and when it was given."""

    at: float
    order: CallModel | Consult | CallTool | Ask


def told_by(journals: Sequence[Journal], played: Container[str]) -> Told:
    """What journals tell; `played` are tools whose results come out anew when the turns are played."""
    is_timed = any(isinstance(record, DeadlineReached) for _, record in chain.from_iterable(journals))
    readers = [_Reader(journal, played, is_timed=is_timed) for journal in journals]
    ended_by = readers[0].ended_by
    for reader in readers:
        reader.close(ended_by)
    lists = zip(*((each.turns, each.results, each.replies, each.consents) for each in readers), strict=True)
    return Told(*(_in_order(each) for each in lists))


def _in_order(told: Sequence[Sequence[tuple[float, dict[str, Any]]]]) -> list[dict[str, Any]]:
    """What several journals tell, the earliest first."""
    return [one for _, one in sorted(chain.from_iterable(told), key=lambda each: each[0])]


class _Reader:
    """Reads one journal from its beginning to its end."""

    def __init__(self, journal: Journal, played: Container[str], *, is_timed: bool) -> None:
        self.turns: list[tuple[float, dict[str, Any]]] = []
        self.results: list[tuple[float, dict[str, Any]]] = []
        self.replies: list[tuple[float, dict[str, Any]]] = []
        self.consents: list[tuple[float, dict[str, Any]]] = []
        self.ended_by: str | None = None
        self._played = played
        self._is_timed = is_timed
        self._open: dict[int, Asked] = {}
        self._cut: list[Asked] = []  # by an abort
        self._lost: list[tuple[float, dict[str, Any]]] = []  # the results of calls that were cut
        self._waiting: list[tuple[float, Mapping[str, Any]]] = []  # what nobody has answered
        self._cutter: AnyRecord | None = None
        for at, record in journal:
            self._read(at, record)

    def _read(self, at: float, record: AnyRecord) -> None:
        match record:
            case CallModel() | Consult() | CallTool() | Ask():
                self._open[record.id] = Asked(at, record)
            case ModelReplied() | ModelFailed() | Consulted():
                self._answered(at, record)
            case ToolReturned() if record.call.name not in self._played:
                asked = self._open.pop(record.order)
                self.results.append((at, _result(record.result) | self._delay(asked.at, at)))
                self._said_by_person(at, record)
            case Answered(who=who) if who == PERSON:
                self._open.pop(record.order, None)
                self._approved(at, record.question, record.answer)
            case Unanswered(who=who) if who == PERSON:
                self._waiting.append((at, self._question(record.order)))
            case Unanswered() if record.questions:
                self._waiting += [(at, question) for question in record.questions]
            case AbortRequested() | DeadlineReached():
                self._cutter = record
                self.ended_by = record.by if isinstance(record, AbortRequested) else self.ended_by
            case Cancel() if record.order in self._open:
                self._cancelled(at, self._open.pop(record.order))
            case Note(event="tool_result"):
                self._lose(at, record.fields)
            case Resumed():
                self._go_on(record.message)
            case _:
                pass

    # --- what was answered ---

    def _answered(self, at: float, record: ModelReplied | ModelFailed | Consulted) -> None:
        """A call that was refused by a limit was never put to a model."""
        asked = self._open.pop(record.order)
        role = {"role": record.role} if isinstance(record, Consulted) else {}
        reply = None if isinstance(record, ModelFailed) else record.reply
        failure = None if isinstance(record, ModelReplied) else record.failure
        if reply is not None:
            self.turns.append((asked.at, role | _of_reply(reply) | self._delay(asked.at, at)))
        elif failure is not None and not failure.limit:
            self.turns.append((asked.at, role | _of_failure(failure) | self._delay(asked.at, at)))

    def _delay(self, began: float, ended: float) -> dict[str, str]:
        return {"delay": f"{max(0, round((ended - began) * 1000))}ms"} if self._is_timed else {}

    def _said_by_person(self, at: float, record: ToolReturned) -> None:
        result = record.result
        if result.ok and result.effect == ASKING and _asks(result.arguments):
            self.replies.append((at, _rule(result.arguments) | {"reply": result.text}))

    def _approved(self, at: float, question: Any, answer: Any) -> None:
        if not isinstance(question, Mapping) or question.get("what") != "approval":
            return
        decision = answer.get("decision") if isinstance(answer, Mapping) else "deny"
        self.consents.append((at, {"tool": question["name"], "decision": decision}))

    def _question(self, order: int) -> Mapping[str, Any]:
        asked = self._open.get(order)
        question = asked.order.question if asked is not None and isinstance(asked.order, Ask) else None
        return question if isinstance(question, Mapping) else {}

    # --- what was cut ---

    def _cancelled(self, at: float, asked: Asked) -> None:
        if isinstance(self._cutter, AbortRequested):
            self._cut.append(asked)
            return
        if isinstance(self._cutter, DeadlineReached):
            self._tell_cut(asked, {"delay": f"{round((at - asked.at + OVER) * 1000)}ms"}, {})

    def _lose(self, at: float, fields: Mapping[str, Any]) -> None:
        """A call that was cut has a result as well, which the model reads where the run goes on."""
        calls = [each.order for each in self._cut if isinstance(each.order, CallTool)]
        if any(order.call.id == fields.get("call_id") for order in calls):
            arguments = next(order.arguments for order in calls if order.call.id == fields["call_id"])
            self._lost.append((at, _call_of(fields["name"], arguments) | {"status": "error", "text": fields["text"]}))

    def _go_on(self, message: str | None) -> None:
        self.ended_by = self._cutter = None
        self.results += self._lost
        self._cut, self._lost, self._waiting = [], [], []
        if message is not None and self.turns:
            at, turn = self.turns[-1]
            self.turns[-1] = (at, turn | {"said": message})

    def close(self, ended_by: str | None) -> None:
        """The run is over; `ended_by` is who has stopped the whole of it."""
        for asked in self._cut if ended_by else ():
            self._tell_cut(asked, {"interrupt": True}, {"status": "interrupted"})
        for at, question in self._waiting:
            match question:
                case {"what": "question", "arguments": arguments} if _asks(arguments):
                    self.replies.append((at, _rule(arguments) | {"action": "wait"}))
                case {"what": "approval", "name": name}:
                    self.consents.append((at, {"tool": name, "decision": "ask"}))

    def _tell_cut(self, asked: Asked, of_turn: dict[str, Any], of_call: dict[str, Any]) -> None:
        match asked.order:
            case CallModel():
                self.turns.append((asked.at, of_turn))
            case Consult(consultation=consultation):
                self.turns.append((asked.at, {"role": consultation.role, **of_turn}))
            case CallTool(arguments=arguments, effect=effect) if effect == ASKING and of_call and _asks(arguments):
                action = "stop" if self.ended_by == USER else "interrupt"
                self.replies.append((asked.at, _rule(arguments) | {"action": action}))
            case CallTool(call=call, arguments=arguments) if call.name not in self._played:
                self.results.append((asked.at, _call_of(call.name, arguments) | (of_call or of_turn)))
            case Ask(who=who, question={"what": "approval", "name": name}) if who == PERSON and of_call:
                self.consents.append((asked.at, {"tool": name, "decision": "interrupt"}))
            case _:
                pass


def _asks(arguments: Any) -> bool:
    """Whether the arguments of a call ask a person something in words."""
    return isinstance(arguments, Mapping) and isinstance(arguments.get("question"), str)


def _rule(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"match": arguments["question"]}


def _of_reply(reply: Reply) -> dict[str, Any]:
    """The turn that brings a reply; what was read out of its text is read out of it again."""
    calls = () if reply.raw else reply.calls
    text = reply.raw or reply.text
    turn: dict[str, Any] = {"text": text} if text or not calls else {}
    turn |= {"reasoning": reply.reasoning} if reply.reasoning and not reply.raw else {}
    turn |= {"tool_calls": [_call(call) for call in calls]} if calls else {}
    unsaid = UNSAID if calls and not reply.is_complete else ""
    word = reply.finish_text or unsaid
    turn |= {"finish_reason": word} if word not in ORDINARY else {}
    if not reply.usage.estimated:
        turn["usage"] = {"input_tokens": reply.usage.input_tokens, "output_tokens": reply.usage.output_tokens}
    return turn


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = decoded(call.arguments)
    return {"name": call.name, "arguments": arguments, "id": call.id}


def decoded(arguments: str) -> dict[str, Any] | str:
    """The arguments of a call as values; as they came where they are none."""
    try:
        values = msgspec.json.decode(arguments)
    except (ValueError, RecursionError):
        return arguments
    return values if isinstance(values, dict) else arguments


def _of_failure(failure: Failure) -> dict[str, Any]:
    error: dict[str, Any] = {
        "status": failure.http_status or failure.category,
        "message": PREFIX.sub("", failure.message),
    }
    if failure.retry_after is not None:  # as a script has it: without an exponent
        error["retry_after"] = f"{failure.retry_after:.3f}".rstrip("0").rstrip(".") + "s"
    return ({"text": failure.text} if failure.text else {}) | {"error": error}


def _call_of(name: str, arguments: Any) -> dict[str, Any]:
    return {"name": name} | ({"arguments": arguments} if isinstance(arguments, dict) else {})


def _result(result: Any) -> dict[str, Any]:
    status = result.status if result.status in STATUSES else "error"
    return _call_of(result.name, result.arguments) | {"status": status, "text": result.text} | _change(result)


def _change(result: Any) -> dict[str, str]:
    """What a call has made of a file, as the tools of `files.edit` tell it; a dry run tells nothing of the kind."""
    facts = result.data if result.ok and result.effect == "write" and isinstance(result.data, Mapping) else {}
    if "path" not in facts or not facts.keys() & CHANGED:
        return {}
    return {"file": "new" if facts.get("created") and "sha256" in facts else "changed"}
