"""What a refusal means, and that its words are short and without secrets."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.models.failures import (
    Complaint,
    classify,
    complaint_of,
    read_complaint,
    read_retry_after,
    redact,
    status_of,
)
from agentspec.adapters.models.witness import Witness
from agentspec.core.messages import Failure

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("body", "message", "codes"),
    [
        (b'{"error":{"message":"m","type":"T","code":"C"}}', "m", {"t", "c"}),
        (b'{"error":{"message":"m","code":429,"status":"RESOURCE_EXHAUSTED"}}', "m", {"429", "resource_exhausted"}),
        (b'{"error":"m"}', "m", {"m"}),
        (b'{"error":"code","message":"m"}', "m", {"code"}),
        (b'{"message":"m"}', "m", set()),
        (b'{"detail":"m"}', "m", set()),
        (b'{"detail":[{"msg":"m"}]}', '[{"msg":"m"}]', set()),
        (b'[{"error":{"message":"m"}}]', "m", set()),
        (b'"m"', "m", set()),
        (b"m\n", "m", set()),
        (b"<html><head><title> Bad Gateway </title>", "an HTML page (Bad Gateway)", set()),
        (b"<html>", "an HTML page", set()),
        (b"", "", set()),
        (b"null", "", set()),
        (b"[]", "", set()),
        (b'{"error":null}', "", set()),
        (b'{"error":{"message":null,"type":null}}', "", set()),
    ],
)
def test_error_bodies_of_every_shape_are_read(body, message, codes):
    assert read_complaint(body) == Complaint(message, frozenset(codes))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "2"}, 0.25),
        ({"retry-after": "-2"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e9"}, 1e9),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30 GMT"}, 10.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:10 GMT"}, 0.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30 GMT", "date": "Tue, 14 Nov 2023 22:13:25 GMT"}, 5.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30 GMT", "date": "no date"}, 10.0),
        ({"retry-after": "Tue, 99 Nov 2023 22:13:30 GMT"}, None),
    ],
)
def test_the_time_to_wait_is_read_in_all_its_forms(headers, seconds):
    assert read_retry_after(headers, NOW) == seconds


def test_a_reset_time_in_the_body_counts_where_no_header_says_it():
    complaint = complaint_of({"error": {"type": "usage_limit_reached", "message": "later", "resets_in_seconds": 3600}})

    assert classify(429, complaint, {}).retry_after == 3600.0


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"type": "overloaded_error"}, 529),
        ({"code": 503}, 503),
        ({"code": "429"}, 429),
        ({"type": "invalid_request_error", "code": "context_length_exceeded"}, 400),
        ({"code": "content_filter"}, 400),
        ({"type": "never_heard_of"}, 500),
        ({}, 500),
    ],
)
def test_an_error_inside_a_success_stands_for_a_status(error, status):
    assert status_of(complaint_of({"error": {"message": "m", **error}})) == status


@pytest.mark.parametrize(
    ("words", "permanent"),
    [
        ("Your credit balance is too low to access the API", True),
        ("Insufficient Balance", True),
        ("Quota exceeded for requests per minute, retry in 3 s", False),
    ],
)
def test_only_an_empty_balance_is_permanent(words, permanent):
    assert classify(429, Complaint(words, frozenset()), {}).retryable is not permanent


SECRET = "abcd-efgh-1234"


@pytest.mark.parametrize(
    "text",
    [
        f"the key {SECRET} is wrong",
        "Incorrect API key provided: sk-proj-abc***************xyz9.",
        "header Authorization: Bearer abcdef0123456789 was refused",
        "GET https://ada:hunter2@host/v1 failed",
        "key=AIzaSyA-1234567890abcdef is not valid",
    ],
)
def test_secrets_and_what_looks_like_one_never_show(text):
    shown = redact(text, (SECRET,))

    assert "[redacted]" in shown
    assert not any(secret in shown for secret in (SECRET, "abc***", "abcdef0123456789", "hunter2", "AIzaSy"))


def test_ordinary_words_are_left_alone():
    text = "task-oriented risk: the skeleton asks for sk and pk-1"

    assert redact(text, ("", "a")) == text


def test_a_long_body_is_shown_in_part_and_its_length_is_told():
    assert redact("x" * 5000, ()) == "x" * 400 + "… (5000 characters)"


def test_a_failure_names_provider_model_host_status_and_request():
    witness = Witness("openai", "gpt", "api.example", (SECRET,))

    failure = witness.failure(
        "rate_limited", f"slow\n down {SECRET}", status=429, request_id=f"req-{SECRET}", retry_after=2.0
    )

    assert failure == Failure(
        category="rate_limited",
        message="openai `gpt` at api.example: HTTP 429: slow down [redacted] (request req-[redacted])",
        retryable=True,
        http_status=429,
        retry_after=2.0,
        provider="openai",
        model="gpt",
        request_id="req-[redacted]",
    )
    assert SECRET not in repr(witness)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "message", "code", "type", "detail", "resets_in_seconds"]), inner)
    ),
    max_leaves=12,
)


@given(body=JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=50), status=st.integers(201, 599))
def test_any_body_under_any_status_is_classified(body, status):
    complaint = read_complaint(body)

    refusal = classify(status, complaint, {"retry-after": complaint.message})

    assert isinstance(refusal.words, str)
    assert status_of(complaint) >= 400
