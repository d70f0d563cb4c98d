"""verify_completion: rules and commands that an end must pass, without a model. Rules first: they cost nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.judging.vetoes import decision_of, unverified, veto
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnStarted
from agentspec.core.proposals import End, Proposal
from agentspec.core.record import Record
from agentspec.core.rules.rulebook import Match, Rulebook, artifacts
from agentspec.core.rulings import PASS, Hold, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wordings
from agentspec.spec.settings import Settings

PLACE = "execution.verify_completion"
NAME = "verify_completion"
VERBS = {"veto": ("text", "true"), "accept": ("true",), "reason": ("text",)}
DEFAULT_TIMEOUT = 120.0
BROKEN_AT = "expression_error:"  # and the rule, and its problem: the category of such a veto
HOW = {"failed": "it failed", "timeout": "it did not end in time and was stopped"}


class Verified(Record, frozen=True):
    """Answers of commands and functions for the end that is proposed now, by rule, and the newest decision.

    `broken` is the rule that could not be evaluated then, and why.
    """

    answers: dict[int, Any] = {}
    decisions: int = 0
    decision: dict[str, Any] = {}
    broken: str = ""


class VerifyCompletion(Policy[Verified], frozen=True):
    """A rule that fails to evaluate is a veto, and so is a command that fails or hangs.

    A command that cannot be started has verified nothing, and will not at the next end either: the run ends unverified.
    """

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 62
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (Answered, Ruled, TurnStarted)
    reviews: ClassVar = (End,)
    announces: ClassVar = True

    rules: Rulebook
    timeout: float
    words: dict[str, str]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        rules = settings.get(PLACE)
        if not rules:
            return None
        timeout = settings.seconds("execution.tool_timeout") or DEFAULT_TIMEOUT
        return cls(
            rules=Rulebook(rules, "verify_completion.when", VERBS), timeout=timeout, words=wordings(settings, "gate")
        )

    def start(self) -> Verified:
        return Verified()

    def observe(self, memory: Verified, event: Event | Notice, facts: Facts) -> Verified:
        match event:
            case Answered(asker="verify_completion", question={"rule": index}, answer=answer):
                return replace(memory, answers={**memory.answers, index: answer})
            case Ruled(policy="verify_completion", ruling=Refuse() as refusal):
                decision = decision_of(NAME, refusal, facts)
                broken = refusal.category.removeprefix(BROKEN_AT)
                return Verified({}, memory.decisions + 1, decision, broken)
            case TurnStarted() | Ruled(proposal=End(), ruling=Refuse()):
                return replace(memory, answers={}) if memory.answers else memory
            case _:
                return memory

    def review(self, memory: Verified, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, End) or not proposal.is_gated:
            return PASS
        more = {"answer": proposal.answer, "artifacts": artifacts(facts)}
        conditions = [rule for rule in self.rules.rules if "command" not in rule.says]
        commands = [rule for rule in self.rules.rules if "command" in rule.says]
        first = next(self.rules.read(facts, memory.answers, conditions, **more), None)
        if first is not None:
            if "accept" not in first.says:
                return self._veto(first, facts)
            commands = [rule for rule in commands if rule.at < first.at]  # no later one is asked
        matches = self.rules.read(facts, memory.answers, commands, **more) if commands else ()
        rulings = (self._command(match, memory.answers, facts) for match in matches)
        return next((ruling for ruling in rulings if ruling != PASS), PASS)

    def _veto(self, match: Match, facts: Facts) -> Ruling:
        if match.ask is not None:
            return match.ask
        if match.problem:
            return self._broken(match, facts)
        words = match.says.get("veto")
        return veto(facts, words if isinstance(words, str) else self.words["veto"], source=NAME, place=_place(match))

    def _broken(self, match: Match, facts: Facts) -> Ruling:
        words = fill(self.words["rule"], number=match.at + 1, problem=match.problem)
        category = f"{BROKEN_AT}{match.at}:{match.problem}"
        return veto(facts, words, source=NAME, category=category, place=_place(match))

    def _command(self, match: Match, answers: Mapping[int, Any], facts: Facts) -> Ruling:
        if match.problem:
            return self._broken(match, facts)
        if match.at not in answers:
            return self._ask(match, facts)
        answer = answers[match.at] if isinstance(answers[match.at], Mapping) else {}
        argv, status, text = match.says["command"], answer.get("status"), str(answer.get("text", ""))
        if status == "ok":
            return PASS
        if status not in HOW:
            detail = f"`{argv[0]}` verified nothing: {text or 'it gave no answer'}"
            return unverified("verifier_failed", detail, _place(match))
        how = f"exit {answer['exit_code']}" if "exit_code" in answer else HOW[status]
        said = fill(self.words["command"], command=" ".join(argv), how=how, text=text or "it printed nothing")
        return veto(facts, said, source=NAME, place=_place(match))

    def _ask(self, match: Match, facts: Facts) -> Ruling:
        """A command has the time that it is given, and never more than the run has left."""
        timeout = float(match.says.get("timeout") or self.timeout)
        if facts.left.deadline is not None:
            timeout = min(timeout, facts.left.deadline - facts.now)
        argv = list(match.says["command"])
        if timeout <= 0.0:
            return unverified("verifier_failed", f"no time was left to run `{argv[0]}`", _place(match))
        question = {"rule": match.at, "argv": argv, "cwd": match.says.get("cwd", "."), "timeout": timeout}
        return Hold("command", question)

    def notes(self, before: Verified, after: Verified) -> tuple[Note, ...]:
        if after.decisions == before.decisions:
            return ()
        decision = Note(event="judge_decision", fields=after.decision)
        if not after.broken:
            return (decision,)
        at, _, problem = after.broken.partition(":")
        return self.rules.note(int(at), problem), decision


def _place(match: Match) -> str:
    return f"{PLACE}[{match.at}]"
