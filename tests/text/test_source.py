"""Places in a text: lines and columns from 1, in code points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.text.source import Position, Source, Span


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("", 0, (1, 1)),
        ("abc", 3, (1, 4)),
        ("a\nb", 1, (1, 2)),
        ("a\nb", 2, (2, 1)),
        ("a\r\nb", 3, (2, 1)),
        ("a\rb", 2, (2, 1)),
        ("é😀x\ny", 2, (1, 3)),
        ("a\x85b\u2028c", 4, (1, 5)),
        ("a\n", 2, (2, 1)),
    ],
)
def test_an_offset_has_a_line_and_a_column(text: str, offset: int, expected: tuple[int, int]) -> None:
    assert Source("x", text).position(offset) == Position(*expected)


def test_a_line_comes_without_its_end() -> None:
    source = Source("x", "one\r\ntwo\rthree\n")

    assert [source.line(number) for number in range(1, 5)] == ["one", "two", "three", ""]


def test_a_span_knows_its_text_and_both_ends() -> None:
    span = Span(Source("x", "a: one\nb: two"), 3, 8)

    assert (span.text, span.first, span.last) == ("one\nb", (1, 4), (2, 2))
    assert span.part(1, 3).text == "ne"


@given(st.text("ab\r\né😀"), st.data())
def test_a_place_leads_back_to_its_offset(text: str, data: st.DataObject) -> None:
    source = Source("x", text)
    offset = data.draw(st.integers(0, len(text)))

    line, column = source.position(offset)

    assert source.line_starts[line - 1] + column - 1 == offset
