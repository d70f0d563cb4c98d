"""Known secrets are taken out of texts, values, answers, outputs and streams, and nothing else is."""

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.messages import Failure, Reply, ToolCall, ToolError
from agentspec.ports import Delta, Output
from agentspec.runtime.masking.deltas import MaskedDeltas
from agentspec.runtime.masking.files import PIECE, MaskedFiles
from agentspec.runtime.masking.known import KnownSecrets
from agentspec.runtime.masking.mask import Mask
from agentspec.text.blanks import HIDDEN

KEY = "sk-geheim-0123"
OTHER = "sk-geheim-0123-long"
SECRETS = (KEY, OTHER, "short", "")
MASK = Mask(SECRETS)
FILES = MaskedFiles(KnownSecrets(SECRETS))


def test_the_longest_secret_is_taken_out_whole():
    assert MASK.text(f"a {OTHER} b {KEY}{KEY} short") == f"a {HIDDEN} b {HIDDEN}{HIDDEN} short"


def test_values_are_masked_at_every_depth_keys_too():
    value = {"a": [KEY, 1, None, {KEY: True}]}

    assert MASK.value(value) == {"a": [HIDDEN, 1, None, {HIDDEN: True}]}


def test_an_answer_is_masked_in_all_its_parts_and_keeps_the_rest_of_what_only_its_maker_understands():
    reply = Reply(
        text=KEY,
        reasoning=KEY,
        calls=(ToolCall("c", KEY, f'{{"k":"{KEY}"}}'),),
        extra={"signature": KEY, "calls": {"c": {"seal": "x"}}},
    )

    assert MASK.answer(reply) == Reply(
        text=HIDDEN,
        reasoning=HIDDEN,
        calls=(ToolCall("c", HIDDEN, f'{{"k":"{HIDDEN}"}}'),),
        extra={"signature": HIDDEN, "calls": {"c": {"seal": "x"}}},
    )
    failed = Failure(category="auth", message=KEY, text=KEY)
    assert MASK.answer(failed) == Failure(category="auth", message=HIDDEN, text=HIDDEN)


def test_an_output_is_masked_in_text_data_and_error():
    output = Output(text=KEY, data={"k": KEY}, error=ToolError(category="x", message=KEY))

    masked = MASK.output(output)

    assert masked == Output(text=HIDDEN, data={"k": HIDDEN}, error=ToolError(category="x", message=HIDDEN))


def test_without_secrets_everything_stays_the_very_same():
    reply, output = Reply(text=KEY), Output(text=KEY)

    assert Mask().answer(reply) is reply
    assert Mask().output(output) == output


def test_a_mask_does_not_show_what_it_hides():
    assert KEY not in repr(MASK)


@given(
    st.lists(
        st.sampled_from(
            [
                "sk-",
                "geheim",
                "-0123",
                "-long",
                KEY,
                OTHER,
                "x",
                " ",
                "\\",
                "\\u0073k-",
                "\\u002dgeheim",
                "\\u002D0123",
                "\\-",
            ]
        ),
        max_size=12,
    ),
    st.lists(st.integers(0, 40), max_size=12),
)
def test_a_stream_says_the_same_in_pieces_as_at_once(words, cuts):
    text = "".join(words)
    marks = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    heard: list[Delta] = []
    listener = MaskedDeltas(MASK, heard.append)

    for start, end in pairwise(marks):
        listener(Delta("text_delta", text[start:end]))
    listener.end()

    assert "".join(delta.text for delta in heard) == MASK.text(text)


@given(
    st.lists(st.sampled_from(["sk-", "geheim", "-0123", "-long", KEY, OTHER, "x", "\xff", "\t"]), max_size=12),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "latin-1"]),
    st.integers(1, 40),
)
def test_a_file_says_the_same_in_pieces_as_at_once(words, encoding, size):
    raw = "".join(words).encode(encoding)

    pieces = b"".join(FILES.pieces(io.BytesIO(raw), size))

    assert pieces == b"".join(FILES.pieces(io.BytesIO(raw)))
    assert pieces.decode(encoding) == MASK.text("".join(words))


def test_a_file_is_masked_in_its_place_and_stays_its_owners(tmp_path):
    path = tmp_path / "output"
    path.write_bytes(b"x" * (PIECE - 5) + KEY.encode() + b"\xff" * PIECE)

    MASK.file(path)

    assert path.read_bytes() == b"x" * (PIECE - 5) + HIDDEN.encode() + b"\xff" * PIECE
    assert path.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("cut", [KEY[:6], KEY[:-1], f"see {OTHER[:-1]}"])
def test_the_beginning_of_a_secret_before_a_cut_is_hidden_in_a_label(cut):
    assert KEY[:6] not in MASK.label(cut)
    assert KEY[:6] not in MASK.label(f"{cut}\u2026 (900 characters)")
    assert MASK.label("a sk- and a skill") == "a sk- and a skill"


def test_a_call_id_with_a_secret_in_it_is_replaced_by_one_that_stays_unique():
    calls = (ToolCall(f"{KEY}-1", "a", "{}"), ToolCall("c", "a", "{}"), ToolCall(f"{KEY}-2", "a", "{}"))
    extra = {"calls": {f"{KEY}-1": {"seal": 1}, f"{KEY}-2": {"seal": 2}}}

    masked = MASK.answer(Reply(calls=calls, extra=extra), 7)

    assert [call.id for call in masked.calls] == ["call_redacted_7_0", "c", "call_redacted_7_2"]
    assert masked.extra == {"calls": {"call_redacted_7_0": {"seal": 1}, "call_redacted_7_2": {"seal": 2}}}
