"""view: what a model is shown of a transcript: its messages, but for those that are left out or shown otherwise.

The transcript itself is never changed. Whoever shapes a view says what it wants; that calls keep their results, and
that the system text and the task stay, is seen to here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from agentspec.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from agentspec.core.record import Record
from agentspec.core.transcript import Transcript

Edits: TypeAlias = Mapping[int, Message | None]
Shown: TypeAlias = list[tuple[int, Message | None]]
NOTHING = object()  # no edit at all; None is one
MOST_TOLD = 100  # places that an event names
PROJECTION = "projection"  # takes away what was shown before; other lenses show a message otherwise from the start
UNTOLD = ("timestamps",)  # every message has its time: that is no news


class Lens(Record, frozen=True):
    """What one policy, `by`, shows otherwise: by the place of a message in the transcript, another one or None.

    Lenses of a lower `number` lie below: what they leave out no other one brings back.
    """

    by: str
    number: int
    edits: Edits


class Cut(Record, frozen=True):
    """Everything from `start` up to, not including, `end` is shown as this one message, whatever the lenses say.

    It parts no call from its result. The system text and the task within it, and the messages `kept`, are shown all the
    same.
    """

    start: int
    end: int
    message: Message
    kept: tuple[int, ...] = ()


class View(Record, frozen=True):
    """How a transcript is shown. One without lenses and cut shows it as it is.

    >>> View().with_lens("filter", 10, {1: None}).of(Transcript([UserMessage("a"), UserMessage("b")]))[0].text
    'a'
    """

    lenses: tuple[Lens, ...] = ()
    cut: Cut | None = None
    fixed: frozenset[int] = frozenset()  # what is always shown: the system text and the task

    def edits_of(self, by: str) -> Edits:
        """What this policy shows otherwise so far."""
        return next((lens.edits for lens in self.lenses if lens.by == by), {})

    def with_lens(self, by: str, number: int, edits: Edits) -> View:
        """The view with these edits of a policy in place of its earlier ones."""
        mine = self.edits_of(by)
        if edits is mine or edits == mine:
            return self
        if any(edits.get(place, NOTHING) is None for place in self.fixed):
            kept = {place: edit for place, edit in edits.items() if edit is not None or place not in self.fixed}
            return self.with_lens(by, number, kept)
        others = [lens for lens in self.lenses if lens.by != by]
        new = [Lens(by, number, edits)] if edits else []
        return replace(self, lenses=tuple(sorted([*others, *new], key=lambda lens: (lens.number, lens.by))))

    def with_cut(self, cut: Cut | None) -> View:
        """The view with this cut in place of an earlier one."""
        return replace(self, cut=cut)

    def last_of(self, transcript: Transcript, length: int) -> str:
        """The text of the last of the first `length` messages as the lenses show it, whatever a cut has taken since."""
        message = transcript[length - 1]
        return (self._seen(length - 1, message) or message).text

    def uncut(self, transcript: Transcript, places: Sequence[int]) -> list[Message]:
        """The messages in these places as the lenses show them, whatever a cut has taken: what others than the model
        may be shown of them. The first place is none between a call and its result.
        """
        wanted = frozenset(places)
        walked = replace(self, cut=None).walk(transcript, min(wanted, default=len(transcript)))
        return [message for place, message in walked if place in wanted and message is not None]

    def seen_once(self, transcript: Transcript) -> list[Message]:
        """The messages as each was shown when it came: what a projection or a cut takes was seen before."""
        lenses = tuple(lens for lens in self.lenses if lens.by != PROJECTION)
        return replace(self, lenses=lenses).uncut(transcript, range(len(transcript)))

    @property
    def is_plain(self) -> bool:
        """Whether everything is shown as it is."""
        return not self.lenses and self.cut is None

    def of(self, transcript: Transcript) -> list[Message]:
        """The messages that are shown of a transcript."""
        return [message for _, message in self.walk(transcript) if message is not None]

    def walk(self, transcript: Transcript, start: int = 0) -> Iterator[tuple[int, Message | None]]:
        """Every message from `start` on with its place, as it is shown, or None where it is left out.

        `start` is no place between a call and its result.
        """
        if self.is_plain:
            yield from enumerate(transcript.since(start), start)
            return
        for at, unit in units(transcript, start):
            yield from self._unit(at, unit)

    def _unit(self, at: int, unit: Sequence[Message]) -> Shown:
        """A message, or a reply with the results of its calls, as it is shown: each call with its result or neither."""
        shown = [self._at(place, message) for place, message in enumerate(unit, at)]
        if len(unit) < 2 or not isinstance(unit[0], AssistantMessage) or self._is_cut(at):
            return list(enumerate(shown, at))
        return list(enumerate(_paired(unit[0], unit, shown), at))

    def _is_cut(self, place: int) -> bool:
        return self.cut is not None and self.cut.start <= place < self.cut.end

    def _at(self, place: int, message: Message) -> Message | None:
        if self.cut is not None and self._is_cut(place) and not self._stays(place):
            return self.cut.message if place == self._summary_at else None
        return self._seen(place, message)

    def _seen(self, place: int, message: Message) -> Message | None:
        """The message through all lenses."""
        for lens in self.lenses:
            if place not in lens.edits:
                continue
            edited = lens.edits[place]
            if edited is None and place not in self.fixed:
                return None
            message = edited or message
        return message

    @property
    def _summary_at(self) -> int:
        """The place in which the message of the cut is shown: the first of it that is not fixed."""
        assert self.cut is not None
        return next(place for place in range(self.cut.start, self.cut.end) if not self._stays(place))

    def _stays(self, place: int) -> bool:
        return place in self.fixed or (self.cut is not None and place in self.cut.kept)


def units(transcript: Transcript, start: int = 0) -> Iterator[tuple[int, list[Message]]]:
    """The messages from `start` on with their places: each alone, but a reply with the results of its calls."""
    unit: list[Message] = []
    at = start
    for message in transcript.since(start):
        if unit and not isinstance(message, ToolMessage):
            yield at, unit
            at += len(unit)
            unit = []
        unit.append(message)
    if unit:
        yield at, unit


def retold(message: Message, text: str) -> Message:
    """The message with another text; one that its provider has signed stays as it is.

    >>> retold(UserMessage(text="a"), "b").text
    'b'
    """
    if isinstance(message, AssistantMessage):
        return message if message.extra else replace(message, text=text, raw="")
    return replace(message, text=text)


def in_place_of(message: Message, text: str) -> Message:
    """What is shown in the place of a message: these words, and none of its images.

    >>> from agentspec.core.messages import Picture
    >>> in_place_of(UserMessage("a", (Picture("5f", "image/png", 9),)), "b")
    UserMessage(text='b', pictures=())
    """
    told = retold(message, text)
    return replace(told, pictures=()) if isinstance(told, UserMessage | ToolMessage) and told.pictures else told


def _paired(reply: AssistantMessage, unit: Sequence[Message], shown: Sequence[Message | None]) -> list[Message | None]:
    """The same with every call beside its result.

    A reply that is left out takes its results with it; a result that is left out takes its call, and what then says
    nothing any more is left out as well. Of a reply that its provider signed no part is taken: all of it, or nothing.
    """
    first, results = shown[0], list(shown[1:])
    if first is not None and not isinstance(first, AssistantMessage):  # it stands for all of them
        return [first, *(None for _ in results)]
    if first is None or not any(results):
        is_silent = first is None or reply.extra or not reply.text.strip()
        words = None if is_silent else replace(reply, text=first.text if first else "", calls=(), raw="")
        return [words, *(None for _ in results)]
    if reply.extra:
        return [reply, *(message if kept is None else kept for kept, message in zip(results, unit[1:], strict=True))]
    kept_ids = {message.call_id for message in results if isinstance(message, ToolMessage)}
    calls = tuple(call for call in reply.calls if call.id in kept_ids)
    if first is not reply or len(calls) < len(reply.calls):
        first = replace(reply, text=first.text, calls=calls, raw="")
    return [first, *results]


class Projected(NamedTuple):
    """A transcript as a model is shown it, and the names of those who changed what it was shown before."""

    transcript: Transcript
    changed_by: tuple[str, ...] = ()


def project(recorded: Transcript, view: View, before: View, shown: Transcript) -> Projected:
    """What is shown of `recorded`, made by going on from what was `shown` in the view `before` where that is possible.

    What was shown stays the beginning of it unless the view of it has changed; then all is written anew.
    """
    known = shown.position
    changed_by = () if view is before else _changed_by(view, before, known)
    if view.is_plain:
        return Projected(recorded, changed_by)
    start, made = (0, Transcript()) if changed_by else (known, shown)
    for place, message in view.walk(recorded, start):
        made = made.skip() if message is None else made.append(message)
        assert made.position == place + 1
    return Projected(made, changed_by)


def told(view: View, before: View, known: int) -> Iterator[dict[str, Any]]:
    """What the event stream hears of each lens that has changed: the places that are left out, shown otherwise, or
    shown as they are again, and whether something that was shown before is among them.
    """
    for by in dict.fromkeys(lens.by for lens in (*before.lenses, *view.lenses)):
        old, edits = before.edits_of(by), view.edits_of(by)
        if edits is old or by in UNTOLD:
            continue
        new = [place for place, edit in edits.items() if old.get(place, NOTHING) != edit]
        yield {
            "by": by,
            "dropped": [place for place in new if edits[place] is None][:MOST_TOLD],
            "replaced": [place for place in new if edits[place] is not None][:MOST_TOLD],
            "restored": [place for place in old if place not in edits][:MOST_TOLD],
            "breaks_prefix": _differ(old, edits, known, _common_cut(view, before)),
        }


def _changed_by(view: View, before: View, known: int) -> tuple[str, ...]:
    """Who shows one of the first `known` messages otherwise than before."""
    names, cut = dict.fromkeys(lens.by for lens in (*before.lenses, *view.lenses)), _common_cut(view, before)
    changed = [name for name in names if _differ(before.edits_of(name), view.edits_of(name), known, cut)]
    return (*changed, *(("compaction",) if view.cut != before.cut else ()))


def _common_cut(view: View, before: View) -> Cut | None:
    """What neither of them shows, whatever their lenses say of it."""
    return view.cut if view.cut == before.cut else None


def _differ(one: Edits, other: Edits, known: int, cut: Cut | None) -> bool:
    if one is other:
        return False
    places = (place for place in one.keys() | other.keys() if place < known)
    seen = (place for place in places if cut is None or not cut.start <= place < cut.end or place in cut.kept)
    return any(one.get(place, NOTHING) != other.get(place, NOTHING) for place in seen)
