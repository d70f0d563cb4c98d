"""rulebook: a spec's list of rules, compiled once and read in order against the facts of a run. Pure.

Nothing is decided here: whoever owns the list says what a match, a question or a failed expression means there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from agentspec.core.facts import ArtifactFacts, Facts
from agentspec.core.messages import ToolResult
from agentspec.core.orders import Note
from agentspec.core.rules.functions import WHO, read_command, state_of
from agentspec.core.rulings import Hold
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, activate, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import EMPTY

OWN = ("when", "python")  # the keys of a rule that say when it matches; the others say what follows


class Rule(NamedTuple):
    """One rule: `at` is its place in the list, from 0; `program` its condition, `function` who is asked instead."""

    at: int
    program: Program | None
    function: str | None
    says: Mapping[str, Any]


class Match(NamedTuple):
    """What reading a rule came to: it matches and `says` something, has a `problem`, or `ask` somebody first."""

    at: int
    says: Mapping[str, Any] = {}
    problem: str = ""
    ask: Hold | None = None


class Rulebook:
    """The rules of one place (`post_turn.when`), and the words with which a function may answer there."""

    def __init__(self, rules: Iterable[Mapping[str, Any]], place: str, verbs: Mapping[str, tuple[str, ...]]) -> None:
        self.place = place
        self.verbs = verbs
        self.rules = tuple(_compiled(at, rule, place) for at, rule in enumerate(rules))
        read = {word for rule in self.rules if rule.program is not None for word in rule.program.words}
        self.names = tuple(name for name in PLACES[place].names if name in read)

    def read(
        self, facts: Facts, answers: Mapping[int, Any], rules: Iterable[Rule] | None = None, **more: Any
    ) -> Iterator[Match]:
        """The rules that match, in order, each one read only when the next is asked for.

        `answers` are those of functions, by the place of their rule. A function that was not asked yet is a `Match`
        with `ask`, and what comes after it may change with its answer; when the time of the run is over none is asked.
        """
        values = {name: more[name] if name in more else getattr(facts, name) for name in self.names}
        names = activate(PLACES[self.place], EMPTY, values)
        for rule in self.rules if rules is None else rules:
            try:
                if rule.program is not None and not rule.program.evaluate(names):
                    continue
            except ExpressionError as error:
                yield Match(rule.at, problem=str(error))
                continue
            if rule.function is None:
                yield Match(rule.at, rule.says)
                continue
            if rule.at not in answers and _is_late(facts):
                yield Match(rule.at, problem=f"no time is left to ask `{rule.function}`")
                continue
            if rule.at not in answers:
                state = state_of(self.place, facts, **more)
                question = {"function": rule.function, "state": state, "rule": rule.at}
                yield Match(rule.at, ask=Hold(WHO, question))
                continue
            command = read_command(answers[rule.at], self.verbs)
            if command.problem:
                yield Match(rule.at, problem=command.problem)
            elif command.values:
                yield Match(rule.at, {**rule.says, **command.values})

    def decide(self, facts: Facts, answers: Mapping[int, Any], **more: Any) -> list[Match]:
        """What the rules come to: problems, and at the end the one that matches or asks, where one does."""
        found: list[Match] = []
        for match in self.read(facts, answers, **more):
            found.append(match)
            if not match.problem:
                break
        return found

    def note(self, at: int, problem: str) -> Note:
        """What the event stream hears of a rule that could not be read; rules count from 1 there."""
        return Note(event="expression_error", fields={"place": self.place, "rule": at + 1, "error": problem})


def _compiled(at: int, rule: Mapping[str, Any], place: str) -> Rule:
    when = rule.get("when")
    program = None if when is None else compile_expression(str(when), PLACES[place])
    says = {name: value for name, value in rule.items() if name not in OWN and not name.startswith("x-")}
    return Rule(at, program, rule.get("python"), says)


def _is_late(facts: Facts) -> bool:
    return facts.left.deadline is not None and facts.now >= facts.left.deadline


def artifacts(facts: Facts) -> ArtifactFacts:
    """The required files as rules see them: empty lists where none are required."""
    return facts.artifacts or ArtifactFacts()


def seen_result(result: ToolResult) -> dict[str, Any]:
    """The result of a call as rules see it."""
    return {
        "name": result.name,
        "ok": result.ok,
        "status": result.status,
        "text": result.text,
        "error": result.error.message if result.error is not None else None,
        "data": result.data,
    }
