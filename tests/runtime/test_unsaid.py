"""The word that says done is in no live text, wherever the stream is cut."""

from hypothesis import given
from hypothesis import strategies as st

from agentspec.ports import Delta
from agentspec.runtime.unsaid import Unsaid

WORD = "##DONE##"


def heard_of(pieces: list[str]) -> list[Delta]:
    heard: list[Delta] = []
    listener = Unsaid(WORD, heard.append)
    for piece in pieces:
        listener(Delta(kind="text_delta", text=piece))
    listener.end()
    return heard


@given(st.lists(st.sampled_from(["a", "#", "##", "DONE", "##DO", "NE##", " "]), max_size=12))
def test_where_the_stream_is_cut_makes_no_difference(pieces: list[str]) -> None:
    whole = "".join(pieces)

    told = "".join(delta.text for delta in heard_of(pieces))

    assert told == "".join(delta.text for delta in heard_of(list(whole))) == whole.replace(WORD, "")


def test_text_that_cannot_be_the_word_does_not_wait() -> None:
    heard: list[Delta] = []

    Unsaid(WORD, heard.append)(Delta(kind="text_delta", text="It is # 4"))

    assert [delta.text for delta in heard] == ["It is # 4"]


def test_other_pieces_pass_and_a_new_attempt_forgets_what_waits() -> None:
    heard: list[Delta] = []
    listener = Unsaid(WORD, heard.append)
    call = Delta(kind="tool_call_delta", text="##DONE##", index=1, name="look")

    for delta in (Delta(kind="text_delta", text="##DO"), call, Delta(kind="restart")):
        listener(delta)
    listener.end()

    assert heard == [call, Delta(kind="restart")]
