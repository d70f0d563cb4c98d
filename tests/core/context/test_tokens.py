"""Estimates of tokens against the vocabularies of real models: true enough before a word is counted, and close after."""

from functools import cache

import bpe_openai
import pytest

from agentspec.core.context.counted import Counted
from agentspec.core.context.tokens import tokens_of
from agentspec.core.messages import AssistantMessage, Message, UserMessage
from agentspec.core.transcript import MESSAGE_TOKENS, Transcript
from tests.core.texts import TEXTS, pieces

NEW, OLD = "o200k_base", "cl100k_base"  # the vocabulary that the weights were fitted to, and one that they were not


@cache
def vocabulary(name: str) -> bpe_openai.Encoding:
    return bpe_openai.get_encoding(name)


def counted(transcript: Transcript, name: str = NEW) -> int:
    """The tokens of a request as its server counts them."""
    return sum(len(vocabulary(name).encode_ordinary(message.text)) + int(MESSAGE_TOKENS) for message in transcript)


def conversation(*kinds: str, turns: int) -> Transcript:
    """A conversation in which each kind of text stands in turn."""
    texts = [text for parts in zip(*(pieces(kind, turns) for kind in kinds), strict=True) for text in parts]
    makes = (UserMessage, AssistantMessage)
    messages: list[Message] = [makes[at % 2](text=text) for at, text in enumerate(texts)]
    return Transcript(messages)


def after_first(first: Transcript, name: str) -> Counted:
    """What is known when the first request was counted."""
    return Counted().after("m", first.tokens, counted(first, name))


def off(expected: float, true: float) -> float:
    return abs(expected - true) / true


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_is_estimated_before_anything_was_counted(kind: str) -> None:
    text = TEXTS[kind]()

    assert off(tokens_of(text), len(vocabulary(NEW).encode_ordinary(text))) < 0.15


@pytest.mark.parametrize("name", [NEW, OLD])
@pytest.mark.parametrize("kind", TEXTS)
def test_the_second_request_is_within_five_per_cent_where_the_mix_is_the_same(kind: str, name: str) -> None:
    first, second = conversation(kind, turns=6), conversation(kind, turns=12)

    known = after_first(first, name)

    assert off(known.expected(second.tokens), counted(second, name)) < 0.05


@pytest.mark.parametrize("name", [NEW, OLD])
def test_the_second_request_is_within_five_per_cent_of_a_mix_of_all(name: str) -> None:
    first, second = conversation(*TEXTS, turns=3), conversation(*TEXTS, turns=6)

    known = after_first(first, name)

    assert off(known.expected(second.tokens), counted(second, name)) < 0.05


@pytest.mark.parametrize("begun", ["prose", "code"])
@pytest.mark.parametrize("kind", TEXTS)
def test_the_second_request_is_within_fifteen_per_cent_where_the_mix_changes(begun: str, kind: str) -> None:
    first = conversation(begun, turns=6)
    second = Transcript([*first, *conversation(kind, turns=6)])

    known = after_first(first, NEW)

    assert off(known.expected(second.tokens), counted(second)) < 0.15


def test_a_lone_surrogate_has_an_estimate_as_well() -> None:
    assert tokens_of("\ud800") > 0


@pytest.mark.parametrize("tokens", [0, -5, 1, 10**9])
def test_usage_that_no_tokenizer_could_have_is_not_believed(tokens: int) -> None:
    assert Counted().after("m", 1_000.0, tokens).expected(1_000.0) == 1_000


def test_each_route_has_its_own_ratio() -> None:
    known = Counted().after("small", 1_000.0, 1_500).after("large", 1_000.0, 1_000)

    again = known.after("small", 2_000.0, 3_000)

    assert (known.expected(100.0), again.expected(100.0)) == (100, 150)


def test_a_server_that_read_far_less_than_it_was_sent_has_dropped_the_rest() -> None:
    known = Counted().after("m", 2_000.0, 2_000)

    assert known.after("m", 9_000.0, 4_096).dropped == 4_096
    assert known.after("m", 900.0, 500).dropped == 0  # a request that grew shorter says nothing
