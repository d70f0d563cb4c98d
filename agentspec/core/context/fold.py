"""fold: which messages of a transcript a compaction shows as one. Pure: the same transcript gives the same cut.

A cut lies between whole turns: never between a call and its result, never within what a provider has signed. What was
said last by a person stays as it was said.
"""

from __future__ import annotations

from agentspec.core.context.view import View
from agentspec.core.messages import SystemMessage, ToolMessage, UserMessage
from agentspec.core.record import Record
from agentspec.core.transcript import Transcript, weight_of


class Fold(Record, frozen=True):
    """The messages from `start` to before `end`, less those `kept`, and about how many tokens a request has for them.

    `taken` are those that no earlier cut has taken, by their places.
    """

    start: int
    end: int
    kept: tuple[int, ...]
    taken: tuple[int, ...]
    tokens: float


def fold_of(
    transcript: Transcript,
    view: View,
    *,
    keep_first: int,
    keep_last: int,
    shed: float | None = None,
    is_deep: bool = False,
) -> Fold | None:
    """What to show as one message, or None where nothing is left that could be.

    All but the last `keep_last` messages are taken, or with `shed` the oldest that have so many tokens. With `is_deep`
    only the newest turn is sure to stay.
    """
    begin = _begin(transcript, keep_first)
    since = begin if view.cut is None else max(begin, view.cut.end)
    last = _newest(transcript) if is_deep else _whole(transcript, len(transcript) - keep_last)
    last = min(last, _spoken(transcript))
    end = last if shed is None else min(last, _after(transcript, since, shed))
    if end <= since:
        return None
    kept = _kept(transcript, view, begin, end)
    stayed = () if view.cut is None else view.cut.kept
    taken = tuple(place for place in (*stayed, *range(since, end)) if place not in kept)
    if not taken:
        return None
    tokens = transcript.tokens_before(end) - transcript.tokens_before(since)
    tokens += 0.0 if view.cut is None else weight_of(view.cut.message)
    for place in kept:
        tokens -= weight_of(transcript[place]) if place >= since else 0.0
    return Fold(start=begin, end=end, kept=kept, taken=taken, tokens=tokens)


def _begin(transcript: Transcript, keep_first: int) -> int:
    """Where what may be taken begins: behind the system text and the first messages that stay, and their results."""
    at = 0
    while at < len(transcript) and isinstance(transcript[at], SystemMessage):
        at += 1
    at = min(at + keep_first, len(transcript))
    while at < len(transcript) and isinstance(transcript[at], ToolMessage):
        at += 1
    return at


def _whole(transcript: Transcript, at: int) -> int:
    """The place at or before `at` where a turn begins."""
    at = max(0, at)
    while 0 < at < len(transcript) and isinstance(transcript[at], ToolMessage):
        at -= 1
    return at


def _newest(transcript: Transcript) -> int:
    """Where the newest turn of the model begins, with all that came after it."""
    return _whole(transcript, _spoken(transcript) - 1)


def _spoken(transcript: Transcript) -> int:
    """Behind the last message that is not a person's or the harness's."""
    at = len(transcript)
    while at > 0 and isinstance(transcript[at - 1], UserMessage):
        at -= 1
    return at


def _after(transcript: Transcript, since: int, shed: float) -> int:
    """The first place between turns before which so many tokens lie."""
    at = max(since + 1, min(len(transcript), transcript.reaching(transcript.tokens_before(since) + shed)))
    while at < len(transcript) and isinstance(transcript[at], ToolMessage):
        at += 1
    return at


def _kept(transcript: Transcript, view: View, begin: int, end: int) -> tuple[int, ...]:
    """What stays within a cut: the system texts, the task, and what a person said last."""
    fixed = {place for place in view.fixed if begin <= place < end}
    newest = next((at for at in range(len(transcript) - 1, begin - 1, -1) if type(transcript[at]) is UserMessage), end)
    return tuple(sorted(fixed | ({newest} if newest < end else set())))
