"""mask: known secret values are taken out of what models and tools say, before anything is shown or stored.

Exact values only: a mask that guesses would damage what it does not understand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO

from msgspec.structs import replace

from agentspec.core.messages import Failure, Message, Reply, SystemMessage, UserMessage
from agentspec.ports import Delta, Output

HIDDEN = "[redacted]"
OF_A_REPLY = ("text", "reasoning", "finish_text", "model", "request_id")
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")  # in which a program may have printed a secret
PIECE = 1024 * 1024  # bytes of a file that are masked at once
SHORTEST = 8  # a shorter value is no secret, and would be found in ordinary words


class Mask:
    """Takes secrets out of texts and plain values.

    >>> Mask(["geheim-0123"]).text("the key is geheim-0123.")
    'the key is [redacted].'
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        found = sorted({secret for secret in secrets if len(secret) >= SHORTEST}, key=len, reverse=True)
        self._secrets = tuple(found)
        self._pattern = re.compile("|".join(map(re.escape, found))) if found else None
        self._hidden = _as_bytes(found)
        self._bytes = re.compile(b"|".join(map(re.escape, self._hidden)), re.DOTALL) if found else None

    def __repr__(self) -> str:
        return f"<Mask of {len(self._secrets)}>"

    def text(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def value(self, value: Any) -> Any:
        """A plain value (text, number, list, mapping) without the secrets in it."""
        if self._pattern is None:
            return value
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.text(str(key)): self.value(item) for key, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
            case _:
                return value

    def opening(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages that a run begins with: what its author and its caller wrote."""
        return tuple(
            replace(message, text=self.text(message.text))
            if isinstance(message, SystemMessage | UserMessage)
            else message
            for message in messages
        )

    def answer(self, answer: Reply | Failure) -> Reply | Failure:
        """What a model said. Opaque fields stay as they are: they belong to whoever made them."""
        if self._pattern is None:
            return answer
        if isinstance(answer, Failure):
            return replace(answer, message=self.text(answer.message), text=self.text(answer.text))
        calls = tuple(
            replace(call, name=self.text(call.name), arguments=self.text(call.arguments)) for call in answer.calls
        )
        words = {name: self.text(getattr(answer, name)) for name in OF_A_REPLY}
        return replace(answer, calls=calls, **words)

    def output(self, output: Output) -> Output:
        """What a tool brought."""
        if self._pattern is None:
            return output
        error = output.error
        if error is not None:
            error = replace(error, message=self.text(error.message))
        return replace(output, text=self.text(output.text), data=self.value(output.data), error=error)

    def pieces(self, file: BinaryIO, size: int = PIECE) -> Iterator[bytes]:
        """The bytes of a file without the secrets in them, piece by piece; one that lies across two pieces is found.

        >>> import io
        >>> b"".join(Mask(["geheim-0123"]).pieces(io.BytesIO(b"a geheim-0123 b"), size=5))
        b'a [redacted] b'
        """
        if self._bytes is None:
            yield from iter(lambda: file.read(size), b"")
            return
        longest = max(map(len, self._hidden))
        rest = b""
        while chunk := file.read(size):
            rest += chunk
            # What begins in the last bytes may be longer than what has been read; it is looked at again with the next.
            done, settled = 0, max(0, len(rest) - longest + 1)
            for found in self._bytes.finditer(rest):
                if found.start() >= settled:
                    break
                yield rest[done : found.start()]
                yield self._hidden[found.group()]
                done = found.end()
            end = max(done, settled)
            yield rest[done:end]
            rest = rest[end:]
        yield self._bytes.sub(lambda found: self._hidden[found.group()], rest)

    def file(self, path: Path) -> None:
        """Take the secrets out of a file in its place. Raises `OSError`; the file then still holds them."""
        if self._bytes is None:
            return
        with path.open("rb") as raw, NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as masked:
            passing = Path(masked.name)
            try:
                masked.writelines(self.pieces(raw))
                masked.flush()
                passing.replace(path)
            except OSError:
                passing.unlink(missing_ok=True)
                raise

    def listener(self, listen: Callable[[Delta], None] | None) -> MaskedDeltas | None:
        """A listener in front of `listen` for one call of a model, or None where nobody listens."""
        return None if listen is None else MaskedDeltas(self, listen)

    def settled(self, text: str) -> int:
        """How much of a text that goes on can be masked now: the rest may be the beginning of a secret."""
        longest = min(len(text), max((len(secret) for secret in self._secrets), default=1) - 1)
        held = next((n for n in range(longest, 0, -1) if self._begins_one(text[-n:])), 0)
        end = len(text) - held
        for found in self._pattern.finditer(text) if self._pattern is not None else ():
            if found.start() < end < found.end():
                end = found.end()
        return end

    def _begins_one(self, end: str) -> bool:
        return any(secret.startswith(end) and secret != end for secret in self._secrets)


class MaskedDeltas:
    """Pieces of a stream, masked: what may be the beginning of a secret is held back until it is told from one."""

    def __init__(self, mask: Mask, listen: Callable[[Delta], None]) -> None:
        self._mask = mask
        self._listen = listen
        self._rest: dict[tuple[str, int], Delta] = {}

    def __call__(self, delta: Delta) -> None:
        place = (delta.kind, delta.index)
        before = self._rest.pop(place, None)
        text = (before.text if before else "") + delta.text
        name = self._mask.text(delta.name)
        end = self._mask.settled(text)
        if end < len(text):
            self._rest[place] = replace(delta, text=text[end:], name="")
        if end or name or not text:
            self._listen(replace(delta, text=self._mask.text(text[:end]), name=name))

    def end(self) -> None:
        """The stream is over, and what was held back can be told now."""
        for delta in self._rest.values():
            self._listen(replace(delta, text=self._mask.text(delta.text)))
        self._rest.clear()


def _as_bytes(secrets: Iterable[str]) -> dict[bytes, bytes]:
    """What each secret looks like in a file, the longest first, and what is put there instead."""
    known = {
        secret.encode(encoding, "surrogateescape" if encoding == "utf-8" else "replace"): HIDDEN.encode(encoding)
        for secret in secrets
        for encoding in ENCODINGS
    }
    return dict(sorted(known.items(), key=lambda item: len(item[0]), reverse=True))
