"""Whether a call fits into what is left: the arithmetic, apart from any run."""

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.facts import LeftFacts
from agentspec.core.limits.price import Price, cost_of
from agentspec.core.limits.reserve import Measured, estimate, least_output, output_cap, room_of_cost, within
from agentspec.core.messages import Usage
from agentspec.core.orders import Consultation

QUESTION = Consultation(system="Judge.", packet="Is it done?")


@given(st.text(max_size=300))
def test_a_text_of_words_is_never_thought_smaller_than_a_token_for_four_bytes(text):
    size = len(text.encode())

    assert estimate(Measured(), size) * 4 >= size


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(0, 10**6))
def test_a_request_that_grew_is_never_thought_smaller_than_it_was_counted(tokens, size, more):
    assert estimate(Measured(tokens, size), size + more) >= tokens


PRICES = st.builds(
    Price,
    input=st.floats(0, 100),
    output=st.floats(0, 1000),
    cached_input=st.none() | st.floats(0, 100),
    per_call=st.floats(0, 0.1),
    per_second=st.floats(0, 0.001),
)


@given(PRICES, st.floats(0, 10), st.integers(0, 100_000), st.integers(0, 100_000), st.floats(0, 120))
def test_an_answer_within_its_room_never_costs_more_than_is_left(price, left, request, cached, seconds):
    room = room_of_cost(left, request, price, seconds=120)

    usage = Usage(input_tokens=request, output_tokens=room, cached_input_tokens=min(cached, request))
    assert room == 0 or cost_of(usage, price, seconds=seconds) <= left * (1 + 1e-9) + 1e-9


def test_the_least_answer_is_longer_for_a_model_that_thinks_and_never_above_what_the_author_allows():
    assert (least_output(None), least_output(None, thinks=True), least_output(20)) == (64, 2048, 20)


def test_no_cap_is_sent_where_no_answer_could_pass_the_room():
    assert output_cap(200_000, None) is None
    assert output_cap(300, 200) is None


def test_a_question_to_a_judge_is_capped_at_what_is_left_and_not_asked_where_nothing_is():
    left = LeftFacts(tokens=1_000, cost_usd=0.001, provider_calls=1)

    by_tokens = within(QUESTION, left)
    by_cost = within(QUESTION, left, Price(input=1.0, output=4.0))

    assert by_tokens is not None
    assert by_tokens.max_output_tokens == 1_000 - 22
    assert by_cost is not None
    assert by_cost.max_output_tokens == 244
    assert within(QUESTION, LeftFacts(provider_calls=0)) is None
    assert within(QUESTION, LeftFacts(tokens=50)) is None
    assert within(QUESTION, LeftFacts(cost_usd=0.0), Price(output=1.0)) is None
    assert within(QUESTION, LeftFacts()) == QUESTION
