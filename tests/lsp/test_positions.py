"""Places of texts as clients count them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol.types import Position

from agentspec.lsp.positions import Positions
from agentspec.text.source import Source

TEXTS = st.text(st.sampled_from("aé😀\u2028\x0b\n\r\t "), max_size=12)


@settings(max_examples=30)
@given(text=TEXTS, encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_every_place_is_found_again(text: str, encoding: str) -> None:
    positions, source = Positions(encoding), Source("a.yaml", text)

    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] != "\r\n":  # nothing stands within a line end
            assert positions.offset(source, positions.position(source, offset)) == offset


@pytest.mark.parametrize(
    ("line", "character", "offset"),
    [(0, 0, 0), (0, 2, 2), (0, 3, 2), (0, 4, 3), (0, 99, 3), (1, 1, 5), (7, 0, 6)],
)
def test_a_place_that_is_not_there_is_the_nearest_one(line: int, character: int, offset: int) -> None:
    source = Source("a.yaml", "a😀b\nc\n")

    assert Positions().offset(source, Position(line, character)) == offset
