"""A text is cut to its cap on whole characters and lines, and says so."""

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.calls.cap import Capped, byte_size, cap, encodable

any_text = st.text(alphabet=st.one_of(st.characters(codec=None), st.sampled_from("aé漢😀\n\ud800")), max_size=300)


def test_a_text_within_the_cap_stays_as_it_is():
    assert cap("naïve\n", 7) == Capped("naïve\n", truncated=False, full_bytes=7)


def test_head_and_tail_are_whole_lines_around_a_marker():
    lines = "".join(f"line {number}\n" for number in range(1000))

    capped = cap(lines, 240, "abc")

    assert capped == Capped(
        "line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\n"
        '\n[… cut: 8890 bytes in all, about 8650 left out here; read the rest with `read_output(artifact="abc")` …]\n'
        "line 993\nline 994\nline 995\nline 996\nline 997\nline 998\nline 999\n",
        truncated=True,
        full_bytes=8890,
    )


def test_one_long_line_is_cut_between_characters():
    capped = cap("漢" * 1000, 190)

    assert capped.full_bytes == 3000
    assert capped.text == ("漢" * 21 + "\n[… cut: 3000 bytes in all, about 2810 left out here …]\n" + "漢" * 22)


def test_the_true_size_of_a_larger_output_is_told():
    capped = cap("head\ntail\n", 1000, full_bytes=5_000_000)

    assert capped.truncated
    assert capped.full_bytes == 5_000_000
    assert "5000000 bytes in all" in capped.text


def test_lone_surrogates_are_replaced_and_pairs_joined():
    assert encodable("a\ud800b\ud83d\ude00") == "a\ufffdb😀"
    assert cap("\udfff", 10) == Capped("\ufffd", truncated=False, full_bytes=3)


def test_the_size_of_a_large_text_is_counted_in_pieces():
    assert byte_size("é" * 3_000_000) == 6_000_000


@given(any_text, st.integers(0, 400), st.none() | st.just("a" * 64), st.integers(0, 1000))
def test_the_total_never_passes_the_cap(text, max_bytes, artifact, full_bytes):
    capped = cap(text, max_bytes, artifact, full_bytes=full_bytes)

    size = len(capped.text.encode())
    assert size <= max_bytes or (not capped.truncated and size == 0)
    assert capped.truncated == (capped.full_bytes > max_bytes or full_bytes > byte_size(encodable(text)))
    assert capped.full_bytes == max(byte_size(encodable(text)), full_bytes)


@given(any_text, st.integers(60, 400))
def test_what_is_kept_stands_at_the_ends_of_the_text(text, max_bytes):
    capped = cap(text, max_bytes)

    if capped.truncated:
        head, _, rest = capped.text.partition("[… ")
        tail = rest.partition("…]")[2]
        clean = encodable(text)
        assert clean.startswith(head.removesuffix("\n"))
        assert clean.endswith(tail.removeprefix("\n"))
