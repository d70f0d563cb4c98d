"""compacting: one compaction from its plan to its cut, as the strategy of a spec has it. Pure: it asks nobody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from agentspec.core.context.counted import Counted
from agentspec.core.context.fold import Fold, fold_of
from agentspec.core.context.keeping import Keeping, keeping_of
from agentspec.core.context.room import Room, rooms_of
from agentspec.core.context.tokens import tokens_of
from agentspec.core.context.told import digest
from agentspec.core.context.view import Cut
from agentspec.core.messages import Failure, UserMessage
from agentspec.core.models.patience import Tries
from agentspec.core.proposals import Think
from agentspec.core.record import Record
from agentspec.core.transcript import weight_of
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

Way: TypeAlias = Literal["", "summary", "truncate", "python", "deep", "emergency"]
Reason: TypeAlias = Literal["threshold", "hard_limit", "overflow"]
WAYS: dict[str, Way] = {
    "none": "",
    "truncate": "truncate",
    "summarize_middle": "summary",
    "summarize_all": "summary",
    "hybrid": "summary",
    "python": "python",
}
KEEP_LAST = 10  # messages, where the spec says nothing
DIGEST = 0.15  # the share of the threshold that a digest may have
GAIN = 0.1  # the share of the threshold that a pass must shed: one that sheds less would be due again at once;
CLEAR = 0.3  # and the share of the request, where what is fixed keeps it above the threshold all the same
SHRINK = 0.6  # the share of a refused request that is sent again, where nobody knows the window


class Planned(Record, frozen=True):
    """A pass that is being made, of a request of `estimate` tokens; `lines` are the digest of what it takes."""

    fold: Fold
    way: Way
    reason: Reason
    estimate: float
    lines: str
    room: Room


class Compacted(Record, frozen=True):
    """What a run knows of its window, and what it shows as one message.

    `notes` are the newest summary, which stands for the messages before `summarised`. `windows` are those that turned
    out to be smaller than was said, by route; `lowered` tells of the newest. `passes` are those of `turn`; `overflows`
    counts the refusals of the open call, of which `failure` is the newest. `made` tells of the newest of `count`
    compactions.
    """

    counted: Counted = Counted()
    windows: dict[int, int] = {}
    lowered: dict[str, Any] = {}
    cut: Cut | None = None
    notes: str = ""
    summarised: int = 0
    turn: int = 0
    passes: tuple[Way, ...] = ()
    planned: Planned | None = None
    tries: Tries = Tries()
    overflows: int = 0
    failure: Failure | None = None
    count: int = 0
    made: dict[str, Any] = {}


class Strategy(Record, frozen=True):
    """What a spec says of compaction. `note` and `digest` are the words around notes and lines."""

    name: str
    rooms: tuple[Room, ...]
    keeping: Keeping
    note: str
    digest: str
    keep_first: int = 0
    keep_last: int = KEEP_LAST
    function: str = ""

    @property
    def way(self) -> Way:
        """How a pass at the threshold is made."""
        return WAYS[self.name]

    def room(self, known: Compacted, route: int) -> Room:
        """The room that the requests of a route have."""
        return self.rooms[min(route, len(self.rooms) - 1)].within(known.windows.get(route))

    def planned(self, known: Compacted, think: Think, tools: float) -> Planned | None:
        """The next pass that is due before this request, and can be made; None where there is none."""
        estimate, room, ratio = think.tokens + tools, self.room(known, think.route), known.counted.ratio
        most = most_of(room, estimate, ratio)
        for reason, way in self._due(known, think, room, known.counted.expected(estimate)):
            fold = self._fold(think, room, estimate, way, ratio)
            if fold is None:
                continue
            for budget in (most, 0.0):  # lines of short messages can be longer than these: then they are only counted
                lines = self._lines(known, think, fold, budget)
                planned = Planned(fold=fold, way=way, reason=reason, estimate=estimate, lines=lines, room=room)
                if weight_of(self._message(known.notes, planned, most)) < fold.tokens:
                    return planned
        return None

    def is_overfull(self, known: Compacted, think: Think, tools: float) -> bool:
        """Whether a request for which no pass is left is not made."""
        if known.overflows:
            return known.overflows > 1 or "emergency" not in self._passes(known, think)
        room = self.room(known, think.route)
        if not self.way or room.is_learned or room.hard is None:
            return False
        return known.counted.expected(think.tokens + tools) > room.hard

    def compacted(self, known: Compacted, notes: str = "", fell_back: str = "") -> Compacted:
        """What is known after the planned pass, with these notes of a summariser or with a digest."""
        planned = known.planned
        assert planned is not None
        fold, most = planned.fold, most_of(planned.room, planned.estimate, known.counted.ratio)
        message = UserMessage(text=self._around(notes, fold)) if notes else self._message(known.notes, planned, most)
        if notes and weight_of(message) >= fold.tokens:
            notes, fell_back = "", "the summary is not used: it is no shorter than what it stands for"
            message = self._message(known.notes, planned, most)
        after = planned.estimate - fold.tokens + weight_of(message)
        return replace(
            known,
            cut=Cut(start=fold.start, end=fold.end, message=message, kept=fold.kept),
            notes=notes or known.notes,
            summarised=fold.end if notes else known.summarised,
            planned=None,
            tries=Tries(),
            count=known.count + 1,
            made=self._told(known, planned, after, fell_back) | {"strategy": self.name if notes else "truncate"},
        )

    def _told(self, known: Compacted, planned: Planned, after: float, fell_back: str) -> dict[str, Any]:
        """What is told of a compaction, but for how it was made in the end."""
        room, fold = planned.room, planned.fold
        return {
            "asked": self.name,
            "reason": planned.reason,
            "threshold": room.begins,
            "source": "default" if room.threshold is None else "spec",
            "window": room.window,
            "tokens_before": known.counted.expected(planned.estimate),
            "tokens_after": known.counted.expected(after),
            "start": fold.start,
            "end": fold.end,
            "messages": fold.end - fold.start - len(fold.kept),
            "policy": self.keeping.name or None,
            "instruction_source": self.keeping.source,
            "fell_back": fell_back or None,
        }

    # --- which pass is due, and what it takes

    def _passes(self, known: Compacted, think: Think) -> tuple[Way, ...]:
        return known.passes if known.turn == think.turn else ()

    def _due(self, known: Compacted, think: Think, room: Room, expected: int) -> Iterator[tuple[Reason, Way]]:
        """The passes that are due, the mildest first; each is made at most once a turn."""
        made = self._passes(known, think)
        if not self.way:
            return
        if known.overflows:
            if known.overflows == 1 and "emergency" not in made:
                yield "overflow", "emergency"
            return
        is_over = room.hard is not None and expected > room.hard
        if self.way not in made and room.begins is not None and expected > room.begins:
            yield "hard_limit" if is_over else "threshold", self.way
        if is_over and "deep" not in made:
            yield "hard_limit", "deep"

    def _fold(self, think: Think, room: Room, estimate: float, way: Way, ratio: float) -> Fold | None:
        """What a pass takes, or None where it would take too little to be worth it."""
        aim, is_deep = (room.begins or estimate * ratio) / ratio, way in ("deep", "emergency")
        shed = None if room.aim is None else estimate - room.aim / ratio
        if is_deep:
            least = min(aim, SHRINK * estimate) if way == "emergency" else aim
            shed = estimate - least + most_of(room, estimate, ratio)
        keep_first, keep_last = self.keep_first, self.keep_last
        fold = fold_of(
            think.transcript, think.view, keep_first=keep_first, keep_last=keep_last, shed=shed, is_deep=is_deep
        )
        if is_deep or fold is None:
            return fold
        is_enough = estimate - fold.tokens <= aim
        return fold if fold.tokens >= (GAIN * aim if is_enough else CLEAR * estimate) else None

    # --- the message in place of what is taken

    def _lines(self, known: Compacted, think: Think, fold: Fold, most: float) -> str:
        """A line for each of the messages that no summary stands for."""
        start = max(fold.start, known.summarised)
        places = [place for place in fold.taken if place < start]
        places += [place for place in range(start, fold.end) if place not in fold.kept]
        taken = think.view.uncut(think.transcript, places)
        return digest(taken, most - tokens_of(self._carried(known.notes, most)))

    def _message(self, notes: str, planned: Planned, most: float) -> UserMessage:
        """The digest, behind the summary of what came before it."""
        carried = self._carried(notes, most)
        lines = fill(self.digest, lines=planned.lines) if carried else planned.lines
        return UserMessage(text=self._around("\n\n".join(part for part in (carried, lines) if part), planned.fold))

    def _carried(self, notes: str, most: float) -> str:
        """A summary as a digest repeats it: half of the digest at most."""
        tokens = tokens_of(notes)
        return notes if tokens <= most / 2 else f"{notes[: int(len(notes) * most / 2 / tokens)]} …"

    def _around(self, notes: str, fold: Fold) -> str:
        told = f"{self.keeping.told}\n\n{notes}" if self.keeping.told else notes
        return fill(self.note, count=fold.end - fold.start - len(fold.kept), notes=told)


def most_of(room: Room, estimate: float, ratio: float) -> float:
    """The tokens that a digest may have, as they are estimated."""
    return DIGEST * (estimate if room.begins is None else room.begins / ratio)


def strategy_of(settings: Settings) -> Strategy:
    """How the spec wants long conversations to be made to fit."""
    given: Any = settings.get("context.compaction")
    own = given if isinstance(given, dict) else {"strategy": given}
    function = own.get("python") or ""
    name = "python" if function else own.get("strategy") or "hybrid"
    keep_last = own.get("keep_last")
    return Strategy(
        name=name,
        rooms=rooms_of(settings),
        keeping=keeping_of(settings),
        note=wording(settings, "compaction.note"),
        digest=wording(settings, "compaction.digest"),
        keep_first=own.get("keep_first") or 0,
        keep_last=0 if name == "summarize_all" else KEEP_LAST if keep_last is None else keep_last,
        function=function,
    )
