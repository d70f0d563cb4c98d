"""mask: secrets are taken out of what models, people and tools say, before anything is shown or stored.

Known values in the forms that text takes on its way (JSON escapes, percent-encoding) and those that one step of a
program makes of it (`masking.forms`), and what the author wants blanked (`text.blanks`). It guesses only at what
tools bring: what has the form of a key there is none of the model's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO

from msgspec.structs import replace

from agentspec.core.messages import AssistantMessage, Failure, Message, Mirrored, Reply, ToolCall
from agentspec.ports import Output
from agentspec.runtime.masking.forms import begins_at, encoded_forms, forms_of
from agentspec.runtime.masking.noise import (
    ROOM,
    bytes_without_noise,
    places_in,
    places_in_bytes,
    tail_of,
    without_noise,
)
from agentspec.runtime.masking.opaque import Opaque
from agentspec.runtime.masking.spans import apart, as_latin, escaped_spans, latin, merged, replaced, spans_of
from agentspec.text.blanks import HIDDEN, Blanks, Reads, changed
from agentspec.text.secrets import blank_drawn

PIECE = 1024 * 1024  # bytes of a file that are masked at once
OWN = frozenset(("finish", "category", "origin", "limit", "request_hash"))  # words of the runtime, not of a model
LABELS = frozenset(("finish_text", "model", "provider", "request_id"))  # words that may come cut
NAMING = frozenset(("what", "call_id", "name", "run_id", "agent", "server", "policy"))  # fields that name a thing
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

    def __init__(self, secrets: Iterable[str] = (), blanks: Blanks | None = None) -> None:
        self._blanks = blanks or Blanks()
        long = [secret for secret in secrets if len(secret) >= SHORTEST]
        self._secrets = _longest_first(form for secret in long for form in forms_of(secret))
        self._forms = _longest_first((*self._secrets, *(form for secret in long for form in encoded_forms(secret))))
        self._needles = tuple(dict.fromkeys(map(without_noise, self._forms)))
        self._has_spaces = any(" " in needle for needle in self._needles)
        self._hidden = _as_bytes(self._secrets, self._forms)
        self._bytes = tuple(self._hidden)
        self._quiet_bytes = tuple(needle.encode("utf-8", "surrogateescape") for needle in self._needles)

    @cached_property
    def _beginnings(self) -> tuple[frozenset[str], frozenset[str], int]:
        """Everything that a secret may begin with, the first characters alone, and the length of the longest."""
        beginnings = frozenset(form[:size] for form in self._needles for size in range(1, len(form)))
        return beginnings, frozenset(form[0] for form in self._needles), max(map(len, self._needles))

    def __repr__(self) -> str:
        return f"<Mask of {len(self._secrets)}>"

    @property
    def is_idle(self) -> bool:
        """Whether it knows of nothing to look for."""
        return not (self._forms or self._blanks)

    def text(self, text: str) -> str:
        """A text without the secrets in it: plain, encoded, escaped as in JSON however often, with noise inside."""
        return self._blanks.text(self._without_known(text)) if self._blanks else self._without_known(text)

    def wording(self, text: str) -> str:
        """The same for the words of a spec, in which names are keys of the language and blank nothing."""
        return self._blanks.words(self._without_known(text))

    def wording_beside(self, names: Iterable[str]) -> Reads:
        """The same without the patterns that find something in one of these names."""
        narrow = self._blanks.narrow(names)
        return lambda text: narrow.words(self._without_known(text))

    def name(self, text: str) -> str:
        """A name, an id, or another word that something is found by: known secrets alone are taken out of it."""
        return self._without_known(text)

    def arguments(self, text: str) -> str:
        """The arguments of a call, in JSON: patterns and names blank what they hold, never what it is called."""
        text = self._without_known(text)
        return self._blanks.arguments(text) if self._blanks else text

    def _without_known(self, text: str) -> str:
        if not self._forms or len(text) < SHORTEST:
            return text
        spans = self._spans(text)
        return replaced(text, spans, HIDDEN) if spans else text

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where secrets are in a text, whole, in their order. What is not there is told without any pattern."""
        spans = [span for form in self._forms if form in text for span in spans_of(text, form)]
        if "\\" in text:
            spans += escaped_spans(text, self._secrets)
        quiet = without_noise(text)
        needles = [needle for needle in self._needles if needle in quiet] if quiet is not text else []
        if needles:
            places = places_in(text)
            spans += [places.span(*span) for needle in needles for span in spans_of(quiet, needle)]
        return merged(spans)

    def label(self, text: str) -> str:
        """A text that may have been cut: the beginning of a secret before a cut is hidden as well."""
        return self._uncut(self.text(text))

    def _uncut(self, text: str) -> str:
        if not self._forms or not any(secret[:BEGINNING] in text for secret in self._secrets):
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

    def value(self, value: Any) -> Any:
        """A plain value (text, number, list, mapping) without the secrets in it."""
        return value if self.is_idle else changed(value, self.text, self._blanks.keys, self.name)

    def _extra(self, value: Any, renamed: Mapping[str, str]) -> Any:
        return Opaque(self.text, self.name, self._blanks.keys, renamed).of(value)

    def record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """A record of the runtime, such as what a call waits for: its fields stay, and what names a thing in it."""
        return {
            field: self.name(value) if field in NAMING and isinstance(value, str) else self.value(value)
            for field, value in record.items()
        }

    def opening(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages that a run begins with: what its author and its caller wrote, and what was said before."""
        return messages if self.is_idle else tuple(map(self._message, messages))

    def _message(self, message: Message) -> Message:
        match message:
            case AssistantMessage():
                words = {name: self.text(getattr(message, name)) for name in ("text", "reasoning", "raw")}
                extra = self._extra(message.extra, {})
                return replace(message, calls=tuple(map(self._call, message.calls)), extra=extra, **words)
            case _:
                return replace(message, text=self.text(message.text))

    def _call(self, call: ToolCall) -> ToolCall:
        return replace(call, id=self.name(call.id), name=self.name(call.name), arguments=self.arguments(call.arguments))

    def answer(self, answer: Reply | Failure, order: int = 0) -> Reply | Failure:
        """What a model said to the order of this number. A call id with a secret in it is replaced by one of ours.

        What only its maker understands is looked through as well: a signature that holds a key is not worth the key.
        """
        if self.is_idle:
            return answer
        words = self._words(answer)
        if isinstance(answer, Failure):
            return replace(answer, **words)
        ids = {
            call.id: call.id if self.name(call.id) == call.id else f"call_redacted_{order}_{place}"
            for place, call in enumerate(answer.calls)
        }
        calls = tuple(replace(self._call(call), id=ids[call.id]) for call in answer.calls)
        lost = tuple(self.label(each) for each in answer.lost)
        served = tuple(
            replace(each, id=self.name(each.id), arguments=self.value(each.arguments)) for each in answer.provider_calls
        )
        extra = self._extra(answer.extra, ids)
        mirrored = None if answer.mirrored is None else self._mirrored(answer.mirrored)
        return replace(answer, calls=calls, extra=extra, lost=lost, provider_calls=served, mirrored=mirrored, **words)

    def _mirrored(self, seen: Mirrored) -> Mirrored:
        calls = tuple(map(self._call, seen.calls))
        return replace(seen, text=self.text(seen.text), message=self.text(seen.message), calls=calls)

    def _words(self, answer: Reply | Failure) -> dict[str, str]:
        """All texts of an answer, whichever it has."""
        fields = ((name, getattr(answer, name)) for name in answer.__struct_fields__)
        return {name: self._word(name, value) for name, value in fields if isinstance(value, str)}

    def _word(self, field: str, value: str) -> str:
        if field in OWN:
            return self.name(value)
        if field in LABELS:
            return self._uncut(self.name(value))
        return self.label(value) if field == "message" else self.text(value)

    def output(self, output: Output) -> Output:
        """What a tool brought, also without what has the form of a key, whoever's it is."""
        error = output.error
        if error is not None:
            error = replace(error, message=self._brought(error.message))
        text = self._brought(output.text)
        if output.data is output.text:  # of many tools the one is the other
            is_same = text is output.text and error is output.error
            return output if is_same else replace(output, text=text, data=text, error=error)
        data = self._blanks.written(output.data) if self._blanks else output.data
        data = changed(data, self._brought, self._blanks.keys, self._named)
        return replace(output, text=text, data=data, error=error)

    def _brought(self, text: str) -> str:
        return blank_drawn(self.text(text))

    def told(self, value: Any) -> Any:
        """What a tool tells while it works, as `output`; the fields of a record stay, and what names a thing in it."""
        if not isinstance(value, Mapping):
            return changed(value, self._brought, self._blanks.keys, self._named)
        return {
            field: self._named(inside)
            if field in NAMING and isinstance(inside, str)
            else changed(inside, self._brought, self._blanks.keys, self._named)
            for field, inside in value.items()
        }

    def _named(self, name: str) -> str:
        return blank_drawn(self.name(name))

    def pieces(self, file: BinaryIO, size: int = PIECE) -> Iterator[bytes]:
        """The bytes of a file without the secrets in them, piece by piece; one that lies across two pieces is found.

        >>> import io
        >>> b"".join(Mask(["geheim-0123"]).pieces(io.BytesIO(b"a geheim-0123 b"), size=5))
        b'a [redacted] b'
        """
        if not self._bytes:
            yield from iter(lambda: file.read(size), b"")
            return
        overlap = max(map(len, self._bytes)) * ROOM
        rest = b""
        while chunk := file.read(size):
            rest += chunk
            # What begins in the last bytes may be longer than what has been read; it is looked at again with the next.
            done, settled = 0, max(0, len(rest) - overlap)
            for start, end in self._spans_of_bytes(rest):
                if start >= settled:
                    break
                yield rest[done:start]
                yield self._instead(rest[start:end])
                done = end
            end = max(done, settled)
            yield rest[done:end]
            rest = rest[end:]
        done = 0
        for start, end in self._spans_of_bytes(rest):
            yield rest[done:start]
            yield self._instead(rest[start:end])
            done = end
        yield rest[done:]

    def _spans_of_bytes(self, raw: bytes) -> list[tuple[int, int]]:
        spans = apart(span for form in self._bytes if form in raw for span in spans_of(raw, form))
        quiet = bytes_without_noise(raw)
        needles = [needle for needle in self._quiet_bytes if needle in quiet]
        if needles:
            places = places_in_bytes(raw)
            spans += [places.span(*span) for needle in needles for span in spans_of(quiet, needle)]
        if b"\\" in raw:
            spans += escaped_spans(latin(raw), self._secrets, as_latin)
        return merged(spans)

    def _instead(self, found: bytes) -> bytes:
        return self._hidden.get(found, HIDDEN.encode())

    def file(self, path: Path) -> None:
        """Take the secrets out of a file in its place. Raises `OSError`; the file then still holds them."""
        self._blanks.file(path)
        if not self._bytes:
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

    def settled(self, text: str) -> int:
        """How much of a text that goes on can be masked now: the rest may be the beginning of a secret."""
        if self._blanks:  # what a pattern finds in a whole text can't be told from its beginning
            return 0
        if not self._forms:
            return len(text)
        end = min(self._settled_quiet(text), self._settled_escaped(text))
        return next((close for start, close in self._spans(text) if start < end < close), end)

    def _settled_escaped(self, text: str) -> int:
        """The same for secrets that are escaped as in JSON."""
        if "\\" not in text:
            return len(text)
        window = max(map(len, self._secrets)) * 8
        starts = range(max(0, len(text) - window), len(text))
        return next((at for at in starts if any(begins_at(text, at, secret) for secret in self._secrets)), len(text))

    def _settled_quiet(self, text: str) -> int:
        """The same for secrets as they are or encoded, with noise inside or without."""
        beginnings, firsts, longest = self._beginnings
        tail = tail_of(text, longest)
        quiet = tail.quiet
        first = max(0, len(quiet) - longest)
        if not self._has_spaces:  # then a secret begins in the last word
            first = max(first, quiet.rfind(" ") + 1)
        for at in range(first, len(quiet)):
            if quiet[at] in firsts and quiet[at:] in beginnings:
                return tail.before + tail.places.place(at)
        return tail.before + tail.settled


def _longest_first(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(forms), key=len, reverse=True))


def _as_bytes(secrets: Iterable[str], forms: Iterable[str]) -> dict[bytes, bytes]:
    """What each secret looks like in a file, the longest first, and what is put there instead.

    The secrets themselves in every encoding, what was made of them as text alone.
    """
    known = {form.encode("utf-8", "surrogateescape"): HIDDEN.encode() for form in forms}
    for encoding in ("utf-16-le", "utf-16-be"):  # in which a program may have printed a secret
        known |= {secret.encode(encoding, "replace"): HIDDEN.encode(encoding) for secret in secrets}
    return dict(sorted(known.items(), key=lambda item: len(item[0]), reverse=True))
