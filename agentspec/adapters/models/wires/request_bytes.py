"""request_bytes: the bytes of a run's requests: what never changes, the conversation, then what varies by turn.

So each request is a byte prefix of the next one up to the words of the harness at the end. Messages are encoded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.message_log import Between, Encode, MessageLog
from agentspec.adapters.models.wires.pictures import Seen, seen
from agentspec.adapters.models.wires.plain_schema import plain_tool
from agentspec.core.messages import Failure, Reply, SystemMessage, ToolMessage, UserMessage
from agentspec.core.record import Record
from agentspec.ports import Artifacts, ModelRequest, ToolSchema

LEADING = 8  # messages that a conversation may begin with before anybody speaks


def leading_system(request: ModelRequest) -> str:
    """The system text at the beginning of a conversation, for protocols in which it stands before the messages."""
    texts: list[str] = []
    for message in request.transcript.since(0)[:LEADING]:
        if not isinstance(message, SystemMessage):
            break
        texts.append(message.text)
    return "\n\n".join(text for text in texts if text.strip())


OWN = (b'{"role":"assistant"', b'{"role":"model"')  # how a message of the model begins


class RequestMark(Record, frozen=True):
    """Which request it was: a hash of its bytes, marks for caches aside, and what it kept of the request before.

    `prefix_bytes` are those of the request before up to the words of its harness, 0 where there was none, and
    `prefix_share` is the share of them that this request begins with.
    """

    hash: str = ""
    prefix_share: float = 0.0
    prefix_bytes: int = 0

    def on(self, answer: Reply | Failure) -> Reply | Failure:
        """The answer with the mark of the request that it answers."""
        share, size = self.prefix_share, self.prefix_bytes
        return replace(answer, request_hash=self.hash, prefix_share=share, prefix_bytes=size)


class Before(Record, frozen=True):
    """What stood before the messages in the request before, and how many bytes those had."""

    prefix: bytes
    messages: int


class RequestBytes:
    """`encode` writes messages of one protocol; requests of one role share what they have in common.

    `constant` are the fields that never change in a run, unless an option of one call says otherwise; options of the
    names in `reserved` say nothing here.
    """

    def __init__(self, encode: Encode, constant: Mapping[str, Any], reserved: Collection[str]) -> None:
        self._encode = encode
        self._constant = constant
        self._reserved = reserved
        self._logs: dict[str, MessageLog] = {}
        self._prefixes: dict[tuple[str, Hashable], bytes] = {}
        self._tools: dict[str, tuple[ToolSchema, ...]] = {}
        self._before: dict[str, Before] = {}
        self.mark = RequestMark()  # of the newest request
        self.shows = True  # images, until the server says that its model sees none
        self.has_shown = False  # any so far
        self.plain: set[str] = set()  # tools whose schema was refused
        self.has_only_plain = False
        self.offered: tuple[ToolSchema, ...] = ()  # by the newest request
        self._artifacts: Artifacts | None = None
        self.between: Between | None = None  # what stands between two messages, for a server that wants it so

    def seen(self, message: UserMessage | ToolMessage) -> Seen:
        """What the request that is being written shows of a message."""
        told = seen(message, self._artifacts if self.shows else None)
        self.has_shown |= bool(told.sights)
        return told

    def hide_pictures(self) -> None:
        """From now on images are told in words."""
        self.shows = False

    def ask_plainly(self, name: str | None) -> None:
        """From now on this tool has plain parameters; without a name all have."""
        if name is None:
            self.has_only_plain = True
        else:
            self.plain.add(name)

    def tools(self, request: ModelRequest) -> tuple[ToolSchema, ...]:
        """The tools of a request, in the form in which the server takes them."""
        if not self.plain and not self.has_only_plain:
            return request.tools
        return tuple(
            plain_tool(tool) if self.has_only_plain or tool.name in self.plain else tool for tool in request.tools
        )

    def forget(self) -> None:
        """The dialect has changed: everything is written anew."""
        self._prefixes.clear()
        self._logs.clear()

    def ids(self, request: ModelRequest) -> set[str]:
        """The ids of all calls in the conversation of `request`, after it was written."""
        return self._logs[request.role].ids

    def prefix(self, request: ModelRequest, variant: Hashable, make: Callable[[dict[str, Any]], bytes]) -> bytes:
        """What stands before the messages, made once for a role, its tools and a `variant`.

        `make` is given the constant fields; those that an option of this call changes stand behind the messages.
        """
        role, tools = request.role, request.tools
        self.offered = tools
        known = self._tools.get(role)
        if tools is not known and tools != known:
            self._tools[role] = tools
            self._prefixes = {key: prefix for key, prefix in self._prefixes.items() if key[0] != role}
        moved = self._moved(request) if request.options else {}
        key = (role, (variant, *moved))
        prefix = self._prefixes.get(key)
        if prefix is None:
            rest = {name: value for name, value in self._constant.items() if name not in moved}
            prefix = self._prefixes[key] = make(rest)
        return prefix

    def _moved(self, request: ModelRequest) -> dict[str, Any]:
        """The constant fields that an option of this call changes: no field stands in a request twice."""
        names = request.options.keys() & self._constant.keys() - set(self._reserved)
        return {name: value for name, value in self._constant.items() if name in names}

    def closing(self, request: ModelRequest, fields: Mapping[str, Any]) -> bytes:
        """What stands behind the messages: `fields`, and over them the options of this call."""
        told: Mapping[str, Any] = fields
        if request.options:
            options = {name: value for name, value in request.options.items() if name not in self._reserved}
            told = joined({**self._moved(request), **fields}, options)
        return b"]," + to_json(told)[1:] if told else b"]}"

    def write(
        self,
        request: ModelRequest,
        prefix: bytes,
        harness: bytes | None,
        tail: bytes,
        marked: Callable[[bytes], bytes] | None = None,
        answer: bytes | None = None,
    ) -> bytes:
        """The whole body; `harness` is one more message. `marked` marks a message whose end a cache is to know.

        `answer` is said instead of the harness where the model itself has the last word. Raises `Unpaired`.
        """
        self._artifacts = request.artifacts
        log = self._logs.get(request.role)
        if log is None:
            log = self._logs[request.role] = MessageLog(self._encode, self.between)
        known = log.follow(request.transcript)
        if harness is None and log.bytes.startswith(OWN, log.last):
            harness = answer
        said = [] if harness is None else [*log.gap(harness), harness]
        ends = [b"," if said and log.bytes else b"", b",".join(said), tail]
        digest = log.digest.copy()
        digest.update(b"".join((prefix, *ends)))
        share, before = _kept(self._before.get(request.role), prefix, known)
        self.mark = RequestMark(digest.hexdigest()[:16], share, before)
        self._before[request.role] = Before(prefix, len(log.bytes))
        return b"".join((prefix, *_with_marks(log, marked), *ends))

    def ending(self, request: ModelRequest, say: Callable[[str, str], Any]) -> bytes | None:
        """What stands behind the conversation: the words of the harness, and the beginning of an answer.

        `say` makes a message of a role and a text.
        """
        if not request.harness and not request.begun:
            return None
        said = [("user", request.harness), ("assistant", request.begun)]
        return b",".join(to_json(say(role, text)) for role, text in said if text)

    def settle(self, role: str) -> None:
        """The newest request of this role was answered: a cache has what was marked in it."""
        self._logs[role].settle()


def _with_marks(log: MessageLog, marked: Callable[[bytes], bytes] | None) -> list[bytes]:
    """The messages, with marks where the answered request before ended and where this one ends.

    Without the first a cache that looks back over few blocks misses what was sent before a turn of many.
    """
    if marked is None:
        return [bytes(log.bytes)]
    parts: list[bytes] = []
    at = 0
    for end in log.breakpoints:
        parts += (bytes(log.bytes[at : end.last]), marked(bytes(log.bytes[end.last : end.size])))
        at = end.size
    return [*parts, bytes(log.bytes[at:])]


def _kept(before: Before | None, prefix: bytes, known: int) -> tuple[float, int]:
    """The share of the request before that this one begins with, and its bytes. 1.0 is all of it, never nearly all."""
    if before is None:
        return 0.0, 0
    whole = len(before.prefix) + before.messages
    is_same = prefix is before.prefix or prefix == before.prefix
    kept = len(prefix) + known if is_same else _shared(prefix, before.prefix)
    return math.floor(kept / whole * 10_000) / 10_000, whole


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if one[:middle] == other[:middle] else (least, middle - 1)
    return least


def joined(fields: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """`options` over `fields`; in a mapping that both have, key by key.

    >>> joined({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}})
    {'a': {'b': 1, 'c': 3}}
    """
    both = {
        name: {**fields[name], **options[name]}
        for name in fields.keys() & options.keys()
        if isinstance(fields[name], Mapping) and isinstance(options[name], Mapping)
    }
    return {**fields, **options, **both}


def in_words_of(names: Mapping[str, str], constant: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the fields that `names` has a protocol's word for, under that word; where one stops is a list there.

    >>> in_words_of({"stop": "stopSequences"}, {"model": "m", "stop": "END"})
    {'stopSequences': ['END']}
    """
    return {
        names[name]: [value] if name == "stop" and isinstance(value, str) else value
        for name, value in constant.items()
        if name in names
    }
