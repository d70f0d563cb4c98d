"""Ranking: what fits better comes first, always in the same order."""

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.offer.rank import Index, fused, ordered, words_of

WORDS = st.lists(st.sampled_from(["file", "read", "mail", "send", "invoice", "list"]), max_size=6)


def test_names_are_taken_apart_and_plurals_are_one_word() -> None:
    assert words_of("getHTTPHeaders of list_invoices, please") == ["get", "http", "header", "list", "invoice"]


def test_what_is_rare_tells_more_than_what_is_everywhere() -> None:
    index = Index([["read", "file"], ["read", "invoice"], ["read", "mail"]])

    assert ordered(index.scores(["read", "invoice"]))[0] == 1


def test_nothing_fits_a_word_that_nobody_has() -> None:
    assert Index([["read"], ["send"]]).scores(["dance"]) == [0.0, 0.0]
    assert Index([]).scores(["dance"]) == []


@given(st.lists(WORDS, max_size=8), WORDS)
def test_the_order_is_always_the_same_and_holds_no_text_without_a_word_of_the_query(
    documents: list[list[str]], query: list[str]
) -> None:
    once = ordered(Index(documents).scores(query))
    again = ordered(Index(documents).scores(query))

    assert once == again
    assert {at for at, words in enumerate(documents) if set(words) & set(query)} == set(once)


def test_a_fusion_prefers_what_both_rankings_have_in_front() -> None:
    assert ordered(fused([3.0, 2.0, 1.0], [0.0, 2.0, 1.0])) == [1, 2, 0]
