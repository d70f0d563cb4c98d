"""trips: what a run did so far, as far as it may repeat itself, and which repetitions are one too many.

Pure: what is done about a trip, and in which words, is the policy's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from agentspec.core.calls.canonical import text_digest
from agentspec.core.facts import Facts
from agentspec.core.messages import Reply, ToolCall
from agentspec.core.record import Record
from agentspec.core.repeats.memory import Calls, Repeat, Seen
from agentspec.core.rulings import Feedback

REJECTED = ("invalid_arguments", "unknown_tool", "denied")


class Numbers(NamedTuple):
    """How many are a trip, by pattern."""

    same_result: int
    same_error: int
    context_window_error: int
    ping_pong: int
    rejected_turns: int
    barren_reply: int
    same_diagnostic: int | None = None  # of a check that fails, whatever was edited in between; None: not watched
    diagnostics: int | None = None  # as many of them end the run


class Trip(Record, frozen=True):
    """One repetition too many; `keys` are the calls that repeat, where calls do."""

    pattern: str
    count: int
    threshold: int
    keys: tuple[str, ...] = ()


class Watched(Record, frozen=True):
    """What the run did so far.

    `touched` are the calls of the open turn, `reply` names its reply. `trips` are those of the turn that ended last.
    `armed` calls are not run when they come next; `rescued` ones were answered so in turn `rescued_in`. `told` waits to
    be told, `stuck` (a reason and its detail) to end the run.
    """

    calls: Calls = Calls()
    touched: tuple[str, ...] = ()
    reply: str = ""
    barren: str = ""
    barren_count: int = 0
    rejected_turns: int = 0
    turn: int = 0
    trips: tuple[Trip, ...] = ()
    trips_in_a_row: int = 0
    armed: tuple[str, ...] = ()
    rescued: tuple[str, ...] = ()
    rescued_in: int = 0
    told: tuple[Feedback, ...] = ()
    stuck: tuple[str, str] | None = None
    surroundings: str = ""  # the mark of the files whose change makes every call a new one
    looked_in: int = 0

    def see(self, key: str, call: ToolCall, seen: Seen) -> Watched:
        """A call has come to an end. One that brought something else than before is no longer under suspicion."""
        calls = self.calls.observe(key, call, seen, is_first_of_turn=key not in self.touched)
        touched = (*self.touched, key)
        if key not in self.armed and key not in self.rescued:
            return replace(self, calls=calls, touched=touched)
        if calls.by_key[key].runs > 1:
            return replace(self, calls=calls.changed(key, has_had_its_chance=True), touched=touched)
        armed, rescued = _without(self.armed, key), _without(self.rescued, key)
        return replace(self, calls=calls, touched=touched, armed=armed, rescued=rescued)

    def end_turn(self, turn: int, facts: Facts, numbers: Numbers) -> Watched:
        """The turn is over. A reply is barren where it called nothing and did not even propose to be done: an answer
        that was turned down is not, since whoever turns it down has a bound of its own.
        """
        results = facts.results
        rejected = self.rejected_turns + 1 if results and all(each.status in REJECTED for each in results) else 0
        barren = "" if results or facts.completion.vetoed else self.reply
        count = 0 if not barren else self.barren_count + 1 if barren == self.barren else 1
        trips = self._calls_that_trip(numbers)
        if rejected or count:
            trips += _turns_that_trip(rejected, count, numbers)
        return replace(
            self,
            touched=(),
            rejected_turns=rejected,
            barren=barren,
            barren_count=count,
            turn=turn,
            trips=tuple(trips),
            trips_in_a_row=self.trips_in_a_row + 1 if trips else 0,
        )

    def repeated(self) -> tuple[str, ...]:
        """The calls of the open turn that brought what they had brought in an earlier one."""
        return tuple([key for key, known in self._made() if known.turns > 1])

    def _made(self) -> list[tuple[str, Repeat]]:
        """The calls of the open turn that are remembered, each once."""
        by_key = self.calls.by_key
        touched = self.touched if len(self.touched) < 2 else dict.fromkeys(self.touched)
        return [(key, known) for key in touched if (known := by_key.get(key)) is not None]

    def _calls_that_trip(self, numbers: Numbers) -> list[Trip]:
        trips = [trip for key, known in self._made() if (trip := _trip_of(key, known, numbers)) is not None]
        cycles = self.calls.alternations // 2
        if not trips and self.touched and cycles >= numbers.ping_pong:
            return [Trip("ping_pong", cycles, numbers.ping_pong, self.calls.pair)]
        return trips

    def begin_anew(self) -> Watched:
        """A person has said something, or the files have changed: what comes next may well be an old call."""
        return Watched(
            calls=Calls(repeated=self.calls.repeated),
            reply=self.reply,
            turn=self.turn,
            rescued_in=self.rescued_in,
            surroundings=self.surroundings,
            looked_in=self.looked_in,
        )

    def look(self, turn: int, surroundings: str) -> Watched:
        """The files were looked at before this turn; a change of them begins every count anew."""
        is_change = self.surroundings not in ("", surroundings)
        return replace(self.begin_anew() if is_change else self, surroundings=surroundings, looked_in=turn)


def _trip_of(key: str, known: Repeat, numbers: Numbers) -> Trip | None:
    if numbers.diagnostics is not None and known.failures >= numbers.diagnostics:
        most, count, pattern = numbers.diagnostics, known.failures, "no_net_progress"
    elif known.failures and numbers.same_diagnostic is not None:  # it takes the place of the patterns below
        most, count, pattern = numbers.same_diagnostic, known.failures, "same_diagnostic"
    else:
        most, count, pattern = getattr(numbers, known.pattern), known.turns, known.pattern
    return Trip(pattern, count, most, (key,)) if count >= most else None


def _turns_that_trip(rejected: int, barren: int, numbers: Numbers) -> Iterator[Trip]:
    """`rejected` and `barren` are counted from 1; no number of these is lower."""
    if rejected >= numbers.rejected_turns:
        yield Trip("rejected_turns", rejected, numbers.rejected_turns)
    if barren >= numbers.barren_reply:
        yield Trip("barren_reply", barren, numbers.barren_reply)


def digest_of(reply: Reply) -> str:
    """The name of a reply without calls, for comparing it with the one before; one with calls has none."""
    return "" if reply.calls else text_digest((reply.raw or reply.text).strip())


def _without(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return tuple(other for other in keys if other != key)
