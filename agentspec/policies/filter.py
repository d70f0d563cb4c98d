"""filter: rules of the spec for each message of the view: leave it out, keep it, or show something else instead.

A rule that can't be evaluated keeps its message. A call never loses its result alone, and the task is never left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.context.view import Edits, View, in_place_of
from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match, Rulebook
from agentspec.core.rulings import PASS, SILENT, Hold, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.core.transcript import weight_of
from agentspec.spec.settings import Settings

WHEN = "context.filter.when"
PLACES = ("context.projection", "context.filter")  # both may hold such rules; those of the first are read first
VERBS: dict[str, tuple[str, ...]] = {"drop": ("true",), "keep": ("true",), "replace": ("text",)}
ROLES = {SystemMessage: "system", UserMessage: "user", AssistantMessage: "assistant", ToolMessage: "tool"}


class Problem(Record, frozen=True):
    """A rule that could not be evaluated, told once; rules count from 1."""

    rule: int
    error: str


class Heard(Record, frozen=True):
    """What was found wrong with the rules, and what functions have answered in this turn, by their rule and a place."""

    problems: tuple[Problem, ...] = ()
    answers: dict[str, Any] = {}


class Read(Record, frozen=True):
    """What the rules of one list come to for the messages of a request; `ask` where a function has to say it first."""

    edits: Edits
    problems: tuple[Problem, ...] = ()
    ask: Hold | None = None


class Filter(Policy[Heard], frozen=True, gc=True):
    """One list of rules."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 84
    claims: ClassVar = PLACES
    hears: ClassVar = (Ruled, Answered, TurnEnded)
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
        return cls(place=place, rules=Rulebook(rules, WHEN, VERBS), ages=ages)

    @property
    def nth(self) -> int:
        return PLACES.index(self.place)

    @property
    def lens(self) -> str:
        """The name under which it shapes the view."""
        return self.place.rpartition(".")[2]

    def start(self) -> Heard:
        return Heard()

    def observe(self, memory: Heard, event: Event | Notice, facts: Facts) -> Heard:
        match event:
            case Ruled(policy="filter", proposal=Think() as think, ruling=ruling) if ruling is SILENT:
                found = self._new(memory, self._read(memory, think, facts).problems)
                return replace(memory, problems=(*memory.problems, *found))
            case Answered(asker="filter", question=question, answer=answer) if question["list"] == self.place:
                key = _key(question["rule"], question["state"]["message"]["index"])
                return replace(memory, answers={**memory.answers, key: answer})
            case TurnEnded() if memory.answers:
                return replace(memory, answers={})
            case _:
                return memory

    def review(self, memory: Heard, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Think):
            return PASS
        read = self._read(memory, proposal, facts)
        if self._new(memory, read.problems):
            return SILENT
        if read.ask is not None:
            return read.ask
        shaped = proposal.view.with_lens(self.lens, self.number + self.nth, read.edits)
        return PASS if shaped is proposal.view else Rewrite(replace(proposal, view=shaped))

    def notes(self, before: Heard, after: Heard) -> tuple[Note, ...]:
        return tuple(self.rules.note(each.rule, each.error) for each in after.problems[len(before.problems) :])

    def _new(self, memory: Heard, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """The problems of rules that nobody has told of yet, the first of each."""
        told = {problem.rule for problem in memory.problems}
        return tuple({each.rule: each for each in reversed(problems) if each.rule not in told}.values())

    def _read(self, memory: Heard, think: Think, facts: Facts) -> Read:
        """What a rule has said of a message holds; of the others, earlier ones are read again where age counts."""
        start = 0 if self.ages else think.shown.position
        known = think.view.edits_of(self.lens)
        edits, problems = dict[int, Message | None](), list[Problem]()
        for place, message in _below(think.view, self.number + self.nth).walk(think.transcript, start):
            if message is None or place in known:
                continue
            match = self._match(memory, facts, place, message, len(think.transcript))
            if match is None:
                continue
            if match.ask is not None:
                ask = replace(match.ask, question={**match.ask.question, "list": self.place})
                return Read(known, tuple(problems), ask)
            if match.problem:
                problems.append(Problem(match.at, match.problem))
            elif match.says.get("drop"):
                edits[place] = None
            elif match.says.get("replace") is not None:
                edits[place] = in_place_of(message, str(match.says["replace"]))
        return Read({**known, **edits} if edits else known, tuple(problems))

    def _match(self, memory: Heard, facts: Facts, place: int, message: Message, count: int) -> Match | None:
        """What the first rule that speaks of a message says."""
        asked = ((rule.at, _key(rule.at, place)) for rule in self.rules.rules if rule.function is not None)
        answers = {at: memory.answers[key] for at, key in asked if key in memory.answers}
        return next(self.rules.read(facts, answers, message=_seen(message, place, count)), None)


def _key(rule: int, place: int) -> str:
    return f"{rule}.{place}"


def _below(view: View, number: int) -> View:
    """The view as the lenses below a number make it."""
    return replace(view, cut=None, lenses=tuple(lens for lens in view.lenses if lens.number < number))


def _seen(message: Message, place: int, count: int) -> dict[str, Any]:
    """The message as rules see it."""
    return {
        "role": ROLES[type(message)],
        "index": place,
        "age": count - 1 - place,
        "tokens": round(weight_of(message)),
        "tool": message.name if isinstance(message, ToolMessage) else "",
    }
