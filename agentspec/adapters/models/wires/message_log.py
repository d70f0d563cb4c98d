"""message_log: the bytes of one growing conversation, each message encoded once, in the form of one protocol.

Nothing goes out that a server would have to refuse for ever: calls without results, broken argument text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple, TypeAlias

import msgspec

from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.core.calls.arguments import parse
from agentspec.core.messages import AssistantMessage, Message, ToolMessage
from agentspec.core.transcript import Transcript

Encode: TypeAlias = Callable[[Sequence[Message], bool], Iterable[bytes]]
Between: TypeAlias = Callable[[bytes, bytes], bytes | None]

NO_OUTPUT, EMPTY = "(no output)", "(empty)"  # a result and a text without words are refused by some servers
HEAD = 24  # bytes of a message that show who speaks
STAND_IN = "invalid_tool_name"  # for a name that a model made up and no server takes back
LEGAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what OpenAI takes as the name of a function


class Unpaired(Exception):
    """A call without its one result, or a result without its call; the text names the id."""


def sendable_arguments(arguments: str) -> str:
    """Argument text as it may go back to a server: repaired as the call itself was, or `{}` where nothing helps.

    Servers parse the history: one stored broken call would make every later request fail. What was wrong with it stands
    in the call's result, and in the journal.
    """
    try:
        decoded = msgspec.json.decode(arguments)
    except (ValueError, RecursionError):
        decoded = parse(arguments).arguments
        return "{}" if decoded is None else to_json(decoded).decode()
    return arguments if isinstance(decoded, dict) else "{}"


def without_blanks(text: str) -> str:
    """A text that may go back to a server; nothing where it holds no words, which some refuse for ever.

    >>> without_blanks(" a "), without_blanks(" \\n")
    (' a ', '')
    """
    return "" if text.isspace() else text


def said_by(message: AssistantMessage) -> str:
    """What the model said, as it goes back to it: with what was taken out of it where it called nothing."""
    return without_blanks(message.text if message.calls else message.raw or message.text)


class End(NamedTuple):
    """Where the messages of a request end: how many of ours they are, where the last begins, and how many bytes."""

    messages: int
    last: int
    size: int


class MessageLog:
    """The bytes of one growing transcript, and the ids of its calls.

    `encode` gives the messages of a protocol for some of ours, and is told whether they are the first; results of one
    reply come to it together. `between` gives what a server wants to stand between two messages, by their beginnings.
    `last` is where the last one begins, `ends` where those of every request so far did.
    """

    def __init__(self, encode: Encode, between: Between | None = None) -> None:
        self._encode = encode
        self._between = between
        self._transcript = Transcript()
        self._count = self._paired = 0
        self._open: list[str] = []
        self.bytes = bytearray()
        self.last = 0
        self.ends: list[End] = []
        self._answered = 0  # how many of the ends belong to a request that was answered
        self.ids: set[str] = set()  # also of calls that are shown no more: a new one must not look like them
        self.digest = hashlib.sha256()  # of `bytes`, kept up as they grow

    def follow(self, transcript: Transcript) -> int:
        """Encode what `transcript` has more than the last one; of another one what it doesn't share with the last.

        Gives how many bytes are the very ones that the last request had. Raises `Unpaired`.
        """
        if not transcript.is_extension_of(self._transcript):
            self._go_back(transcript)
        known = len(self.bytes)
        self._transcript = transcript
        for message in transcript.since(self._paired):
            self._pair(message)
            self._paired += 1
        news = transcript.since(self._count)
        for fragment in self._encode(news, self._count == 0):
            for each in (*self.gap(fragment), fragment):
                if self.bytes:
                    self.bytes += b","
                self.last = len(self.bytes)
                self.bytes += each
        self._count += len(news)
        self.digest.update(self.bytes[known:])
        if self._open:
            raise Unpaired(f"the call `{self._open[0]}` has no result")
        if len(self.bytes) > known:
            self.ends.append(End(self._count, self.last, len(self.bytes)))
        return known

    def gap(self, fragment: bytes) -> tuple[bytes, ...]:
        """What the server wants to stand between the last message and this one."""
        told = self._between(bytes(self.bytes[self.last : self.last + HEAD]), fragment) if self._between else None
        return () if told is None else (told,)

    def _go_back(self, transcript: Transcript) -> None:
        """Keep what `transcript` begins with as well, up to the end of a request."""
        pairs = zip(self._transcript, transcript, strict=False)
        shared = 0 if self._open else sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        while self.ends and self.ends[-1].messages > shared:
            self.ends.pop()
        end = self.ends[-1] if self.ends else End(0, 0, 0)
        self._count = self._paired = end.messages
        self._open = []
        self.last = end.last
        self._answered = min(self._answered, len(self.ends))
        del self.bytes[end.size :]
        self.digest = hashlib.sha256(self.bytes)

    def settle(self) -> None:
        """The newest request was answered."""
        self._answered = len(self.ends)

    @property
    def breakpoints(self) -> list[End]:
        """Where a cache has something, and where it is to have something next."""
        return sorted({*self.ends[self._answered - 1 : self._answered], *self.ends[-1:]})

    def _pair(self, message: Message) -> None:
        match message:
            case ToolMessage(call_id=call_id):
                if call_id not in self._open:
                    raise Unpaired(f"the result `{call_id}` answers no open call")
                self._open.remove(call_id)
            case _ if self._open:
                raise Unpaired(f"the call `{self._open[0]}` has no result")
            case AssistantMessage(calls=calls):
                for call in calls:
                    if not call.id or call.id in self._open:
                        raise Unpaired(f"the call id `{call.id}` is empty or stands twice in one reply")
                    self._open.append(call.id)
                    self.ids.add(call.id)
            case _:
                pass


def sendable_name(name: str) -> str:
    """The name of a call as it may go back to a server; the true one stands in the call's result, and in the journal.

    Never a near name: the history would tell of a call of a tool that was not called.

    >>> sendable_name("read file"), sendable_name("read_file")
    ('invalid_tool_name', 'read_file')
    """
    return name if LEGAL_NAME.fullmatch(name) else STAND_IN


def made_id(call_id: str) -> str:
    """A short plain name for the id of a call that a protocol refuses; the same for the same id."""
    return f"id_{hashlib.sha256(call_id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
