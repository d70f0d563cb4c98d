"""memory: what is remembered of the calls of a run to see that one brings nothing new any more.

Pure counting over short names (`canonical`); how much repetition is too much is decided elsewhere.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from agentspec.core.messages import ToolCall
from agentspec.core.record import Record
from agentspec.core.repeats.recent import Recent

CALLS_KEPT = 128  # different calls that are remembered, those that were made last
PAST_KEPT = 4  # earlier observations of one call
SHOWN = 120  # characters of arguments that may be shown

CONTEXT_WINDOW = ("context window", "context length", "context_length", "maximum context", "context overflow")


class Seen(Record, frozen=True):
    """What came of one call: `digest` names its whole text, `text` is what there is of it.

    `is_edit` where it changed something, `is_check` where running it again after an edit is a new question,
    `is_failing` where it was a check that failed. `has_run` unless it was refused before it could.
    """

    status: str
    digest: str
    text: str
    is_edit: bool = False
    is_check: bool = False
    is_failing: bool = False
    has_run: bool = True


class Repeat(Record, frozen=True):
    """A call, and in how many turns in a row it has brought the same (`turns`): a model that asks twice in one reply
    has not been told between.

    `runs` counts all times that it brought the same in that row, `asked` also those when it was not run. `past` are
    earlier observations, `edits` the number of edits that the run had made when the call ran last. `failures` counts
    the failures alike of a check, whatever was edited in between.
    """

    name: str
    arguments: str
    observation: str
    pattern: str
    turns: int = 1
    runs: int = 1
    asked: int = 1
    notes: int = 0
    edits: int = 0
    failures: int = 0
    past: tuple[str, ...] = ()
    has_run: bool = True
    has_had_its_chance: bool = False  # it was let run once more, since something was edited in between


class Calls(Record, frozen=True):
    """The calls of a run by their keys, those that were made last.

    `pair` are the last two calls; `alternations` how often one of two has followed the other without anything new.
    """

    by_key: Recent[Repeat] = Recent()
    pair: tuple[str, ...] = ()
    alternations: int = 0
    edits: int = 0
    repeated: int = 0

    def observe(self, key: str, call: ToolCall, seen: Seen, *, is_first_of_turn: bool = True) -> Calls:
        """The calls with one more. It repeats what was seen of it last, or begins a new row."""
        known = self.by_key.get(key)
        observation = f"{seen.status} {seen.digest}"
        is_asked_anew = known is not None and seen.is_check and self.edits > known.edits
        if known is None:
            entry = Repeat(call.name, call.arguments[:SHOWN], observation, _pattern(seen), edits=self.edits)
        elif known.observation == observation and not is_asked_anew:
            turns = known.turns + is_first_of_turn
            entry = replace(known, turns=turns, runs=known.runs + 1, asked=known.asked + 1, edits=self.edits)
        else:
            past = (*known.past, known.observation)[-PAST_KEPT:]
            entry = Repeat(known.name, known.arguments, observation, _pattern(seen), notes=known.notes, past=past)
            entry = replace(entry, edits=self.edits)
        if entry.has_run is not seen.has_run:
            entry = replace(entry, has_run=seen.has_run)
        if seen.is_failing:
            is_alike = known is not None and known.observation == observation
            entry = replace(entry, failures=known.failures + 1 if known is not None and is_alike else 1)
        is_new = observation not in (known.past if known is not None else ()) and entry.runs == 1
        return Calls(
            by_key=self.by_key.put(key, entry, most=CALLS_KEPT),
            pair=(*self.pair, key)[-2:],
            alternations=self.alternations + 1 if self._alternates(key) and not is_new else 0,
            edits=self.edits + (seen.is_edit and entry.runs == 1),
            repeated=self.repeated + (entry.runs > 1),
        )

    def changed(self, key: str, **fields: Any) -> Calls:
        """The calls with these fields of one of them changed; as they are where it is no longer remembered."""
        known = self.by_key.get(key)
        if known is None:
            return self
        return replace(self, by_key=self.by_key.put(key, replace(known, **fields), most=CALLS_KEPT))

    def _alternates(self, key: str) -> bool:
        return len(self.pair) == 2 and self.pair[0] == key != self.pair[1]


def _pattern(seen: Seen) -> str:
    """How a repetition of this is called."""
    if seen.status == "ok":
        return "same_result"
    words = seen.text[:1000].lower()
    return "context_window_error" if any(phrase in words for phrase in CONTEXT_WINDOW) else "same_error"
