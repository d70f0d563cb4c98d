"""progress: notice whether a turn got anywhere, so that a budget can grow with the work and not with the noise.

It only watches: it never speaks, refuses or stops.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Self, TypeVar

from msgspec.structs import replace

from agentspec.core.calls.canonical import call_key, result_digest, text_digest
from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts, ProgressFacts
from agentspec.core.policy import Notice, Policy, Stage, TurnAnswered, TurnSettled
from agentspec.core.record import Record
from agentspec.core.repeats.recent import Recent
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

KEPT = 256  # calls and results that are remembered; older ones are new again
FAILURES = 3  # the failure alike that says: nothing advances, where the author gives no number
GUARD = "execution.stall.repair_diagnostics.no_net_progress_extend"
READ_ONLY = ("none", "read")
UNRUN = ("unknown_tool", "invalid_arguments", "denied", "skipped")
# What differs between two failures alike: how long it took, and where things lay in memory.
PASSING = re.compile(r"\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds?)\b|0x[0-9a-fA-F]+")
END = 4_000  # characters of either end of a failure that are compared

Item = TypeVar("Item")


class Streak(Record, frozen=True):
    """The newest observation of one call or check, and how often it came in a row."""

    seen: str
    count: int


class Known(Record, frozen=True):
    """What the run knows: results by call, the newest of each call, checks that fail; and the facts of the turn."""

    results: Recent[int] = Recent()
    calls: Recent[Streak] = Recent()
    checks: dict[str, Streak] = {}
    turn: int = 0  # the last that was weighed
    failing: int = 0  # failures alike, in a row, of the check that ran last
    facts: ProgressFacts = ProgressFacts()


class Progress(Policy[Known], frozen=True):
    """Writes `facts.progress` for the turn that is settled.

    A call gives no information where it only read, went well, and the same call gave the same result before. Nothing
    advances where the check that ran last failed in the same way three times in a row, or as often as the guard of
    extensions says. A refusal in the same words as
    an earlier one is no call at all: the model could have known.
    """

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 5
    claims: ClassVar = (f"{GUARD}_after",)
    hears: ClassVar = (TurnAnswered, TurnSettled, Answered)
    publishes: ClassVar = "progress"

    failures: int = FAILURES

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        after = settings.whole(f"{GUARD}_after") if settings.flag(f"{GUARD}_guard") else None
        return cls(failures=after or FAILURES)

    def start(self) -> Known:
        return Known()

    def observe(self, memory: Known, event: Event | Notice, facts: Facts) -> Known:
        match event:
            case TurnAnswered() | TurnSettled() if event.turn != memory.turn:  # a veto tells the second a second time
                return _settled(memory, facts, self.failures, event.turn)
            case Answered(who="command", question={"argv": argv}, answer={"status": status} as answer):
                return _checked(memory, call_key("", argv), None if status == "ok" else str(answer.get("text")))
            case _:
                return memory

    def publish(self, memory: Known) -> ProgressFacts:
        return memory.facts


def _settled(known: Known, facts: Facts, failures: int, turn: int) -> Known:
    """What is known after this turn, and what it was worth."""
    made, has_news, repeats, repeated = 0, False, 0, ""
    results, calls = known.results, known.calls
    for result in facts.results:
        key = call_key(result.name, None if result.status in UNRUN else result.arguments)
        digest = result_digest(result)
        is_known = key + digest in results
        results = results.put(key + digest, 1, most=KEPT)
        streak = _again(calls.get(key), digest)
        calls = calls.put(key, streak, most=KEPT)
        made += not (is_known and result.status in UNRUN)
        has_news |= not (is_known and result.ok and result.effect in READ_ONLY)
        if streak.count - 1 > repeats:
            repeats, repeated = streak.count - 1, result.name
        if result.effect == "process":
            known = _checked(known, key, None if result.ok else result.text)
    told = ProgressFacts(
        changed=made > 0 or facts.turn.text_chars > 0,
        no_net_advance=known.failing >= failures,
        no_information_gain=bool(facts.results) and not has_news,
        repeats=repeats,
        repeated_tool=repeated,
    )
    return replace(known, results=results, calls=calls, facts=_weighed(told, facts, known), turn=turn)


def _weighed(told: ProgressFacts, facts: Facts, known: Known) -> ProgressFacts:
    """The same, with how long nothing has progressed, and a line that says why."""
    is_progress = told.changed and not told.no_net_advance and not told.no_information_gain
    idle = 0 if is_progress else known.facts.turns_since_progressing + 1
    calls = len(facts.results)
    if told.no_net_advance:
        summary = f"the same check failed in the same way {known.failing} times"
    elif told.no_information_gain:
        summary = "every call repeated what was known"
    elif not told.changed:
        summary = "every call was refused as before" if calls else "nothing was done"
    else:
        summary = f"{calls} call{'s' * (calls != 1)}, {facts.turn.text_chars} characters of text"
    return replace(told, turns_since_progressing=idle, summary=summary)


def _checked(known: Known, check: str, failure: str | None) -> Known:
    """A check ran: it passed, or failed with these words."""
    checks = dict(known.checks)
    if failure is None:
        checks.pop(check, None)
        return replace(known, checks=checks, failing=0)
    streak = _again(checks.get(check), text_digest(PASSING.sub("", failure[:END] + failure[END:][-END:])))
    _keep(checks, check, streak)
    return replace(known, checks=checks, failing=streak.count)


def _again(streak: Streak | None, seen: str) -> Streak:
    return Streak(seen, streak.count + 1 if streak is not None and streak.seen == seen else 1)


def _keep(items: dict[str, Item], key: str, value: Item) -> None:
    """Put it last, and let the first go where there are too many."""
    items.pop(key, None)
    items[key] = value
    if len(items) > KEPT:
        del items[next(iter(items))]
