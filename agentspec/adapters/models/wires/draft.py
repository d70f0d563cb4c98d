"""draft: an answer of a model while it is put together, whatever its protocol, and the `Reply` that it becomes.

A reader of one protocol fills it. Types are never trusted, and what is held has a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec
from msgspec.structs import replace

from agentspec.adapters.models.wires.json_bytes import cleaned, from_json, to_json
from agentspec.adapters.models.wires.pictures import Sight
from agentspec.adapters.models.wires.pieces import Pieces, Room
from agentspec.adapters.models.wires.usage import read_usage
from agentspec.core.calls.cap import encodable
from agentspec.core.messages import ProviderCall, Reply, Usage
from agentspec.core.models.replies import FINISHES, RawCall, estimate_tokens, finish_of, says_complete, settle_calls
from agentspec.ports import Delta
from agentspec.ports.models import MAX_ANSWER

Listener = Callable[[Delta], None]

LABEL = 200  # characters of a name that are kept
CALL_SIZE = 1024  # bytes that a call takes beside its texts while it is put together
RUNS_ON, SLACK = 4, 1024  # times what was asked for, and tokens beside: nothing that an estimate could mistake
MAX_PARTS = 1_000_000  # parts of one JSON text: each takes twenty times as much memory as it is long


class Unreadable(Exception):
    """The answer is not what the protocol says; the text tells what it is instead."""

    def __init__(self, message: str, *, may_pass: bool = True) -> None:
        super().__init__(message)
        self.may_pass = may_pass  # whether asking again can help


class Complained(Exception):
    """The answer is an error object under a success status."""

    def __init__(self, decoded: Any) -> None:
        super().__init__("an error object")
        self.decoded = decoded


class Cut(Exception):
    """A stream ended before it said that it was finished."""


def decode_json(data: bytes) -> Any:
    """As `from_json`; raises `Unreadable`."""
    if len(data) > MAX_PARTS and sum(map(data.count, (b"{", b"[", b","))) > MAX_PARTS:
        raise Unreadable(f"its JSON has more than {MAX_PARTS} parts", may_pass=False)
    try:
        return from_json(data)
    except ValueError as problem:
        deep = "nested too deeply" in str(problem)
        raise Unreadable("its JSON is nested too deeply" if deep else "its JSON is broken") from None


def word_of(value: Any) -> str:
    """A text that a server gave; nothing where it gave something else."""
    return value if isinstance(value, str) else ""


def label_of(value: Any) -> str:
    """A short name that a server gave: a model, an id, a reason."""
    return encodable(word_of(value)[:LABEL])


def mapping_of(value: Any) -> dict[str, Any]:
    """An object that a server gave; an empty one where it gave something else."""
    return value if isinstance(value, dict) else {}


def keepable(value: Any) -> Any:
    """What a server wants back, as far as a journal can hold it: a number of more than 64 bits cannot be kept."""
    value = cleaned(value)
    try:
        msgspec.json.encode(value)
    except OverflowError:
        return None
    return value


class CallDraft:
    """One tool call while it is put together."""

    __slots__ = ("extra", "id", "name", "pieces", "place", "room")

    def __init__(self, place: int, room: Room) -> None:
        self.place = place
        self.room = room
        self.id = ""
        self.name = ""
        self.pieces = Pieces(room)
        self.extra: dict[str, Any] = {}

    @property
    def arguments(self) -> str:
        return str(self.pieces)

    def is_complete(self) -> bool:
        """Whether the arguments are a whole JSON value already, so that what follows belongs to another call."""
        try:
            msgspec.json.decode(self.arguments.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return False
        return True

    def keep(self, key: str, value: Any) -> None:
        """Keep what belongs to the call and only its server understands."""
        self.room.take(len(key) + len(to_json(value)))
        self.extra[encodable(key)] = keepable(value)


class Draft:
    """An answer while it is put together: a reader adds pieces, then `reply`.

    `begun` is the beginning of its text that the model was given to go on with, `asked` the tokens that it may have.
    """

    def __init__(
        self, listen: Listener | None = None, limit: int = MAX_ANSWER, begun: str = "", asked: int | None = None
    ) -> None:
        self.listen = listen
        self.begun = begun
        self._asked = asked
        self._is_stopped = False
        self.room = Room(limit)
        self.text = Pieces(self.room)
        self.refusal = Pieces(self.room)
        self.reasoning = Pieces(self.room)
        self.calls: list[CallDraft] = []
        self.finish: str | None = None
        self.is_done = False  # whether the answer has said that it is over
        self.is_spoken = False  # whether the provider has said anything as the model
        self.usage: dict[str, Any] = {}
        self.model = ""
        self.request_id = ""
        self.extra: dict[str, Any] = {}  # of the message, for the server that made it
        self.sights: list[Sight] = []
        self.provider_calls: tuple[ProviderCall, ...] = ()

    def say(self, piece: str) -> None:
        """Add visible text."""
        if piece:
            self.text.add(piece)
            if self.listen is not None:
                self.listen(Delta("text_delta", encodable(piece)))

    def think(self, piece: str) -> None:
        """Add reasoning."""
        if piece:
            self.reasoning.add(piece)
            if self.listen is not None:
                self.listen(Delta("reasoning_delta", encodable(piece)))

    def see(self, sight: Sight | None) -> bool:
        """Add an image, where it is one."""
        if sight is None:
            return False
        self.room.take(len(sight.data))
        self.sights.append(sight)
        self.is_spoken = True
        return True

    def begin_call(self) -> CallDraft:
        """One more call."""
        self.room.take(CALL_SIZE)
        call = CallDraft(len(self.calls), self.room)
        self.calls.append(call)
        return call

    def extend_call(self, call: CallDraft, *, call_id: str = "", name: str = "", arguments: str = "") -> bool:
        """Add to a call what a piece of it brings; say whether that was anything."""
        if call_id and not call.id:
            call.id = call_id
        if name and name != call.name and not call.pieces:
            self.room.take(len(name))
            call.name += name
        if arguments:
            call.pieces.add(arguments)
        if self.listen is not None:
            self.listen(Delta("tool_call_delta", encodable(arguments), call.place, encodable(name)))
        return bool(call_id or name or arguments)

    @property
    def shown(self) -> str:
        """The visible text so far; some servers say what was begun again, and most only what follows."""
        said = str(self.text)
        return encodable(said if said.startswith(self.begun) else self.begun + said)

    @property
    def written(self) -> int:
        """The characters of everything that the model has written so far."""
        return self.text.size + self.reasoning.size + sum(each.pieces.size for each in self.calls)

    @property
    def runs_on(self) -> bool:
        """Whether it is far longer than was asked for: some servers know no limit, and each token is paid for.

        Thoughts aside: other servers do not count those.
        """
        if self._asked is None:
            return False
        return estimate_tokens(self.written - self.reasoning.size) > RUNS_ON * self._asked + SLACK

    def stop_here(self) -> None:
        """Nothing more of it is read."""
        self.finish = "length"
        self._is_stopped = True

    def spent(self, sent: int) -> Usage:
        """What an answer has cost that was cut: what was told of it, and no less than what had come. Else nothing.

        `sent` is the size of the request in bytes.
        """
        if not self.written:
            return Usage()
        told = read_usage(self.usage, sent, self.written)
        output = max(told.output_tokens, estimate_tokens(self.written))
        return replace(told, output_tokens=output, estimated=True)

    def end(self) -> None:
        """The body is over. Raises `Cut` where neither a finish reason nor the end marker has come, and `Unreadable`
        where nothing of a message has.
        """
        if self.finish is None and not self.is_done:
            raise Cut
        if not self.is_spoken:
            raise Unreadable("it holds no message")

    def reply(
        self, *, provider: str, model: str, origin: str, taken: Collection[str], position: int, sent: int
    ) -> Reply:
        """The normalised answer. `taken` ids are spoken for; `sent` is the size of the request in bytes."""
        raw = [RawCall(draft.id, encodable(draft.name), encodable(draft.arguments)) for draft in self.calls]
        calls, lost = settle_calls(raw, taken, lambda place: f"call_{position}_{place}")
        named = [draft for draft in self.calls if draft.name.strip()]
        text, refusal = self.shown, encodable(str(self.refusal))
        reasoning = encodable(str(self.reasoning))
        word = self.finish or ""
        if not calls and not lost and FINISHES.get(word.lower()) == "tool_calls":
            lost = (f"`{word}` announced a call, and none came",)
        of_calls = {call.id: draft.extra for call, draft in zip(calls, named, strict=False) if draft.extra}
        extra = {**({"message": self.extra} if self.extra else {}), **({"calls": of_calls} if of_calls else {})}
        return Reply(
            text=text or refusal,
            calls=calls,
            finish=finish_of(word, has_calls=bool(calls), refused=bool(refusal)),
            finish_text=word,
            is_complete=says_complete(word),
            usage=self.spent(sent) if self._is_stopped else read_usage(self.usage, sent, self.written),
            model=self.model or model,
            provider=provider,
            request_id=self.request_id,
            reasoning=reasoning,
            extra=extra,
            origin=origin if extra else "",
            lost=lost,
            provider_calls=self.provider_calls,
        )
