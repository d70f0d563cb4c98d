"""positions: the places of the protocol and ours: lines from 0 and columns in code units, offsets in code points.

Source: LSP 3.17, *Text Documents* and *Position*: UTF-16 unless client and server agree on something else.
"""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol.types import Position, PositionEncodingKind, Range

from agentspec.text.source import Source, Span

Counter = Callable[[str], int]


def _utf16(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _utf8(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


COUNTERS: dict[str, Counter] = {
    PositionEncodingKind.Utf8.value: _utf8,
    PositionEncodingKind.Utf16.value: _utf16,
    PositionEncodingKind.Utf32.value: len,
}


class Positions:
    """Turns places of texts into those of a client, and back, in the encoding that both agreed on."""

    def __init__(self, encoding: str = PositionEncodingKind.Utf16.value) -> None:
        self._units = COUNTERS[encoding]

    def range_of(self, span: Span) -> Range:
        """Where a span stands."""
        return Range(self.position(span.source, span.start), self.position(span.source, span.end))

    def position(self, source: Source, offset: int) -> Position:
        """Where an offset stands."""
        line, column = source.position(offset)
        start = source.line_starts[line - 1]
        return Position(line - 1, self._units(source.text[start : start + column - 1]))

    def offset(self, source: Source, position: Position) -> int:
        """The offset of a place; of one behind the end of its line or of the text, that end."""
        if position.line >= len(source.line_starts):
            return len(source.text)
        start, end = source.line_bounds(position.line + 1)
        line = source.text[start:end]
        if line.isascii():
            return min(start + position.character, end)
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._units(character)
        return end
