"""request_bytes: the bytes of a run's requests: what never changes, the conversation, then what varies by turn.

So each request is a byte prefix of the next one up to the words of the harness at the end. Messages are encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from agentspec.adapters.models.message_log import Encode, MessageLog
from agentspec.core.messages import SystemMessage
from agentspec.ports import ModelRequest, ToolSchema

LEADING = 8  # messages that a conversation may begin with before anybody speaks


def leading_system(request: ModelRequest) -> str:
    """The system text at the beginning of a conversation, for protocols in which it stands before the messages."""
    texts: list[str] = []
    for message in request.transcript.since(0)[:LEADING]:
        if not isinstance(message, SystemMessage):
            break
        texts.append(message.text)
    return "\n\n".join(text for text in texts if text.strip())


OWN = b'{"role":"assistant"'  # how a message of the model begins


class RequestMark(NamedTuple):
    """Which request it was: a hash of its bytes, and the share of them that the request before began with as well."""

    hash: str = ""
    prefix_share: float = 0.0


class RequestBytes:
    """`encode` writes messages of one protocol; requests of one role share what they have in common."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._logs: dict[str, MessageLog] = {}
        self._prefixes: dict[tuple[str, Hashable], bytes] = {}
        self._tools: dict[str, tuple[ToolSchema, ...]] = {}
        self._last_prefix: dict[str, bytes] = {}
        self.mark = RequestMark()  # of the newest request

    def forget(self) -> None:
        """The dialect has changed: everything is written anew."""
        self._prefixes.clear()
        self._logs.clear()

    def ids(self, request: ModelRequest) -> set[str]:
        """The ids of all calls in the conversation of `request`, after it was written."""
        return self._logs[request.role].ids

    def prefix(self, request: ModelRequest, variant: Hashable, make: Callable[[], bytes]) -> bytes:
        """What stands before the messages, made once for a role, its tools and a `variant`."""
        role, tools = request.role, request.tools
        known = self._tools.get(role)
        if tools is not known and tools != known:
            self._tools[role] = tools
            self._prefixes = {key: prefix for key, prefix in self._prefixes.items() if key[0] != role}
        prefix = self._prefixes.get((role, variant))
        if prefix is None:
            prefix = self._prefixes[role, variant] = make()
        return prefix

    def write(
        self,
        request: ModelRequest,
        prefix: bytes,
        harness: bytes | None,
        tail: bytes,
        marked: Callable[[bytes], bytes] | None = None,
        answer: bytes | None = None,
    ) -> bytes:
        """The whole body; `harness` is one more message, and `marked` the last of the others as it is sent this once.

        `answer` is said instead of the harness where the model itself has the last word. Raises `Unpaired`.
        """
        log = self._logs.get(request.role)
        if log is None:
            log = self._logs[request.role] = MessageLog(self._encode)
        known = log.follow(request.transcript)
        if harness is None and log.bytes.startswith(OWN, log.last):
            harness = answer
        ends = [tail] if harness is None else [b"," if log.bytes else b"", harness, tail]
        digest = log.digest.copy()
        if marked is None or not log.bytes:
            body = b"".join((prefix, bytes(log.bytes), *ends))
        else:
            last = marked(bytes(log.bytes[log.last :]))
            body = b"".join((prefix, bytes(log.bytes[: log.last]), last, *ends))
            digest.update(last)
        digest.update(b"".join((prefix, *ends)))
        shared = len(prefix) + known if prefix is self._last_prefix.get(request.role) else 0
        self.mark = RequestMark(digest.hexdigest()[:16], round(shared / len(body), 3))
        self._last_prefix[request.role] = prefix
        return body


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
