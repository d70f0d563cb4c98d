"""blanks: what an author wants blanked, and what has the form of a key, taken out of texts and plain values.

It knows patterns and names, never a value of the environment (the mask of a run does). What a pattern finds is gone for
all who come after: it is neither stored nor shown, nor given to a tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, TypeAlias

import msgspec

from agentspec.text.across import blank_across
from agentspec.text.secrets import REDACTED, blank_drawn, sub_drawn, word_if_drawn

HIDDEN = REDACTED
HALVES = re.compile("[\ud800-\udfff]")
FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\r?\n(.*?)\s*```", re.DOTALL)
PIECE = 1024 * 1024  # characters of a file that are looked at together
OVERLAP = 64 * 1024  # a longer text that a pattern finds may be cut in a file
Reads: TypeAlias = Callable[[str], str]
Instead: TypeAlias = Callable[[Any], str]  # of a match: what is written in its place


class Blanks:
    """Blanks texts that fit a pattern (RE2), and the values of names in plain values and in texts that are JSON.

    >>> blanks = Blanks(["[a-z]+@[a-z.]+"], ["iban"])
    >>> blanks.text("write to ada@example.org"), blanks.value({"iban": "DE02", "rows": [{"iban": "FR7"}]})
    ('write to [redacted]', {'iban': '[redacted]', 'rows': [{'iban': '[redacted]'}]})
    """

    def __init__(self, patterns: Iterable[str] = (), keys: Iterable[str] = ()) -> None:
        given = tuple(patterns)
        self._patterns = _compiled(given) if given else ()
        self.keys = frozenset(keys)

    def __bool__(self) -> bool:
        return bool(self._patterns or self.keys)

    def text(self, text: str) -> str:
        """A text without what the patterns find in it, nor the values of the names where it is JSON, which it stays.

        >>> Blanks(["[a-z]+", "7"], ["iban"]).text('{"to": "ada", "n": 7, "rows": [{"iban": "DE02"}]}')
        '{"to":"[redacted]","n":"[redacted]","rows":[{"iban":"[redacted]"}]}'
        """
        if _is_json(text):
            return self._json(text)
        fences = tuple(FENCE.finditer(text)) if "```" in text else ()
        if not any(map(_is_json, (fence[1] for fence in fences))):
            return self.words(text)
        parts, done = [], 0
        for fence in fences:
            start, end = fence.span(1)
            parts += [self.words(text[done : fence.start()]), text[fence.start() : start], self.text(fence[1])]
            parts.append(text[end : fence.end()])
            done = fence.end()
        return "".join([*parts, self.words(text[done:])])

    def words(self, text: str) -> str:
        """A text without what the patterns find in it."""
        for pattern in self._patterns:
            text = _sub(pattern, _hide, text)
        return text

    def value(self, value: Any) -> Any:
        """A plain value (text, number, list, mapping) without either."""
        return changed(value, self.text, self.keys, str)

    def arguments(self, text: str) -> str:
        """The arguments of a call: JSON, also where they are no mapping.

        >>> Blanks(["[a-z]+|7"]).arguments('{"to": "ada", "n": 7, "by": null}')
        '{"to":"[redacted]","n":"[redacted]","by":null}'
        """
        return self._json(text)

    def _json(self, text: str) -> str:
        """JSON of the same shape: names stay, numbers count as the texts they are written as, and become texts."""
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return self.words(text)
        blanked = self.written(value)
        text = text if blanked == value else msgspec.json.encode(blanked).decode()
        return blank_across(text, self._finds(text), HIDDEN)

    def _finds(self, text: str) -> Iterator[tuple[int, int]]:
        for pattern in self._patterns:
            yield from (found.span() for found in _found(pattern, text))

    def written(self, value: Any) -> Any:
        """A plain value of JSON; a number that a pattern finds becomes a text."""
        match value:
            case dict():
                return {name: HIDDEN if name in self.keys else self.written(each) for name, each in value.items()}
            case list():
                return [self.written(each) for each in value]
            case str():
                return self.text(value)
            case int() | float() if not isinstance(value, bool):
                written = str(value)
                blanked = self.words(written)
                return value if blanked == written else blanked
            case _:
                return value

    def narrow(self, names: Iterable[str]) -> Blanks:
        """The same without the patterns that find something in one of these names."""
        known = tuple(names)
        narrowed = Blanks((), self.keys)
        narrowed._patterns = tuple(
            pattern for pattern in self._patterns if not any(_sub(pattern, _hide, name) != name for name in known)
        )
        return narrowed

    def file(self, path: Path, piece: int = PIECE, overlap: int = OVERLAP) -> None:
        """The same in a file, in its place, and with it what has the form of a key. Raises `OSError`.

        It is read piece by piece (characters): names are blanked in a file of one piece, and a text that is longer than
        the overlap may be found in part.
        """
        how: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
        with path.open(**how) as whole, NamedTemporaryFile("w", dir=path.parent, delete=False, **how) as blanked:
            passing = Path(blanked.name)
            try:
                blanked.writelines(self._passed(whole, piece, overlap))
                blanked.flush()
                passing.replace(path)
            except OSError:
                passing.unlink(missing_ok=True)
                raise

    def _passed(self, whole: IO[str], piece: int, overlap: int) -> Iterator[str]:
        first = whole.read(piece)
        if len(first) < piece:
            yield self.text(blank_drawn(first))
            return
        pieces = chain((first,), iter(lambda: whole.read(piece), ""))
        passed = _blanked(pieces, sub_drawn, word_if_drawn, overlap)
        for pattern in self._patterns:
            passed = _blanked(passed, partial(_sub, pattern), _hide, overlap)
        yield from passed


def _blanked(pieces: Iterable[str], sub: Callable[[Instead, str], str], word: Instead, overlap: int) -> Iterator[str]:
    """The pieces with words in place of what `sub` finds: it counts where it begins before the overlap to the next."""
    rest = ""
    for piece in pieces:
        rest += piece
        settled = end = len(rest) - overlap
        if settled <= 0:
            continue

        def instead(found: Any, settled: int = settled) -> str:
            nonlocal end
            if found.start() >= settled:
                return str(found[0])
            end = max(end, found.end())
            return word(found)

        blanked = sub(instead, rest)
        yield blanked[: len(blanked) - (len(rest) - end)]
        rest = rest[end:]
    yield sub(word, rest)


def _sub(pattern: Any, instead: Instead, text: str) -> str:
    """As `re.sub`, for RE2."""
    parts, done = [], 0
    for found in _found(pattern, text):
        start, end = found.span()
        parts += [text[done:start], instead(found)]
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def _found(pattern: Any, text: str) -> Iterator[Any]:
    """What a pattern finds: RE2 can't read half a character, which a text may hold, and what is empty is not found."""
    readable = text if text.isascii() else HALVES.sub("\ufffd", text)
    for found in pattern.finditer(readable):
        start, end = found.span()
        if start < end and not _is_marker(readable, start, end):
            yield found


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _is_marker(text: str, start: int, end: int) -> bool:
    """Whether what was found lies in the word that stands for what was blanked before."""
    size = len(HIDDEN)
    return end - start <= size and text.find(HIDDEN, max(0, end - size), start + size) >= 0


def _hide(_: Any) -> str:
    return HIDDEN


def changed(value: Any, read: Reads, keys: frozenset[str], named: Reads) -> Any:
    """A plain value with its texts as `read` gives them, its names as `named` does, and the values of `keys` hidden.

    >>> changed({"a": ["x", 1]}, str.upper, frozenset(), str)
    {'a': ['X', 1]}
    """
    match value:
        case str():
            return read(value)
        case Mapping():
            return {
                named(str(name)): HIDDEN if name in keys else changed(inside, read, keys, named)
                for name, inside in value.items()
            }
        case list() | tuple():
            return [changed(inside, read, keys, named) for inside in value]
        case _:
            return value


def _compiled(patterns: Iterable[str]) -> tuple[Any, ...]:
    import re2  # noqa: PLC0415 - a shared library, loaded only where patterns are used

    return tuple(re2.compile(pattern) for pattern in patterns)
