"""routes: which of a spec's models answers a turn: the first whose rule holds, else the default. It makes no call.

The rules are read before every request, attempts included; the choice is part of the order, so a journal holds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event, ModelFailed, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match, Rulebook
from agentspec.core.rulings import PASS, SILENT, Refuse, Rewrite, Ruling, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.routes import DEFAULT, routes_of
from agentspec.spec.settings import Settings

PLACE = "model.routes"
VERBS: dict[str, tuple[str, ...]] = {"use": ("true",)}
Problems = tuple[tuple[int, str], ...]


class Seen(Record, frozen=True):
    """What rules see beside the facts: why the last call failed, and whether the last judge asked for another model.

    `answers` are those of functions, and `problems` what is wrong with rules, both of the open turn.
    """

    error: str = ""
    escalates: bool = False
    answers: dict[int, Any] = {}
    problems: Problems = ()


class Routes(Policy[Seen], frozen=True):
    """Routes in order, cheap ones by default and strong ones by rule: the first that holds answers."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 5  # before limits, which reserve at the price of the route
    claims: ClassVar = (f"{PLACE}.*.label", f"{PLACE}.*.when", f"{PLACE}.*.python")
    hears: ClassVar = (ModelFailed, ModelReplied, Answered, Ruled, TurnEnded)
    reviews: ClassVar = (Think,)
    announces: ClassVar = True

    rules: Rulebook
    numbers: tuple[int, ...]  # of the routes, in the order of their rules
    task: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        routes = routes_of(settings.get("model"))
        if len(routes) == 1:
            return None
        written = sorted((route for route in routes if route.key == "routes"), key=lambda route: route.at or 0)
        reasoning = settings.get("model.reasoning")
        task = reasoning.get("task") if isinstance(reasoning, Mapping) else None
        return cls(
            rules=Rulebook([route.rule for route in written], "model.routes.when", VERBS),
            numbers=tuple(route.number for route in written),
            task=task or "",
        )

    def start(self) -> Seen:
        return Seen()

    def observe(self, memory: Seen, event: Event | Notice, facts: Facts) -> Seen:
        match event:
            case ModelFailed(failure=failure):
                return replace(memory, error=failure.category, answers={}, problems=())
            case ModelReplied() if memory.error:
                return replace(memory, error="")
            case Answered(asker="routes", question={"rule": at}, answer=answer):
                return replace(memory, answers={**memory.answers, at: answer})
            case Ruled(policy="routes", ruling=Tell(), proposal=Think() as think):
                return replace(memory, problems=self._read(memory, think, facts)[1])
            case Ruled(ruling=Refuse(verdict=verdict, escalates=escalates)) if verdict:
                return replace(memory, escalates=escalates)
            case TurnEnded() if memory.answers or memory.problems:
                return replace(memory, answers={}, problems=())
            case _:
                return memory

    def review(self, memory: Seen, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Think):
            return PASS
        if facts.stand_in is not None:
            return Rewrite(replace(proposal, route=facts.stand_in))
        match, problems = self._read(memory, proposal, facts)
        if problems != memory.problems:
            return SILENT
        if match is not None and match.ask is not None:
            return match.ask
        route = DEFAULT if match is None else self.numbers[match.at]
        return PASS if route == proposal.route else Rewrite(replace(proposal, route=route))

    def _read(self, memory: Seen, think: Think, facts: Facts) -> tuple[Match | None, Problems]:
        """The rule that holds, or that asks a function first; and what is wrong with those before it."""
        found = self.rules.decide(
            facts,
            memory.answers,
            attempt=think.attempt,
            reasoning_task=self.task,
            last_error={"class": memory.error},
            last_verdict={"escalate": memory.escalates},
        )
        problems = tuple((match.at, match.problem) for match in found if match.problem)
        return next((match for match in found if not match.problem), None), problems

    def notes(self, before: Seen, after: Seen) -> tuple[Note, ...]:
        new = [found for found in after.problems if found not in before.problems]
        return tuple(self.rules.note(at, problem) for at, problem in new)
