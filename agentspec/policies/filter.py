"""filter: rules of the spec for each message of the view: leave it out, keep it, or show something else instead.

A rule that can't be evaluated keeps its message. A call never loses its result alone, and the task is never left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage, size_of
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.replies import estimate_tokens
from agentspec.core.rules.rulebook import Rulebook
from agentspec.core.rulings import PASS, SILENT, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.core.view import Edits, View, retold
from agentspec.spec.settings import Settings

WHEN = "context.filter.when"
PLACES = ("context.projection", "context.filter")  # both may hold such rules; those of the first are read first
ROLES = {SystemMessage: "system", UserMessage: "user", AssistantMessage: "assistant", ToolMessage: "tool"}


class Problem(Record, frozen=True):
    """A rule that could not be evaluated, told once; rules count from 1."""

    rule: int
    error: str


class Read(Record, frozen=True):
    """What the rules of one list come to for the messages of a request."""

    edits: Edits
    problems: tuple[Problem, ...] = ()


class Filter(Policy[tuple[Problem, ...]], frozen=True, gc=True):
    """One list of rules. Memory: what was found wrong with them."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 84
    claims: ClassVar = PLACES
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (Think,)
    announces: ClassVar = True

    place: str
    rules: Rulebook
    ages: bool  # whether a message is looked at again as it grows older

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:  # noqa: ARG003
        lists = {place: settings.get(place) for place in PLACES}
        return tuple(cls._made(place, rules) for place, rules in lists.items() if isinstance(rules, list))

    @classmethod
    def _made(cls, place: str, rules: list[Mapping[str, Any]]) -> Self:
        ages = any("message.age" in str(rule.get("when")) for rule in rules)
        return cls(place=place, rules=Rulebook(rules, WHEN, {}), ages=ages)

    @property
    def nth(self) -> int:
        return PLACES.index(self.place)

    @property
    def lens(self) -> str:
        """The name under which it shapes the view."""
        return self.place.rpartition(".")[2]

    def start(self) -> tuple[Problem, ...]:
        return ()

    def observe(self, memory: tuple[Problem, ...], event: Event | Notice, facts: Facts) -> tuple[Problem, ...]:
        match event:
            case Ruled(policy="filter", proposal=Think() as think, ruling=ruling) if ruling is SILENT:
                told = {problem.rule for problem in memory}
                new = [problem for problem in self._read(think, facts).problems if problem.rule not in told]
                return (*memory, *{problem.rule: problem for problem in reversed(new)}.values())
            case _:
                return memory

    def review(self, memory: tuple[Problem, ...], proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Think):
            return PASS
        read = self._read(proposal, facts)
        told = {problem.rule for problem in memory}
        if any(problem.rule not in told for problem in read.problems):
            return SILENT
        shaped = proposal.view.with_lens(self.lens, self.number + self.nth, read.edits)
        return PASS if shaped is proposal.view else Rewrite(replace(proposal, view=shaped))

    def notes(self, before: tuple[Problem, ...], after: tuple[Problem, ...]) -> tuple[Note, ...]:
        return tuple(self.rules.note(problem.rule, problem.error) for problem in after[len(before) :])

    def _read(self, think: Think, facts: Facts) -> Read:
        """What a rule has said of a message holds; of the others, earlier ones are read again where age counts."""
        start = 0 if self.ages else think.shown.position
        known = think.view.edits_of(self.lens)
        edits, problems = dict[int, Message | None](), list[Problem]()
        for place, message in _below(think.view, self.number + self.nth).walk(think.transcript, start):
            if message is None or place in known:
                continue
            for match in self.rules.read(facts, {}, message=_seen(message, place, len(think.transcript))):
                if match.problem:
                    problems.append(Problem(match.at, match.problem))
                elif match.says.get("drop"):
                    edits[place] = None
                elif match.says.get("replace") is not None:
                    edits[place] = retold(message, str(match.says["replace"]))
                break
        return Read({**known, **edits} if edits else known, tuple(problems))


def _below(view: View, number: int) -> View:
    """The view as the lenses below a number make it."""
    return replace(view, cut=None, lenses=tuple(lens for lens in view.lenses if lens.number < number))


def _seen(message: Message, place: int, count: int) -> dict[str, Any]:
    """The message as rules see it."""
    return {
        "role": ROLES[type(message)],
        "index": place,
        "age": count - 1 - place,
        "tokens": estimate_tokens(size_of(message)),
        "tool": message.name if isinstance(message, ToolMessage) else "",
    }
