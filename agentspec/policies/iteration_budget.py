"""iteration_budget: bound the turns of a run: a cap that may grow while there is a reason, and never past its maximum.

Attempts within a turn do not count, nor does a last turn that was granted. Whatever changes the limit is on record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event
from agentspec.core.facts import BudgetFacts, Facts
from agentspec.core.orders import Note, Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded, TurnStarted
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match, Rulebook
from agentspec.core.rulings import PASS, Feedback, Hold, Refuse, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.defaults import ADAPTIVE_ITERATIONS, DEFAULT_ITERATIONS
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings
from agentspec.spec.statuses import RESERVED_STATUSES, STATUS

NAME = "iteration_budget"
PLACE = "execution.iteration_budget"
RULES = "execution.loop_control"
GUARD = "execution.stall.repair_diagnostics.no_net_progress_extend_guard"
EXTEND_BY = 2
VERBS = {
    "extend": ("true", "a whole number"),
    "extend_to": ("a whole number",),
    "stop": ("text",),
    "none": ("true",),
    "reason": ("text",),
}
# What an adaptive budget without rules extends on, in this order; and what the model hears of it.
REASONS = {
    "completion_vetoed": "your answer was not accepted yet",
    "required_tools_missing": "tools that are required have not succeeded yet",
    "progress": "the last turns made progress",
}


class Turns(Record, frozen=True):
    """Where the budget stands: the limit, the turns begun, and the newest decision with how many there were.

    `stop` is how a rule ends the run. `question` is the function that was not asked yet, `answers` and `problems` are
    those of the turn `decided_in`, by rule.
    """

    limit: int
    begun: int = 0
    extensions: int = 0
    wall_clock_ms: int = 0
    cost_usd: float = 0.0
    stop: Outcome | None = None
    question: Hold | None = None
    decided_in: int = 0
    answers: dict[int, Any] = {}
    problems: dict[int, str] = {}
    decisions: int = 0
    decision: dict[str, Any] = {}
    words: str = ""  # for the model, until it was told


class IterationBudget(Policy[Turns], frozen=True):
    """How many turns a run may take. After every turn the first rule that matches decides, or else, at the edge of an
    adaptive budget, whether the run gets anywhere.
    """

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 20
    claims: ClassVar = ("execution.max_iterations", "execution.profile", PLACE, RULES, GUARD)
    hears: ClassVar = (TurnStarted, TurnEnded, Answered, Ruled)
    reviews: ClassVar = (Think,)
    publishes: ClassVar = "budget"
    announces: ClassVar = True

    mode: Literal["fixed", "adaptive"]
    initial: int
    max: int
    extend_by: int
    progress_window: int
    exposes: bool
    words: str
    guards: bool
    place: str
    rules: Rulebook

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        written: Any = settings.get(PLACE)
        given: Mapping[str, Any] = written if isinstance(written, Mapping) else {"mode": written}
        is_adaptive = given.get("mode") == "adaptive"
        usual = ADAPTIVE_ITERATIONS if is_adaptive else settings.whole("execution.max_iterations") or DEFAULT_ITERATIONS
        most = given.get("max") or usual
        extend_by = given.get("extend_by", EXTEND_BY) if is_adaptive else 0
        return cls(
            mode="adaptive" if is_adaptive else "fixed",
            initial=min(given.get("initial") or max(1, most // 4), most) if is_adaptive else most,
            max=most,
            extend_by=extend_by,
            progress_window=given.get("progress_window") or extend_by,
            exposes=given.get("expose_decisions", is_adaptive),
            words=wording(settings, "budget.extended"),
            guards=settings.flag(GUARD),
            place=f"{PLACE}.max" if "max" in given else PLACE if is_adaptive else "execution.max_iterations",
            rules=Rulebook(settings.get(RULES) or (), "loop_control.when", VERBS),
        )

    def start(self) -> Turns:
        return Turns(limit=self.initial)

    def publish(self, memory: Turns) -> BudgetFacts:
        return BudgetFacts(
            mode=self.mode,
            initial=self.initial,
            current_limit=memory.limit,
            max=self.max,
            remaining=max(0, memory.limit - memory.begun),
            extension_count=memory.extensions,
            wall_clock_ms=memory.wall_clock_ms,
            cost_usd=memory.cost_usd,
        )

    # --- decisions ---

    def observe(self, memory: Turns, event: Event | Notice, facts: Facts) -> Turns:
        match event:
            case TurnStarted():
                return replace(memory, begun=event.turn)
            case TurnEnded():
                return self._decided(_ended(memory, event.turn, facts), facts)
            case Answered(asker="iteration_budget", question={"rule": index}, answer=answer):
                return self._decided(replace(memory, answers={**memory.answers, index: answer}, question=None), facts)
            case Ruled(policy="stall", ruling=Refuse(category="rescue")):
                return self._rescued(memory, facts)
            case Ruled(policy="iteration_budget", ruling=Tell()):
                return replace(memory, words="")
            case _:
                return memory

    def _rescued(self, memory: Turns, facts: Facts) -> Turns:
        """One more turn for a model that was told that it repeats itself; once a turn, however many calls that is."""
        is_recorded = memory.decision.get("action") == "rescue" and memory.decision["iteration"] == facts.iteration
        if is_recorded or facts.iteration >= self.max:
            return memory
        limit = max(memory.limit, facts.iteration + 1)
        return self._recorded(memory, facts, "rescue", limit, "repeated_call")

    def _decided(self, memory: Turns, facts: Facts) -> Turns:
        if self.rules.rules:
            return self._by_rules(memory, facts)
        if self.mode == "fixed" or facts.iteration < memory.limit:
            return memory
        reason = self._reason(facts)
        if reason is None:
            return memory
        return self._extended(memory, facts, "extend", memory.limit + self.extend_by, reason)

    def _reason(self, facts: Facts) -> str | None:
        """Why an adaptive budget grows at its edge, or None where nothing speaks for it."""
        reasons = (
            ("completion_vetoed", facts.completion.vetoed),
            ("required_tools_missing", not facts.session.required_tools_satisfied),
            ("progress", facts.progress.turns_since_progressing < self.progress_window),
        )
        return next((reason for reason, holds in reasons if holds), None)

    def _by_rules(self, memory: Turns, facts: Facts) -> Turns:
        """The first rule that matches decides; one that cannot be read does not match."""
        state = replace(facts, budget=self.publish(memory))
        for match in self.rules.read(state, memory.answers):
            if match.ask is not None:
                return replace(memory, question=match.ask)
            problem = match.problem or _misfit(match.says)
            if problem:
                memory = replace(memory, problems={**memory.problems, match.at: problem})
                continue
            return self._obeyed(memory, facts, match)
        return memory

    def _obeyed(self, memory: Turns, facts: Facts, match: Match) -> Turns:
        says, reason = match.says, str(match.says.get("reason") or "loop_control")
        if "stop" in says:
            status = says["stop"]
            outcome = Outcome(status, reason, place=f"{RULES}[{match.at}]")
            stopped = replace(memory, stop=outcome)
            return self._recorded(stopped, facts, "stop", memory.limit, reason, status)
        if "extend_to" in says:
            return self._extended(memory, facts, "extend_to", says["extend_to"], reason)
        if "extend" in says:
            more = self.extend_by if says["extend"] is True else says["extend"]
            return self._extended(memory, facts, "extend", memory.limit + more, reason)
        return memory

    def _extended(self, memory: Turns, facts: Facts, action: str, target: int, reason: str) -> Turns:
        """A limit never passes the maximum, and an extension that adds nothing is none; nor is there any for a run that
        does not advance, where the author guards them.
        """
        limit = min(target, self.max)
        if limit <= memory.limit or (self.guards and facts.progress.no_net_advance):
            return memory
        words = fill(self.words, limit=limit, more=limit - memory.limit, reason=REASONS.get(reason, reason))
        extended = self._recorded(memory, facts, action, limit, reason)
        return replace(extended, words=words) if self.exposes else extended

    def _recorded(
        self, memory: Turns, facts: Facts, action: str, limit: int, reason: str, status: str | None = None
    ) -> Turns:
        decision = {
            "iteration": facts.iteration,
            "action": action,
            "old_limit": memory.limit,
            "new_limit": limit,
            "reason": reason,
            "status": status,
        }
        return replace(
            memory,
            limit=limit,
            extensions=memory.extensions + (limit > memory.limit),
            decisions=memory.decisions + 1,
            decision=decision,
        )

    def notes(self, before: Turns, after: Turns) -> tuple[Note, ...]:
        problems = self._new_problems(before, after) if after.problems else ()
        if after.decisions == before.decisions:
            return problems
        return (*problems, Note(event="loop_control_decision", fields=after.decision))

    def _new_problems(self, before: Turns, after: Turns) -> tuple[Note, ...]:
        known = before.problems if before.decided_in == after.decided_in else {}
        return tuple(self.rules.note(at, problem) for at, problem in after.problems.items() if at not in known)

    # --- rulings ---

    def review(self, memory: Turns, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Think) or proposal.is_last:
            return PASS
        if memory.question is not None:
            return memory.question
        if memory.stop is not None:
            return Stop(memory.stop)
        if proposal.turn > memory.limit:
            return Stop(self._exhausted(memory.limit))
        if memory.words:
            return Tell(Feedback("budget", memory.words, action="inform", source=NAME))
        return PASS

    def _exhausted(self, limit: int) -> Outcome:
        if limit == self.max:
            return Outcome("budget_exhausted", "max_iterations", place=self.place, detail=_turns(limit))
        detail = f"{_turns(limit)}; nothing spoke for more, up to {self.max}"
        return Outcome("budget_exhausted", "max_iterations", place=PLACE, detail=detail)


def _turns(number: int) -> str:
    return "1 turn" if number == 1 else f"{number} turns"


def _ended(memory: Turns, turn: int, facts: Facts) -> Turns:
    """What the run has cost when the turn ended, and nothing decided yet."""
    spent = round((facts.now - facts.started) * 1000)
    return replace(memory, decided_in=turn, wall_clock_ms=spent, cost_usd=facts.usage.cost_usd, answers={}, problems={})


def _misfit(says: Mapping[str, Any]) -> str:
    """What is wrong with a command that a function gave; rules of a spec are checked before."""
    status = says.get("stop")
    if status is None:
        return ""
    if not re.fullmatch(STATUS, status):
        return "its `stop` is no word in small letters"
    return f"its `stop` is `{status}`, which only the runtime may say" if status in RESERVED_STATUSES else ""
