"""projection: which messages of a transcript are of no use any more, by a strategy. Pure: places in, edits out.

What the model has not answered yet is never touched, nor the last messages that are to stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from agentspec.core.calls.arguments import parse
from agentspec.core.context.told import digest
from agentspec.core.context.view import Edits, in_place_of, units
from agentspec.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agentspec.core.record import Record
from agentspec.core.transcript import Transcript
from agentspec.spec.prompts import fill

FAILED = frozenset(("error", "invalid_arguments", "unknown_tool", "denied"))  # and surely did nothing that counts
REFERENCE = 4  # characters of an argument that may be a reference; a shorter one stands in every text
GAIN = 0.1  # the share of the conversation that has to be of no use before it goes: each time costs a prompt cache


STEP = 10  # messages that come to a digest together, for the same reason
DIGEST = 2_000.0  # tokens of one


class Conversation(NamedTuple):
    """What a strategy looks at: all that is recorded, what was shown otherwise so far, what is always shown, and the
    notes that the model keeps.
    """

    transcript: Transcript
    before: Edits = {}
    fixed: frozenset[int] = frozenset()
    notes: str = ""


Strategy: TypeAlias = Callable[["Projection", Conversation], Edits]


class Projection(Record, frozen=True):
    """A strategy with its options; `changing` are tools that may change something, `gone` and `digest` are words."""

    strategy: str
    keep_last: int = 0
    root_window: int = 8
    min_chars: int = 500
    roots: frozenset[str] = frozenset()
    changing: frozenset[str] = frozenset()
    needs_change: bool = False
    gone: str = ""
    digest: str = ""

    def edits(self, conversation: Conversation) -> Edits:
        """What is shown otherwise from now on."""
        return STRATEGIES[self.strategy](self, conversation)

    def open_from(self, transcript: Transcript) -> int:
        """The place from which on everything stays: the newest turn, and the last messages that are to stay."""
        newest = max((at for at, _ in replies(transcript)), default=0)
        return min(newest, len(transcript) - self.keep_last)

    def changed_at(self, transcript: Transcript) -> int:
        """The place before which results may have gone stale: the last change, where one is needed."""
        if not self.needs_change:
            return len(transcript)
        return max(
            (at for at, one in _results(transcript) if one.status == "ok" and one.name in self.changing), default=0
        )


def replies(transcript: Transcript) -> Iterator[tuple[int, list[Message]]]:
    """The replies, each with the results of its calls."""
    return ((at, unit) for at, unit in units(transcript) if len(unit) > 1 or isinstance(unit[0], AssistantMessage))


def without_repairs(by: Projection, conversation: Conversation) -> Edits:
    """Failed calls of tools that have succeeded since are left out with their results."""
    transcript = conversation.transcript
    end, succeeded, found = by.open_from(transcript), set[str](), dict[int, Message | None]()
    for place, result in reversed(list(_results(transcript))):
        if result.status == "ok":
            succeeded.add(result.name)
        elif place < end and result.status in FAILED and result.name in succeeded:
            found[place] = None
    return found


def without_failures(by: Projection, conversation: Conversation) -> Edits:
    """Turns of which nothing came but failed calls are left out."""
    transcript = conversation.transcript
    end, found = by.open_from(transcript), dict[int, Message | None]()
    for at, unit in replies(transcript):
        failed = [isinstance(one, ToolMessage) and one.status in FAILED for one in unit[1:]]
        if failed and all(failed) and at + len(unit) <= end:
            found |= dict.fromkeys(range(at, at + len(unit)))
    return found


def without_stale_bodies(by: Projection, conversation: Conversation) -> Edits:
    """Long results that nothing recent refers to are shown as a line that says so; what is gone stays gone."""
    transcript, before = conversation.transcript, conversation.before
    newest = transcript.since(max(0, len(transcript) - by.root_window))
    recent = "\n".join((conversation.notes, *map(_all_of, newest)))
    end = min(by.open_from(transcript), len(transcript) - by.root_window, by.changed_at(transcript))
    found: dict[int, Message | None] = {}
    for place, result, call in _called(transcript, end):
        is_candidate = len(result.text) >= by.min_chars and result.status == "ok" and result.name not in by.roots
        if is_candidate and place not in before and not any(words in recent for words in _references(call)):
            found[place] = in_place_of(result, fill(by.gone, tool=result.name, count=len(result.text)))
    gained = sum(len(transcript[place].text) for place in found)
    return {**before, **found} if gained >= GAIN * transcript.size else before


def with_digest(by: Projection, conversation: Conversation) -> Edits:
    """Of all but the last messages only one line each is shown, in one message; it grows in steps."""
    transcript, before = conversation.transcript, conversation.before
    covered = max(before, default=-1) + 1
    if len(transcript) - covered < STEP + by.keep_last:
        return before
    open_from = by.open_from(transcript)
    end = max((at for at, _ in units(transcript) if at <= open_from), default=0)
    places = [place for place in range(end) if place not in conversation.fixed]
    if not places or sum(place >= covered for place in places) < STEP:
        return before
    lines = digest([transcript[place] for place in places], DIGEST)
    first, *others = places
    return {first: UserMessage(text=fill(by.digest, lines=lines)), **dict.fromkeys(others)}


def _results(transcript: Transcript) -> Iterator[tuple[int, ToolMessage]]:
    return ((at, one) for at, one in enumerate(transcript) if isinstance(one, ToolMessage))


def _called(transcript: Transcript, end: int) -> Iterator[tuple[int, ToolMessage, ToolCall]]:
    """The results before `end` with their places and their calls."""
    calls: dict[str, ToolCall] = {}
    for place, message in enumerate(transcript.since(0)[: max(0, end)]):
        if isinstance(message, AssistantMessage):
            calls = {call.id: call for call in message.calls}
        elif isinstance(message, ToolMessage):
            yield place, message, calls[message.call_id]


def _references(call: ToolCall) -> Iterator[str]:
    """What a later message may name the result of a call by."""
    yield from _texts(call.id)
    yield from _texts(parse(call.arguments).arguments)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value that is long enough to be a reference."""
    match value:
        case str() if len(value) >= REFERENCE:
            yield value
        case Mapping():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
        case _:
            pass


def _all_of(message: Message) -> str:
    """All that a message says, the arguments of its calls included."""
    calls = message.calls if isinstance(message, AssistantMessage) else ()
    return "\n".join((message.text, *(f"{call.id} {call.arguments}" for call in calls)))


STRATEGIES: dict[str, Strategy] = {
    "clean_tool_repair": without_repairs,
    "squash_failed_calls": without_failures,
    "reachability_gc": without_stale_bodies,
    "summary_prefix": with_digest,
}
