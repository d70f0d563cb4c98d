"""stall: see that a run goes round in circles, say so, rescue it once, then end it as stuck.

What counts is evidence: a call whose result changes is no repetition, however often it is made. Every number that is
told is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.canonical import key_of, result_digest, text_digest
from agentspec.core.events import Answered, Event, ModelReplied, Resumed, ToolReturned, UserSaid
from agentspec.core.facts import Facts, StallFacts
from agentspec.core.messages import ToolCall, ToolResult
from agentspec.core.orders import Note, Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded
from agentspec.core.proposals import Act, Admit, Proposal, Think
from agentspec.core.repeats.memory import Calls, Repeat, Seen
from agentspec.core.repeats.trips import Numbers, Trip, Watched, digest_of
from agentspec.core.rulings import PASS, Feedback, Hold, Refuse, Ruling, Stop, Supply, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wordings
from agentspec.spec.settings import Settings

PLACE = "execution.stall"
KEYS = (
    *("threshold", "stuck_limit", "max_notes", "rescue", "inject_feedback", "repeat_same_error", "ping_pong_cycles"),
    *("repeat_context_window_error", "repeat_parse_rejection", "hard_stop_after_trips", "exempt_tools"),
    *("include_arguments", "fingerprint"),
    *(f"repair_diagnostics.{name}" for name in ("repair_aware", "stuck_same_diagnostic_after", "post_edit_reverify")),
    "repair_diagnostics.no_net_progress_hard_cap_after",
)
RESCUE = "rescue"
REPEATED = "repeated_call"
NOT_SEEN = ("skipped", "deferred", "cancelled", "unknown_outcome")

TOLD = ("ping_pong", "same_diagnostic", "rejected_turns")  # trips that have words of their own
AGAIN = "was asked for {asked} times, and it brought the same {count} times"
NOTHING_NEW = "has brought nothing new for some time"


class Stall(Policy[Watched], frozen=True):
    """Decides when a turn has ended, and acts before the next; so that a turn which completes the run is never late."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 15
    claims: ClassVar = tuple(f"{PLACE}.{key}" for key in KEYS)
    hears: ClassVar = (ModelReplied, ToolReturned, Answered, UserSaid, Resumed, Ruled, TurnEnded)
    reviews: ClassVar = (Think, Admit, Act)
    publishes: ClassVar = "stall"
    announces: ClassVar = True

    numbers: Numbers
    words: dict[str, str]
    max_notes: int = 1
    rescues: bool = True
    tells: bool = True
    hard_stop: int = 3
    exempt: tuple[str, ...] = ()
    shows_arguments: bool = False
    asks_anew: bool = True  # a check after an edit is no repeat
    paths: tuple[str, ...] = ()

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        given: Any = settings.get(PLACE)
        if given is False:
            return None
        own: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        limit = own.get("stuck_limit")
        most = own.get("threshold", 3) if limit is None else max(1, limit + 1)
        repair: Mapping[str, Any] | None = own.get("repair_diagnostics")
        return cls(
            numbers=Numbers(
                same_result=most,
                same_error=own.get("repeat_same_error", 3) if limit is None else most,
                context_window_error=own.get("repeat_context_window_error", 2),
                ping_pong=own.get("ping_pong_cycles", 6),
                rejected_turns=own.get("repeat_parse_rejection", 2),
                barren_reply=most,
                same_diagnostic=_same_diagnostic(repair),
                diagnostics=None if repair is None else repair.get("no_net_progress_hard_cap_after", 16),
            ),
            words=wordings(settings, "stall"),
            max_notes=own.get("max_notes", 1),
            rescues=own.get("rescue", True),
            tells=own.get("inject_feedback", True),
            hard_stop=own.get("hard_stop_after_trips", 3),
            exempt=tuple(own.get("exempt_tools") or ()),
            shows_arguments=own.get("include_arguments", False),
            paths=tuple(own.get("fingerprint") or ()),
            asks_anew=repair is None or repair.get("post_edit_reverify", True),
        )

    def start(self) -> Watched:
        return Watched()

    def observe(self, memory: Watched, event: Event | Notice, facts: Facts) -> Watched:
        match event:
            case ModelReplied():
                reply = digest_of(event.reply)
                return memory if reply == memory.reply else replace(memory, reply=reply)
            case ToolReturned(call=call, result=result) if result.status not in NOT_SEEN:
                return self._see(memory, call, self._seen(result))
            case TurnEnded():
                return self._close(memory.end_turn(event.turn, facts, self.numbers), memory.repeated())
            case Ruled(policy="stall"):
                return self._remember(memory, event, facts)
            case Ruled(proposal=Admit(call=call) | Act(call=call), ruling=Refuse() as refusal) if (
                refusal.status not in NOT_SEEN
            ):
                seen = Seen(refusal.status, text_digest(refusal.reason), refusal.reason, has_run=False)
                return self._see(memory, call, seen)
            case Ruled(proposal=Act(call=call), ruling=Supply(text=text)):
                return self._see(memory, call, Seen("ok", text_digest(text), text))
            case Answered(asker="stall"):
                return memory.look(facts.iteration + 1, str(event.answer))
            case UserSaid() | Resumed(message=str()):
                return memory.begin_anew()
            case _:
                return memory

    def _seen(self, result: ToolResult) -> Seen:
        is_check = result.effect == "process"
        return Seen(
            result.status,
            result_digest(result),
            result.text,
            is_edit=result.ok and result.effect == "write",
            is_check=is_check and self.asks_anew,
            is_failing=is_check and _fails(result),
        )

    def _see(self, memory: Watched, call: ToolCall, seen: Seen) -> Watched:
        return memory if call.name in self.exempt else memory.see(key_of(call), call, seen)

    def _remember(self, memory: Watched, ruled: Ruled, facts: Facts) -> Watched:
        """What this policy itself has ruled."""
        match ruled.ruling, ruled.proposal:
            case Tell(), _:
                return replace(memory, told=memory.told[1:])
            case Stop(), _:
                return replace(memory, stuck=None, trips_in_a_row=0, barren_count=0)
            case Refuse(category=category), Admit(call=call) | Act(call=call):
                key = key_of(call)
                known = memory.calls.by_key.get(key)
                if known is None:
                    return memory
                memory = replace(memory, calls=memory.calls.changed(key, asked=known.asked + 1))
                if category == RESCUE:
                    rescued = (*memory.rescued, *memory.armed)
                    return replace(memory, armed=(), rescued=rescued, rescued_in=facts.iteration)
                return replace(memory, stuck=(REPEATED, self._explain(memory.calls, (key,))))
            case _:
                return memory

    def _close(self, memory: Watched, repeated: tuple[str, ...]) -> Watched:
        """What repeats is told; the first trip of a call is answered with a rescue, a later one with the end."""
        if repeated or memory.trips or memory.barren_count > 1:
            memory = self._note(memory, repeated)
        if memory.stuck is not None or not memory.trips:
            return memory
        repeating = tuple(dict.fromkeys(key for trip in memory.trips for key in trip.keys))
        if memory.barren_count >= self.numbers.barren_reply:
            return self._close_barren(memory)
        if (hopeless := next((trip for trip in memory.trips if trip.pattern == "no_net_progress"), None)) is not None:
            detail = f"{self._names(memory.calls, hopeless.keys)} failed alike {hopeless.count} times"
            return replace(memory, stuck=("thrash", detail))
        is_rescue = self.rescues and memory.rescued_in == 0 and (not memory.armed or set(repeating) <= {*memory.armed})
        if repeating and not is_rescue:
            return replace(memory, stuck=(REPEATED, self._explain(memory.calls, repeating)))
        if memory.trips_in_a_row >= self.hard_stop:
            return replace(memory, stuck=("thrash", _thrash(memory)))
        return replace(memory, armed=repeating or memory.armed)

    def _close_barren(self, memory: Watched) -> Watched:
        """Nothing can be left unrun here: the rescue is one more turn, in which the model knows that it is the last."""
        if not self.rescues or memory.rescued_in or memory.armed:
            return replace(memory, stuck=("barren_reply", _replies(memory.barren_count)))
        told = Feedback("stall", fill(self.words["last_reply"], count=memory.barren_count), source="stall")
        return replace(memory, rescued_in=memory.turn, told=(*memory.told, told) if self.tells else memory.told)

    def _note(self, memory: Watched, repeated: tuple[str, ...]) -> Watched:
        """Each call of the turn that repeats is named back, `max_notes` times at most."""
        calls, told = memory.calls, []
        for key in repeated:
            known = calls.by_key[key]
            if known.notes < self.max_notes:
                calls = calls.changed(key, notes=known.notes + 1)
                told.append(fill(self.words["same"], call=self._named(known, key), count=known.runs))
        told += [
            fill(self.words[trip.pattern], calls=self._names(calls, trip.keys), count=trip.count)
            for trip in memory.trips
            if trip.pattern in TOLD and trip.count == trip.threshold
        ]
        if memory.barren_count == 2 and self.max_notes:
            told.append(fill(self.words["barren"], count=memory.barren_count))
        new = tuple(Feedback("stall", words, source="stall") for words in told) if self.tells else ()
        return replace(memory, calls=calls, told=(*memory.told, *new))

    def review(self, memory: Watched, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Think():
                return PASS if proposal.is_last else self._before_request(memory, proposal.turn)
            case Admit() | Act() if memory.armed or memory.rescued:
                return self._review_call(memory, proposal, facts)
            case _:
                return PASS

    def _before_request(self, memory: Watched, turn: int) -> Ruling:
        if self.paths and memory.looked_in < turn:
            return Hold("fingerprint", list(self.paths))
        if memory.stuck is not None:
            reason, detail = memory.stuck
            return Stop(Outcome("stuck", reason, place=PLACE, detail=detail))
        return Tell(memory.told[0]) if memory.told else PASS

    def _review_call(self, memory: Watched, proposal: Admit | Act, facts: Facts) -> Ruling:
        """One that has run may be worth it after an edit of this turn: it is looked at when it would run."""
        key = key_of(proposal.call)
        known = memory.calls.by_key.get(key)
        if known is None or known.has_run != isinstance(proposal, Act) or key not in (*memory.armed, *memory.rescued):
            return PASS
        if known.edits < memory.calls.edits and not known.has_had_its_chance:
            return PASS  # something was edited since it ran: it may well bring something else now
        is_rescue = key in memory.armed or memory.rescued_in == facts.iteration
        why = _why(known, known.asked + 1)
        words = fill(self.words["not_run"], call=self._named(known, key), why=why)
        return Refuse(words, status="skipped", category=RESCUE if is_rescue else REPEATED)

    def publish(self, memory: Watched) -> StallFacts:
        return StallFacts(repeated_tool_calls=memory.calls.repeated, is_stalled=bool(memory.trips))

    def notes(self, before: Watched, after: Watched) -> tuple[Note, ...]:
        """A `stall_warning` for each trip of the turn that has just ended."""
        if after.turn == before.turn or not after.trips:
            return ()
        return tuple(Note(event="stall_warning", fields=self._warning(after, trip)) for trip in after.trips)

    def _warning(self, memory: Watched, trip: Trip) -> dict[str, Any]:
        known = [memory.calls.by_key[key] for key in trip.keys]
        fields: dict[str, Any] = {
            "iteration": memory.turn,
            "pattern": trip.pattern,
            "tools": [entry.name for entry in known],
            "signatures": list(trip.keys),
            "count": trip.count,
            "threshold": trip.threshold,
            "consecutive_trips": memory.trips_in_a_row,
            "hard_stop": memory.stuck is not None,
        }
        return fields | {"arguments": [entry.arguments for entry in known]} if self.shows_arguments else fields

    def _named(self, entry: Repeat, key: str) -> str:
        shown = entry.arguments if self.shows_arguments else f"#{key[:6]}"
        return f"`{entry.name}` with the same arguments ({shown})"

    def _names(self, calls: Calls, keys: Iterable[str]) -> str:
        return " and ".join(self._named(calls.by_key[key], key) for key in keys)

    def _explain(self, calls: Calls, keys: tuple[str, ...]) -> str:
        known = [(calls.by_key[key], key) for key in keys]
        return "; ".join(f"{self._named(entry, key)} {_why(entry, entry.asked)}" for entry, key in known)


def _why(entry: Repeat, asked: int) -> str:
    return AGAIN.format(asked=asked, count=entry.runs) if entry.runs > 1 else NOTHING_NEW


def _same_diagnostic(repair: Mapping[str, Any] | None) -> int | None:
    if repair is None or not repair.get("repair_aware", False):
        return None
    return int(repair.get("stuck_same_diagnostic_after", 3))


def _fails(result: ToolResult) -> bool:
    """Whether a check says no: it failed, or its program ended with another number than 0."""
    code = result.data.get("exit_code") if isinstance(result.data, dict) else None
    return not result.ok or code not in (None, 0)


def _replies(count: int) -> str:
    return f"{count} replies in a row were the same, called no tool and did not finish the task"


def _thrash(memory: Watched) -> str:
    patterns = ", ".join(dict.fromkeys(trip.pattern for trip in memory.trips))
    return f"{memory.trips_in_a_row} turns in a row only repeated what had come to nothing ({patterns})"
