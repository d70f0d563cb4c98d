"""mask: known secret values are taken out of what models and tools say, before anything is shown or stored.

Exact values only, in the forms that text takes on its way (JSON escapes, percent-encoding): a mask that guesses would
damage what it does not understand.
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
from agentspec.runtime.forms import MARKS, begins_at, escaped_pattern, forms_of

HIDDEN = "[redacted]"
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")  # in which a program may have printed a secret
PIECE = 1024 * 1024  # bytes of a file that are masked at once
LABELS = frozenset(("message", "finish_text", "model", "provider", "request_id"))  # words that may come cut
SHORTEST = 8  # a shorter value is no secret, and would be found in ordinary words
BEGINNING = 6  # characters of a secret that are hidden where a text was cut behind them
CUT = "\u2026"


class Mask:
    """Takes secrets out of texts and plain values.

    >>> Mask(["geheim-0123"]).text("the key is geheim-0123.")
    'the key is [redacted].'
    >>> Mask(["geheim-0123"]).text('{"key": "\\\\u0067eheim-0123"}')
    '{"key": "[redacted]"}'
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for secret in secrets if len(secret) >= SHORTEST for form in forms_of(secret)}
        found = sorted(known, key=len, reverse=True)
        self._secrets = tuple(found)
        self._pattern = re.compile("|".join(map(re.escape, found))) if found else None
        self._hidden = _as_bytes(found)
        self._bytes = re.compile(b"|".join(map(re.escape, self._hidden)), re.DOTALL) if found else None
        self._escaped: re.Pattern[str] | None = None  # costs more to make, and is rarely needed
        self._has_marks = any(not MARKS.isdisjoint(secret) for secret in found)

    def __repr__(self) -> str:
        return f"<Mask of {len(self._secrets)}>"

    def text(self, text: str) -> str:
        """A text without the secrets in it, plain or escaped as in JSON, however often."""
        if self._pattern is None:
            return text
        text = self._pattern.sub(HIDDEN, text)
        escaped = self._escapes(text)
        return text if escaped is None else escaped.sub(HIDDEN, text)

    def _escapes(self, text: str) -> re.Pattern[str] | None:
        """The pattern that reads escapes, where `text` can hold a secret that needs it."""
        if "\\u" not in text and not (self._has_marks and "\\" in text):
            return None
        if self._escaped is None:
            self._escaped = escaped_pattern(self._secrets)
        return self._escaped

    def label(self, text: str) -> str:
        """A text that may have been cut: the beginning of a secret before a cut is hidden as well."""
        if self._pattern is None:
            return text
        text = self.text(text)
        if not any(secret[:BEGINNING] in text for secret in self._secrets):
            return text
        return CUT.join(self._without_beginning(part) for part in text.split(CUT))

    def _without_beginning(self, text: str) -> str:
        longest = max(
            (
                size
                for secret in self._secrets
                for size in range(BEGINNING, min(len(secret), len(text) + 1))
                if text.endswith(secret[:size])
            ),
            default=0,
        )
        return text[: len(text) - longest] + HIDDEN if longest else text

    def value(self, value: Any, renamed: Mapping[str, str] | None = None) -> Any:
        """A plain value (text, number, list, mapping) without the secrets in it; `renamed` are keys with a new name."""
        if self._pattern is None:
            return value
        match value:
            case str():
                return self.text(value)
            case Mapping():
                names = renamed or {}
                return {
                    names.get(str(key)) or self.text(str(key)): self.value(item, renamed) for key, item in value.items()
                }
            case list() | tuple():
                return [self.value(item, renamed) for item in value]
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

    def answer(self, answer: Reply | Failure, order: int = 0) -> Reply | Failure:
        """What a model said to the order of this number. A call id with a secret in it is replaced by one of ours.

        What only its maker understands is looked through as well: a signature that holds a key is not worth the key.
        """
        if self._pattern is None:
            return answer
        words = self._words(answer)
        if isinstance(answer, Failure):
            return replace(answer, **words)
        ids = {
            call.id: call.id if self.text(call.id) == call.id else f"call_redacted_{order}_{place}"
            for place, call in enumerate(answer.calls)
        }
        calls = tuple(
            replace(call, id=ids[call.id], name=self.text(call.name), arguments=self.text(call.arguments))
            for call in answer.calls
        )
        lost = tuple(self.label(each) for each in answer.lost)
        return replace(answer, calls=calls, extra=self.value(answer.extra, ids), lost=lost, **words)

    def _words(self, answer: Reply | Failure) -> dict[str, str]:
        """All texts of an answer, whichever it has."""
        fields = ((name, getattr(answer, name)) for name in answer.__struct_fields__)
        return {
            name: self.label(value) if name in LABELS else self.text(value)
            for name, value in fields
            if isinstance(value, str)
        }

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
        longest = max((len(secret) for secret in self._secrets), default=1)
        window = longest * (8 if "\\" in text else 1)
        starts = range(max(0, len(text) - window), len(text))
        end = next((at for at in starts if any(begins_at(text, at, secret) for secret in self._secrets)), len(text))
        patterns = (self._pattern, self._escapes(text) if self._secrets else None)
        for found in (found for pattern in patterns if pattern is not None for found in pattern.finditer(text)):
            if found.start() < end < found.end():
                end = found.end()
        return end


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
