"""result: the one record that says how a run ended and what it took. A fold over the journal's records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from agentspec.core.events import Consulted, ModelFailed, ModelReplied, RunStarted, ToolReturned
from agentspec.core.facts import ArtifactFacts, JudgeFacts
from agentspec.core.limits.price import SHADOW, Price, cost_of_call, cost_of_mirror, price_for, worker_on
from agentspec.core.messages import Failure, Mirrored, Reply, Used
from agentspec.core.orders import NATURAL, CallModel, Consult, Finish, Note, Outcome
from agentspec.core.state import State
from agentspec.core.wants import open_questions
from agentspec.runtime.journal import AnyRecord
from agentspec.runtime.prefix import Prefixes
from agentspec.runtime.route_use import RouteUse
from agentspec.runtime.trace import Trace


class Terminal(msgspec.Struct, frozen=True):
    """The terminal outcome. Only `kind == "natural"` proves completion."""

    kind: str
    reason: str
    owner: str
    lifecycle_state: str
    run_record_status: str


class SpecName(msgspec.Struct, frozen=True):
    name: str
    hash: str


class LlmUse(msgspec.Struct, kw_only=True):
    """What the models cost: `iterations` counts turns, `provider_calls` every physical call."""

    iterations: int = 0
    provider_calls: int = 0
    judge_calls: int = 0
    duration_ms: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    usage_estimated: bool = False
    empty_retries: int = 0
    provider: str | None = None  # who answered last
    model: str | None = None
    prefix_share: float | None = None  # of what was sent, up to the harness's words: what the next request began with
    prefix_breaks: dict[str, int] = {}  # how often it was less than all, by what changed it
    routes: list[RouteUse] = []  # where there are several
    own: dict[str, Any] | None = None  # the same numbers without those of children, where there were any


class ToolUse(msgspec.Struct, kw_only=True):
    """Every call by name in order, and the names that succeeded or were rejected at least once.

    `text_fallbacks` are the replies whose calls came as text where the provider's own were asked for, and
    `text_fallbacks_rejected` those of them that were not taken.
    """

    calls: list[str] = []
    successful: list[str] = []
    rejected: list[str] = []
    mode: str = "native"
    text_fallbacks: int = 0
    text_fallbacks_rejected: int = 0


class Budget(msgspec.Struct, kw_only=True):
    mode: str = "fixed"
    initial: int = 0
    max: int = 0
    final_limit: int = 0
    extensions_used: int = 0
    decisions: list[dict[str, Any]] = []


class Stall(msgspec.Struct, kw_only=True):
    """How much the run repeated itself: calls that brought the same again, and each repetition too many."""

    repeated_tool_calls: int = 0
    warnings: list[dict[str, Any]] = []
    suspected_loop: bool = False


class RunError(msgspec.Struct, kw_only=True):
    """What went wrong, for programs. `message` holds no secret."""

    category: str
    reason: str
    message: str
    provider: str | None = None
    model: str | None = None
    phase: str | None = None
    retryable: bool = False
    http_status: int | None = None


class Result(msgspec.Struct, kw_only=True):
    """The result of a run. `text` is the last accepted answer, else the last text that was not empty.

    `stopped_by` names the bound or the rule of the spec that ended the run, where one did, with the file and line in
    which it stands.

    >>> from agentspec import run_sync
    >>> result = run_sync("examples/first-look/first-look.yaml", sets=["execution.max_iterations=2"])
    >>> result.status, result.stopped_by["limit"], result.llm.iterations  # the last one for last words
    ('budget_exhausted', 'execution.max_iterations', 3)
    """

    run_id: str
    session_id: str
    spec: SpecName
    status: str
    stop_reason: str
    terminal: Terminal
    text: str = ""
    visible_text: str = ""
    output: Any = None
    output_valid: bool | None = None
    llm: LlmUse
    tools: ToolUse
    adaptive_budget: Budget
    completion_judge: dict[str, Any] | None = None
    turn_end_condition: dict[str, Any] | None = None
    stall: Stall
    compactions: list[dict[str, Any]] = []
    missing_required_tools: list[str] = []
    declared_artifacts: dict[str, Any] | None = None
    error: RunError | None = None
    handle: dict[str, Any] | None = None
    wrapped_up: bool = False
    stopped_by: dict[str, Any] | None = None
    trace: list[dict[str, Any]] | None = None
    decisions: list[dict[str, Any]] | None = None

    @property
    def is_done(self) -> bool:
        """Whether the run ended with its work done; a bound, a failure or an interrupt is no such end."""
        return self.status == "done"

    def as_json(self) -> dict[str, Any]:
        """The result object as plain values, every field present."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


# kind: owner, lifecycle_state, run_record_status
TERMINALS: dict[str, tuple[str, str, str]] = {
    "natural": ("agent", "completed", "completed"),
    "policy_stop": ("policy", "stopped", "stopped"),
    "policy_budget": ("policy", "stopped", "failed"),
    "policy_no_progress": ("policy", "stopped", "failed"),
    "policy_guardrail": ("policy", "stopped", "failed"),
    "completion_unverified": ("policy", "failed", "failed"),
    "failed": ("policy", "failed", "failed"),
    "provider_error": ("provider", "failed", "failed"),
    "runtime_error": ("harness", "failed", "failed"),
    "user_cancelled": ("user", "cancelled", "cancelled"),
    "idle": ("policy", "stopped", "stopped"),
    "watchdog": ("policy", "stopped", "stopped"),
    "interrupted": ("agent", "suspended", "suspended"),
    "suspended": ("agent", "suspended", "suspended"),
}
# The kind of every status of the runtime's own; a word that a rule made up is a stop of the policy, whatever it is.
KINDS: dict[str, str] = {
    "done": "natural",
    "completion_unverified": "completion_unverified",
    "failed": "failed",
    "stuck": "policy_no_progress",
    "budget_exhausted": "policy_budget",
    "provider_error": "provider_error",
    "error": "runtime_error",
    "input_guardrail": "policy_guardrail",
    "cancelled": "user_cancelled",
    "interrupted": "interrupted",
    "suspended": "suspended",
    "idle": "idle",
    "watchdog": "watchdog",
}
# Every status that a run of a store can have, and what it says; the words that a spec itself ends runs with
# (`loop_control` with `stop: WORD`) come beside them.
STATUSES: dict[str, str] = {
    "done": "The work is done: the model answered, and what the spec asks of an answer was met.",
    "completion_unverified": "There is an answer, and nobody could say in time that it is good enough.",
    "failed": "The run came to an end without what the spec requires; the reason names it.",
    "stuck": "The model went on without getting anywhere: only words, the same call again, or nothing at all.",
    "budget_exhausted": "A bound of `execution` ended it; the last line names the bound.",
    "provider_error": "The model could not be asked, or did not answer; the reason is the class of the failure.",
    "error": "Something in the run itself failed.",
    "input_guardrail": "The task was refused before any work was done.",
    "cancelled": "Somebody cancelled it for good.",
    "interrupted": "It was stopped (Ctrl-C, `kill`): `agentspec resume` goes on.",
    "suspended": "It waits for something or somebody: `agentspec resume` goes on.",
    "idle": "It waits, and nothing is left that could wake it.",
    "watchdog": "It waited for too long.",
    "running": "A process drives it now.",
    "crashed": "Its process is gone without a word: `agentspec resume` goes on.",
}
# What of `llm` a run and its children use together.
OF_CHILDREN = (
    *("provider_calls", "judge_calls", "input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens"),
    "cost_usd",
)
# What a question to a person shows of its call in the handle of a run that waits.
PENDING = ("call_id", "name", "arguments", "rule", "reason", "until", "agent")
ASKED = ("what", "call_id", "name", "arguments", "agent")  # and of what a tool asks


def terminal_of(outcome: Outcome) -> Terminal:
    kind = KINDS.get(outcome.status, "policy_stop")
    if kind == "natural" and outcome.reason not in NATURAL:
        kind = "policy_stop"
    owner, lifecycle, record = TERMINALS[kind]
    return Terminal(kind, outcome.reason, owner, lifecycle, record)


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
        self.prices = prices or {}
        self.places = places or {}
        self.llm = LlmUse(routes=[RouteUse(label=label) for label in labels])
        self.tools = ToolUse()
        self.texts: list[str] = []
        self.partial = ""  # visible text of a call that failed: shown only where nothing came after it
        self.was_empty = False  # the last reply held nothing
        self.warnings: list[dict[str, Any]] = []
        self.compactions: list[dict[str, Any]] = []
        self.decisions: list[dict[str, Any]] = []  # what changed the iteration limit, or ended the run
        self.started: RunStarted | None = None
        self.outcome = Outcome("error", "internal")
        self.prefixes = Prefixes()
        self.by_children: Counter[str] = Counter()  # of what `llm` tells, by its names
        self._trace = Trace() if keeps_trace else None

    @property
    def trace(self) -> list[dict[str, Any]] | None:
        """The lines of the trace, or None where none is kept."""
        return None if self._trace is None else self._trace.lines()

    def take(self, record: AnyRecord) -> None:
        count = self.COUNTS.get(type(record))
        if count is not None:
            count(self, record)
        if self._trace is not None:
            self._trace.take(record, self.llm.iterations)

    def _start(self, event: RunStarted) -> None:
        self.started = event

    def _ask(self, order: CallModel) -> None:
        self.prefixes.asked(order)
        self.tools.mode = order.format
        self.llm.provider_calls += 1
        self.llm.iterations = max(self.llm.iterations, order.turn)
        self.llm.empty_retries += self.was_empty and order.attempt > 1
        self.was_empty = False

    def _take_failure(self, event: ModelFailed) -> None:
        self.prefixes.answered(event.order, event.failure)
        self.llm.duration_ms += event.ms
        self._spend(event.failure, worker_on(event.route), event.ms, event.route)
        self.partial = event.failure.text
        self._answered_by(event.failure.provider, event.failure.model)

    def _consult(self, order: Consult) -> None:
        self.llm.provider_calls += 1
        self.llm.judge_calls += order.consultation.role == "judge"

    def _take_result(self, event: ToolReturned) -> None:
        if event.result.used is not None:
            self.take_used(event.result.used)

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
            case _:
                pass

    def _finish(self, finish: Finish) -> None:
        self.outcome = finish.outcome

    def _take_reply(self, event: ModelReplied) -> None:
        reply, llm = event.reply, self.llm
        self.prefixes.answered(event.order, reply)
        llm.duration_ms += event.ms
        self._spend(reply, worker_on(event.route), event.ms, event.route)
        self.partial = ""
        self._answered_by(reply.provider, reply.model)
        self.was_empty = not reply.text.strip() and not reply.calls
        if reply.text.strip():
            self.texts.append(reply.text)
        self.tools.calls += [call.name for call in reply.calls]
        self.tools.text_fallbacks += reply.is_from_text

    def _take_consultation(self, event: Consulted) -> None:
        self.llm.duration_ms += event.ms
        answer = event.failure if event.failure is not None else event.reply
        if answer is not None:
            self._spend(answer, event.asker, event.ms)

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

    def _spend(self, answer: Reply | Failure, asker: str, ms: int, route: int | None = None) -> None:
        """Count what a call took, also for the route that it went."""
        llm, usage = self.llm, answer.usage
        price = price_for(self.prices, asker)
        llm.provider_calls -= answer.is_unsent  # counted with its order, and never made
        if isinstance(answer, Reply) and answer.mirrored is not None:
            self._spend_mirrored(answer.mirrored)
        if route is not None and llm.routes:
            llm.routes[route].count(answer, price, ms)
        if price is not None:
            llm.cost_usd = round((llm.cost_usd or 0.0) + cost_of_call(answer, price, ms), 12)
        llm.input_tokens += usage.input_tokens
        llm.output_tokens += usage.output_tokens
        llm.cached_input_tokens += usage.cached_input_tokens
        llm.reasoning_tokens += usage.reasoning_tokens
        llm.usage_estimated |= usage.estimated

    def _spend_mirrored(self, seen: Mirrored) -> None:
        """Count what a second model took that was asked the same."""
        llm, price = self.llm, self.prices.get(SHADOW)
        llm.provider_calls += 1
        llm.input_tokens += seen.usage.input_tokens
        llm.output_tokens += seen.usage.output_tokens
        if price is not None:
            llm.cost_usd = round((llm.cost_usd or 0.0) + cost_of_mirror(seen, price), 12)

    def take_used(self, used: Used) -> None:
        """Count what the run of an agent has used."""
        for name in OF_CHILDREN:
            more = getattr(used, name)
            if more is not None:
                setattr(self.llm, name, (getattr(self.llm, name) or 0) + more)
                self.by_children[name] += more
        self.llm.usage_estimated |= used.estimated

    def _own(self) -> dict[str, Any]:
        """What the run has used itself."""
        own = {name: getattr(self.llm, name) for name in OF_CHILDREN}
        return {
            name: None if value is None else round(value - self.by_children[name], 12) for name, value in own.items()
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
        self.llm.own = self._own() if self.by_children else None
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
