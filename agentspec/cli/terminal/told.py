"""told: a run in lines for people, from the records of its journal. It reads what happened and judges nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agentspec.cli.terminal.progress import budget_decision, compaction, counted, effort, ended_by, first_line, reason
from agentspec.core.events import (
    AbortRequested,
    Answered,
    Consulted,
    DeadlineReached,
    ModelFailed,
    ModelReplied,
    Resumed,
    RunStarted,
    ToolReturned,
    ToolsChanged,
    UserSaid,
)
from agentspec.core.messages import Failure, Reply, ToolCall, ToolResult, Usage, UserMessage
from agentspec.core.orders import Ask, CallModel, Consult, Finish, Note, Outcome
from agentspec.runtime.journal import AnyRecord
from agentspec.runtime.tally import Tally

ARGUMENTS = 100  # characters of the arguments of a call
MARK = "ERROR: "  # for the model


def told(records: Iterable[AnyRecord]) -> Iterator[str]:
    """The lines of a run: a paragraph a turn, then how it ended."""
    teller = _Teller()
    for record in records:
        yield from teller.take(record)
    yield from teller.open_calls()


class _Teller:
    """Remembers of the records before only what a line needs: which turn it is, and which calls wait for a result."""

    def __init__(self) -> None:
        self.asked: dict[int, CallModel] = {}
        self.waiting: dict[str, ToolCall] = {}  # in the order in which the model asked
        self.results: dict[str, ToolResult] = {}  # that came before those of earlier calls
        self.tally = Tally(keeps_trace=False)

    def take(self, record: AnyRecord) -> Iterator[str]:
        self.tally.take(record)
        match record:
            case RunStarted():
                yield from _started(record)
            case CallModel():
                self.asked[record.id] = record
            case ModelReplied():
                yield from self._replied(record)
            case ModelFailed():
                yield from self._failed(record)
            case ToolReturned(result=result):
                yield from self._returned(result)
            case Note(event="tool_result", fields=fields):
                yield from self._returned(msgspec.convert(fields, ToolResult, strict=False))
            case Finish():
                yield from self.open_calls()
                yield from self._ended(record.outcome)
            case _:
                yield from _decided(record)

    def open_calls(self) -> Iterator[str]:
        """What is left of a turn: calls whose result the journal doesn't hold, as the process died or goes on."""
        for call in self.waiting.values():
            yield from self._told(call, self.results.pop(call.id, None))
        self.waiting = {}

    def _replied(self, event: ModelReplied) -> Iterator[str]:
        yield from self.open_calls()
        reply = event.reply
        yield from self._turn(event.order, reply, event.ms)
        for call in reply.provider_calls:
            yield f"  {call.name} {_cut(_json(call.arguments))}".rstrip()
            yield f"    {call.status} · at the provider"
        yield from _texts(reply)
        yield from (f"  lost: {lost}" for lost in reply.lost)
        self.waiting = {call.id: call for call in reply.calls}

    def _failed(self, event: ModelFailed) -> Iterator[str]:
        failure = event.failure
        yield from self._turn(event.order, failure, event.ms)
        yield f"  {failure.category}: {first_line(failure.message)}"

    def _turn(self, order: int, answer: Reply | Failure, ms: int) -> Iterator[str]:
        asked = self.asked.pop(order, None)
        turn, attempt = (asked.turn, asked.attempt) if asked else (0, 1)
        again = f", attempt {attempt}" if attempt > 1 else ""
        who = ":".join(filter(None, (answer.provider, answer.model)))
        yield ""
        yield " · ".join(filter(None, (f"turn {turn}{again}", who, _tokens(answer.usage), _seconds(ms))))

    def _returned(self, result: ToolResult) -> Iterator[str]:
        """Results are told in the order of the calls, whichever came first."""
        if result.call_id not in self.waiting:
            yield from self._told(ToolCall(result.call_id, result.name, _json(result.arguments)), result)
            return
        self.results[result.call_id] = result
        for call in list(self.waiting.values()):
            if call.id not in self.results:
                return
            yield from self._told(self.waiting.pop(call.id), self.results.pop(call.id))

    def _told(self, call: ToolCall, result: ToolResult | None) -> Iterator[str]:
        yield f"  {call.name} {_cut(call.arguments)}".rstrip()
        if result is None:
            yield "    no result yet"
            return
        took = f" · {_seconds(result.duration_ms)}" if result.duration_ms else ""
        yield f"    {result.status}{took} · {_result(result)}"

    def _ended(self, outcome: Outcome) -> Iterator[str]:
        yield ""
        yield f"{outcome.status} ({outcome.reason}) after {effort(self.tally.llm, self.tally.tools)}"
        detail = outcome.failure.message if outcome.failure is not None else outcome.detail
        if detail:
            yield f"  {detail}"
        if outcome.place:
            yield f"  {ended_by(outcome.place)}"


def _started(event: RunStarted) -> Iterator[str]:
    task = next((message.text for message in reversed(event.opening) if isinstance(message, UserMessage)), "")
    yield from _indented("task: ", task)
    inputs = event.plan.get("inputs")
    if inputs:
        yield f"inputs: {_cut(json.dumps(inputs, ensure_ascii=False))}"


def _texts(reply: Reply) -> Iterator[str]:
    """An answer is shown whole; what is said beside calls by its first line."""
    if reply.text.strip():
        yield from _indented("  ", reply.text.strip() if not reply.calls else first_line(reply.text.strip()))


def _indented(head: str, text: str) -> Iterator[str]:
    first, *rest = text.strip("\n").split("\n")
    yield f"{head}{first}"
    yield from (f"{' ' * len(head)}{line}" if line else "" for line in rest)


def _result(result: ToolResult) -> str:
    """The first line of a result, or why there is none."""
    if result.status != "ok":
        return reason(result.text.removeprefix(MARK))
    first, *rest = result.text.strip("\n").split("\n")
    return first_line(first) + (f" (and {counted(len(rest), 'more line')})" if rest else "")


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= ARGUMENTS else f"{text[:ARGUMENTS]}…"


def _noted(event: str, fields: dict[str, Any]) -> str:
    match event:
        case "feedback_composed":
            return f"the next request reminds of: {', '.join(fields['kinds'])}"
        case "limit_reached":
            return f"limit reached: {fields['place'] or fields['limit']}"
        case "judge_decision":
            return f"{fields['judge']} says {fields['verdict']}: {_cut(fields['detail'])}".rstrip(": ")
        case "step_judge_decision" if fields["skipped"]:
            return f"the step is not judged: {fields['reason']}"
        case "step_judge_decision":
            return f"step_judge says {fields['verdict']}: {_cut(fields['detail'])}".rstrip(": ")
        case "guardrail_verdict":
            said = _cut(fields.get("reason") or fields.get("warning") or "")
            ruled = "refuses the task" if fields["tripwire"] else "lets the task pass"
            return f"input_guardrail ({fields['by']}) {ruled}: {said}".rstrip(": ")
        case "loop_control_decision":
            return budget_decision(fields)
        case "compacted":
            why = f"; {fields['fell_back']}" if fields.get("fell_back") else ""
            return f"{compaction(fields)}{why}"
        case _:
            return f"{event.replace('_', ' ')}: {_cut(_json(fields))}"


def _decided(record: AnyRecord) -> Iterator[str]:
    """What was decided, waited for or said between calls."""
    match record:
        case Note(event="tool_batch", fields={"deferred": [], "proposed_again": []}):
            pass
        case Note(event=event, fields=fields) if event != "turn_started":
            yield f"  {_noted(event, fields)}"
        case Consult(consultation=asked):
            yield f"  asks a model as {asked.role}"
        case Consulted(failure=failure) if failure is not None:
            yield f"  no answer: {failure.category}: {first_line(failure.message)}"
        case Consulted(reply=reply) if reply is not None:
            yield f"  it answers: {_cut(reply.text)}"
        case Ask(who="clock", question=seconds):
            yield f"  waits {seconds:.1f} s"
        case Ask(who=who):
            yield f"  asks {who}"
        case Answered(who=who, answer=answer) if who != "clock":
            yield f"  {who} answers: {_cut(_json(answer))}"
        case DeadlineReached(limit=limit):
            yield f"  out of time: {limit}"
        case AbortRequested(by=by):
            yield f"  told to stop by {'a signal' if by == 'signal' else by}"
        case Resumed(message=message):
            yield ""
            yield "resumed" + (f", with the message: {_cut(message)}" if message else "")
        case ToolsChanged(server=server, added=added, changed=changed, removed=removed):
            counts = f"{len(added)} added, {len(changed)} changed, {len(removed)} removed"
            yield f"  the tools of {server} are others: {counts}"
        case UserSaid(text=text):
            yield f"  the user says: {_cut(text)}"
        case _:
            pass


def _tokens(usage: Usage) -> str:
    about = "about " if usage.estimated else ""
    return f"{about}{usage.input_tokens} tokens in, {usage.output_tokens} out" if usage != Usage() else ""


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.1f} s"
