"""files: the bytes of files without the secrets that a run knows, piece by piece. Never the whole file at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from agentspec.runtime.masking.known import KnownSecrets
from agentspec.runtime.masking.noise import ROOM, bytes_without_noise, places_in_bytes
from agentspec.runtime.masking.spans import apart, as_latin, escaped_spans, latin, merged, spans_of
from agentspec.text.blanks import HIDDEN

PIECE = 1024 * 1024  # bytes of a file that are masked at once


class MaskedFiles:
    """Takes known secrets out of files."""

    def __init__(self, known: KnownSecrets) -> None:
        self._secrets = known.plain
        self._hidden = _as_bytes(known.plain, known.forms)
        self._forms = tuple(self._hidden)
        self._quiet = tuple(needle.encode("utf-8", "surrogateescape") for needle in known.needles)

    def pieces(self, file: BinaryIO, size: int = PIECE) -> Iterator[bytes]:
        """The bytes of a file without the secrets in them, piece by piece; one that lies across two pieces is found.

        >>> import io
        >>> b"".join(MaskedFiles(KnownSecrets(["geheim-0123"])).pieces(io.BytesIO(b"a geheim-0123 b"), size=5))
        b'a [redacted] b'
        """
        if not self._forms:
            yield from iter(lambda: file.read(size), b"")
            return
        overlap = max(map(len, self._forms)) * ROOM
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
        spans = apart(span for form in self._forms if form in raw for span in spans_of(raw, form))
        quiet = bytes_without_noise(raw)
        needles = [needle for needle in self._quiet if needle in quiet]
        if needles:
            places = places_in_bytes(raw)
            spans += [places.span(*span) for needle in needles for span in spans_of(quiet, needle)]
        if b"\\" in raw:
            spans += escaped_spans(latin(raw), self._secrets, as_latin)
        return merged(spans)

    def _instead(self, found: bytes) -> bytes:
        return self._hidden.get(found, HIDDEN.encode())

    def rewrite(self, path: Path) -> None:
        """Take the secrets out of a file in its place. Raises `OSError`; the file then still holds them."""
        if not self._forms:
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


def _as_bytes(secrets: Iterable[str], forms: Iterable[str]) -> dict[bytes, bytes]:
    """What each secret looks like in a file, the longest first, and what is put there instead.

    The secrets themselves in every encoding, what was made of them as text alone.
    """
    known = {form.encode("utf-8", "surrogateescape"): HIDDEN.encode() for form in forms}
    for encoding in ("utf-16-le", "utf-16-be"):  # in which a program may have printed a secret
        known |= {secret.encode(encoding, "replace"): HIDDEN.encode(encoding) for secret in secrets}
    return dict(sorted(known.items(), key=lambda item: len(item[0]), reverse=True))
