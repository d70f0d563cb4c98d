"""transcript: a conversation that only grows, and how large its messages are in a request."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from agentspec.core.context.tokens import tokens_of
from agentspec.core.messages import PICTURED, AssistantMessage, Message

MESSAGE_BYTES = 24  # what a message takes beside its words in a request: its role and its borders
CALL_BYTES = 60
MESSAGE_TOKENS = 4.0  # the same in tokens
CALL_TOKENS = 10.0
PICTURE_BYTES = 6000  # an image counts as so many bytes of text
PICTURE_TOKENS = 1500.0  # about what providers count for one


class Transcript:
    """A list that only grows, shared by all states that descend from one another.

    Appending at the end is O(1) and leaves earlier views as they were; a fork that appends in the middle copies once.
    Each message is measured once, and its tokens only where somebody asks. `size` is about how many bytes a request
    with all of it has. `skipped` counts the messages of a recorded transcript that are not in it, where it is what is
    shown of one, and `position` all that it stands for.
    """

    __slots__ = ("_items", "_length", "_sums", "position", "size", "skipped")

    def __init__(
        self,
        items: list[Message] | None = None,
        length: int | None = None,
        size: int | None = None,
        skipped: int = 0,
        sums: list[float] | None = None,
    ) -> None:
        self._items: list[Message] = [] if items is None else items
        self._length = len(self._items) if length is None else length
        self.size = sum(map(size_of, self._items)) if size is None else size
        self.skipped = skipped
        self.position = self._length + skipped
        self._sums: list[float] = [] if sums is None else sums  # tokens up to the end of each message, made when asked

    def append(self, message: Message) -> Transcript:
        """The transcript with one more message; this one stays as it was."""
        items, sums = self._items, self._sums
        if len(items) != self._length:  # another descendant went on from here
            items, sums = items[: self._length], sums[: self._length]
        items.append(message)
        return Transcript(items, self._length + 1, self.size + size_of(message), self.skipped, sums)

    def until(self, length: int) -> Transcript:
        """Its first `length` messages."""
        return (
            self if length == self._length else Transcript(self._items, length, sum(map(size_of, self._items[:length])))
        )

    def skip(self) -> Transcript:
        """The transcript when the next recorded message is not shown."""
        return Transcript(self._items, self._length, self.size, self.skipped + 1, self._sums)

    @property
    def tokens(self) -> float:
        """About how many tokens a request with all of it has."""
        return self.tokens_before(self._length)

    def tokens_before(self, index: int) -> float:
        """About how many tokens a request with the messages before `index` has; it costs the same for every index."""
        sums = self._sums
        for message in self._items[len(sums) : index]:
            sums.append((sums[-1] if sums else 0.0) + weight_of(message))
        return sums[index - 1] if index else 0.0

    def reaching(self, tokens: float) -> int:
        """The first index before which so many tokens stand; one more than there are where there are too few."""
        self.tokens_before(self._length)
        return bisect_left(self._sums, tokens, 0, self._length) + 1

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Message:
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return self._items[index]

    def __iter__(self) -> Any:
        return iter(self._items[: self._length])

    def since(self, start: int) -> list[Message]:
        """The messages from index `start` on; costs only what it returns."""
        return self._items[start : self._length]

    def is_extension_of(self, other: Transcript) -> bool:
        """Whether this transcript shares the very messages of `other` as its beginning."""
        return self._items is other._items and other._length <= self._length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transcript) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # a growing list is no key


def size_of(message: Message) -> int:
    """About how many bytes a message has in a request."""
    size = MESSAGE_BYTES + bytes_of(message.text)
    if type(message) is AssistantMessage:  # records have no subclasses
        for call in message.calls:
            size += CALL_BYTES + len(call.name) + bytes_of(call.arguments)
    elif isinstance(message, PICTURED):
        size += PICTURE_BYTES * len(message.pictures)
    return size


def weight_of(message: Message) -> float:
    """About how many tokens a message has in a request, as its text and its images tell."""
    tokens = MESSAGE_TOKENS + tokens_of(message.text)
    if isinstance(message, PICTURED):
        tokens += PICTURE_TOKENS * len(message.pictures)
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            tokens += CALL_TOKENS + tokens_of(f"{call.name} {call.arguments}")
    return tokens


def bytes_of(text: str) -> int:
    """The bytes of a text in UTF-8.

    >>> bytes_of("a"), bytes_of("\u00e9")
    (1, 2)
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
