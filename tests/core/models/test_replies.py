"""What every provider's answer becomes before the kernel sees it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.messages import Failure
from agentspec.core.models.replies import RawCall, estimate_tokens, finish_of, refuses_format, settle_calls

IDS = st.sampled_from(["", "a", "b", "m0", "m1", "m0_2", " ", "x" * 300]) | st.text(max_size=3)


@given(
    raw=st.lists(st.builds(RawCall, IDS, st.sampled_from(["go", " ", "", "stop "]), st.text(max_size=3)), max_size=8),
    taken=st.sets(IDS, max_size=5),
)
def test_settled_calls_have_names_and_ids_that_are_new_and_unique(raw, taken):
    calls, lost = settle_calls(raw, taken, "m{}".format)

    ids = [call.id for call in calls]
    assert len(set(ids)) == len(ids)
    assert taken.isdisjoint(ids)
    assert all(each and each.isprintable() and len(each) <= 128 for each in ids)
    assert [call.name for call in calls] == [call.name.strip() for call in raw if call.name.strip()]
    assert [call.arguments for call in calls] == [call.arguments for call in raw if call.name.strip()]
    assert len(lost) == len(raw) - len(calls)
    assert settle_calls(raw, taken, "m{}".format) == (calls, lost)


def test_a_refusal_wins_over_a_stop_but_not_over_a_cut():
    assert finish_of("stop", has_calls=False, refused=True) == "refusal"
    assert finish_of("length", has_calls=False, refused=True) == "length"
    assert finish_of("LENGTH", has_calls=True) == "length"


def test_tokens_are_never_estimated_as_zero_for_something():
    assert [estimate_tokens(size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("status", "message", "refused"),
    [
        (400, "Unrecognized request argument supplied: tools", True),
        (404, "this model does not support tool use", True),
        (422, "response_format is not allowed", True),
        (400, "output_config.format: Extra inputs are not permitted", True),
        (400, "Function calling is not enabled for models/small", True),
        (400, "JSON mode is not enabled for models/small", True),
        (400, 'Invalid JSON payload received. Unknown name "responseJsonSchema"', True),
        (400, "temperature must be below 2", False),
        (500, "tools failed", False),
        (None, "tools", False),
    ],
)
def test_a_refused_format_is_told_from_other_bad_requests(status, message, refused):
    failure = Failure(category="invalid_request", message=message, http_status=status)

    assert refuses_format(failure) is refused
