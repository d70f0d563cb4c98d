"""tally: what a run has done and used, a fold over the records of its journal; `result` at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from agentspec.core.events import Consulted, ModelFailed, ModelReplied, RunStarted, ToolReturned
from agentspec.core.facts import ArtifactFacts, JudgeFacts
from agentspec.core.limits.price import WORKER, Price
from agentspec.core.orders import CallModel, Consult, Finish, Note, Outcome
from agentspec.core.state import State
from agentspec.core.stepping.wants import open_questions
from agentspec.runtime.ends import terminal_of
from agentspec.runtime.journal import AnyRecord
from agentspec.runtime.prefix import Prefixes
from agentspec.runtime.result import Budget, Result, RunError, SpecName, Stall, ToolUse
from agentspec.runtime.spending import Spending
from agentspec.runtime.trace import TRACED, Trace

# What a question to a person shows of its call in the handle of a run that waits.
PENDING = ("call_id", "name", "arguments", "rule", "reason", "until", "agent")
ASKED = ("what", "call_id", "name", "arguments", "agent")  # and of what a tool asks


# Events that say what was decided, and why.
DECISIONS = frozenset(
    (
        "approval_decided",
        "feedback_composed",
        "format_changed",
        "guardrail_verdict",
        "judge_decision",
        "loop_control_decision",
        "stall_warning",
        "step_judge_decision",
        "tool_batch",
        "tools_narrowed",
    )
)


class Tally:
    """Counts what goes by; `result` may be asked at any time. Time enters only by the records' own."""

    def __init__(
        self,
        *,
        keeps_trace: bool = True,
        prices: Mapping[str, Price] | None = None,
        places: Mapping[str, Mapping[str, Any]] | None = None,
        keeps_decisions: bool = False,
        labels: Iterable[str] = (),
    ) -> None:
        """`prices` are by who asks; `places` tell of bounds in which file and line they stand.

        `labels` are those of the routes by their numbers, where there are several.
        """
        self.every_decision: list[dict[str, Any]] | None = [] if keeps_decisions else None
        self.places = places or {}
        self.spending = Spending(prices or {}, labels)
        self.llm = self.spending.llm
        self.tools = ToolUse()
        self.texts: list[str] = []
        self.partial = ""  # visible text of a call that failed: shown only where nothing came after it
        self.was_empty = False  # the last reply held nothing
        self.goes_on = False  # the newest request gives the last reply back as the beginning of its answer
        self.warnings: list[dict[str, Any]] = []
        self.compactions: list[dict[str, Any]] = []
        self.decisions: list[dict[str, Any]] = []  # what changed the iteration limit, or ended the run
        self.started: RunStarted | None = None
        self.outcome = Outcome("error", "internal")
        self.prefixes = Prefixes()
        self._traced: list[tuple[AnyRecord, int]] | None = [] if keeps_trace else None  # with their turns

    @property
    def trace(self) -> list[dict[str, Any]] | None:
        """The lines of the trace, told when they are asked for; None where none is kept."""
        if self._traced is None:
            return None
        trace = Trace()
        for record, turn in self._traced:
            trace.take(record, turn)
        return trace.lines()

    def take(self, record: AnyRecord) -> None:
        kind = type(record)
        count = self.COUNTS.get(kind)
        if count is not None:
            count(self, record)
        if kind in TRACED:
            self._keep(record)

    def _keep(self, record: AnyRecord) -> None:
        """Keep a record for the trace."""
        if self._traced is not None:
            self._traced.append((record, self.llm.iterations))

    def _start(self, event: RunStarted) -> None:
        self.started = event

    def _ask(self, order: CallModel) -> None:
        self.prefixes.asked(order)
        self.tools.mode = order.format
        self.llm.provider_calls += 1
        self.llm.iterations = max(self.llm.iterations, order.turn)
        self.llm.empty_retries += self.was_empty and order.attempt > 1
        self.was_empty = False
        self.goes_on = bool(order.begun)

    def _take_failure(self, event: ModelFailed) -> None:
        self.prefixes.answered(event.order, event.failure)
        self.llm.duration_ms += event.ms
        self.spending.count(event.failure, WORKER, event.ms, event.route)
        self.partial = event.failure.text
        self._answered_by(event.failure.provider, event.failure.model)

    def _consult(self, order: Consult) -> None:
        self.llm.provider_calls += 1
        self.llm.judge_calls += order.consultation.role == "judge"

    def _take_result(self, event: ToolReturned) -> None:
        if event.result.used is not None:
            self.spending.take_used(event.result.used)

    def _note(self, note: Note) -> None:
        if self.every_decision is not None and note.event in DECISIONS:
            self.every_decision.append({"kind": note.event, **note.fields})
        match note.event:
            case "loop_control_decision":
                self.decisions.append(note.fields)
            case "feedback_composed":
                self.tools.text_fallbacks_rejected += "native_fallback" in note.fields["kinds"]
            case "stall_warning":
                self.warnings.append(note.fields)
            case "compacted":
                self.compactions.append(note.fields)
            case "tool_result":  # of a call that was refused
                self._keep(note)
            case _:
                pass

    def _finish(self, finish: Finish) -> None:
        self.outcome = finish.outcome

    def _take_reply(self, event: ModelReplied) -> None:
        reply, llm = event.reply, self.llm
        self.prefixes.answered(event.order, reply)
        llm.duration_ms += event.ms
        self.spending.count(reply, WORKER, event.ms, event.route)
        self.partial = ""
        self._answered_by(reply.provider, reply.model)
        self.was_empty = not reply.text.strip() and not reply.calls
        if self.goes_on and self.texts:  # the answer has the last one as its beginning
            self.texts.pop()
        if reply.text.strip():
            self.texts.append(reply.text)
        self.tools.calls += [call.name for call in reply.calls]
        self.tools.text_fallbacks += reply.is_from_text

    def _take_consultation(self, event: Consulted) -> None:
        self.llm.duration_ms += event.ms
        answer = event.failure if event.failure is not None else event.reply
        if answer is not None:
            self.spending.count(answer, event.asker, event.ms, event.route)

    COUNTS: ClassVar[dict[type, Callable[[Tally, Any], None]]] = {
        RunStarted: _start,
        CallModel: _ask,
        ModelReplied: _take_reply,
        ModelFailed: _take_failure,
        Consult: _consult,
        Consulted: _take_consultation,
        ToolReturned: _take_result,
        Note: _note,
        Finish: _finish,
    }

    def _answered_by(self, provider: str, model: str) -> None:
        self.llm.provider = provider or self.llm.provider
        self.llm.model = model or self.llm.model

    def _stopped_by(self, outcome: Outcome) -> dict[str, Any] | None:
        if outcome.place is None:
            return None
        return {"limit": outcome.place, "detail": outcome.detail, **self._where(outcome.place)}

    def _where(self, place: str) -> Mapping[str, Any]:
        """Where a bound stands; one that nobody wrote stands where what it belongs to does, `execution` aside."""
        while "." in place:
            if place in self.places:
                return self.places[place]
            place = place.rpartition(".")[0]
        return {}

    def result(self, state: State, *, wants_trace: bool) -> Result:
        """The result for the state that the same records folded to."""
        started = self.started
        assert started is not None
        outcome = self.outcome
        facts = state.facts
        self.tools.successful = list(facts.session.successful_tool_names)
        self.tools.rejected = list(facts.session.rejected_tool_names)
        budget = facts.budget
        self.llm.own = self.spending.own
        self.llm.prefix_share, self.llm.prefix_breaks = self.prefixes.share, dict(self.prefixes.breaks)
        texts = [*self.texts, self.partial] if self.partial.strip() else self.texts
        return Result(
            run_id=started.run_id,
            session_id=started.session_id,
            spec=SpecName(started.spec_name, started.spec_hash),
            status=outcome.status,
            stop_reason=outcome.reason,
            terminal=terminal_of(outcome),
            text=texts[-1] if texts else "",
            visible_text="\n\n".join(texts),
            output=outcome.output,
            output_valid=outcome.output_valid,
            wrapped_up=outcome.wrapped_up,
            llm=self.llm,
            tools=self.tools,
            completion_judge=_plain(facts.completion_judge),
            turn_end_condition=_plain(facts.turn_end_condition),
            missing_required_tools=list(facts.session.required_tools_missing),
            declared_artifacts=_plain(facts.artifacts),
            adaptive_budget=Budget(
                mode=budget.mode,
                initial=budget.initial,
                max=budget.max,
                final_limit=budget.current_limit,
                extensions_used=budget.extension_count,
                decisions=self.decisions,
            ),
            stall=Stall(
                repeated_tool_calls=facts.stall.repeated_tool_calls,
                warnings=self.warnings,
                suspected_loop=bool(self.warnings),
            ),
            compactions=self.compactions,
            error=_error(outcome),
            handle=_handle(outcome, started, state),
            stopped_by=self._stopped_by(outcome),
            trace=self.trace if wants_trace else None,
            decisions=self.every_decision,
        )


def _error(outcome: Outcome) -> RunError | None:
    failure = outcome.failure
    if failure is None:
        if outcome.status in ("done", "interrupted", "suspended", "cancelled") or not outcome.detail:
            return None
        return RunError(category=outcome.status, reason=outcome.reason, message=outcome.detail)
    return RunError(
        category=outcome.status,
        reason=outcome.reason,
        message=failure.message,
        provider=failure.provider or None,
        model=failure.model or None,
        phase="model_call",
        retryable=failure.retryable,
        http_status=failure.http_status,
    )


def _handle(outcome: Outcome, started: RunStarted, state: State) -> dict[str, Any] | None:
    if outcome.status not in ("interrupted", "suspended"):
        return None
    pending = [_pending(question) for question in open_questions(state)]
    return {"run_id": started.run_id, "reason": outcome.reason, "pending": pending}


def _pending(question: Any) -> dict[str, Any]:
    shown = PENDING if question.get("what") == "approval" else ASKED
    return {name: question[name] for name in shown if name in question}


def _plain(group: JudgeFacts | ArtifactFacts | None) -> dict[str, Any] | None:
    """A group of facts with all its fields, also those that have their defaults."""
    if group is None:
        return None
    fields = msgspec.structs.asdict(group)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
