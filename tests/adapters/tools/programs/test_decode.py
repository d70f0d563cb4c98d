"""Bytes become text where they are text, and a description where they are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.programs.capture import Capture
from agentspec.adapters.tools.programs.decode import Decoded, decode, decode_captured


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        (b"", Decoded("")),
        ("naïve 😀\n".encode(), Decoded("naïve 😀\n")),
        (b"\xef\xbb\xbfx", Decoded("x")),
        ("zwölf".encode("utf-16"), Decoded("zwölf")),
        (b"\x1b[31mred\x1b[0m", Decoded("\x1b[31mred\x1b[0m")),
        (b"caf\xe9 au lait, no sugar", Decoded("caf\ufffd au lait, no sugar", replaced=1)),
        (b"a\0b", Decoded("(binary output, not shown: 3 bytes, begins 61 00 62)", is_binary=True)),
        (b"%PDF-1.7\0", Decoded("(binary output, not shown: 9 bytes, PDF document, begins 25 50 44 46 2d 31 2e 37)", is_binary=True)),
        (bytes(range(128, 160)), Decoded("(binary output, not shown: 32 bytes, begins 80 81 82 83 84 85 86 87)", is_binary=True)),
    ],
)  # fmt: skip
def test_bytes_are_decoded_or_described(data, decoded):
    assert decode(data) == decoded


@given(st.text(alphabet="aé漢😀\n", max_size=200), st.integers(1, 20), st.integers(1, 7))
def test_the_ends_of_a_stream_hold_whole_characters(text, keep, step):
    data = text.encode()
    capture = Capture(keep, 0)
    for start in range(0, len(data), step):
        capture.feed(data[start : start + step])

    decoded = decode_captured(capture.finish())

    if len(data) <= 2 * keep:
        assert decoded == Decoded(text)
    else:
        head, seam, tail = decoded.text.partition("\n[… ")
        assert seam
        assert text.startswith(head)
        assert text.endswith(tail.partition("…]\n")[2])
        assert "\ufffd" not in decoded.text
