"""What a refusal means, and that its words are short and without secrets."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.http.retry_after import read_retry_after
from agentspec.adapters.models.layers.witness import Witness
from agentspec.adapters.models.wires.failures import (
    Complaint,
    classify,
    complaint_of,
    read_complaint,
    redact,
    status_of,
)
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
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h2.5s"}, 3602.5),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "250ms",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "2",
            },
            2.0,
        ),
        ({"retry-after": "1", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s"}, 1.0),
        ({"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2023-11-14T22:13:30Z"}, 10),
        ({"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2023-99-14"}, None),
        ({"x-ratelimit-remaining-tokens": "0"}, None),
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
    ("status", "words", "category"),
    [
        (500, "image input is not supported - hint: you may need to provide the mmproj", "invalid_request"),
        (500, 'Failed to parse messages: Unsupported content part type: "image_url"', "invalid_request"),
        (500, "Model does not support images. Please use a model that does.", "invalid_request"),
        (500, "vision is not enabled for this model", "invalid_request"),
        (500, "the image of the container cannot be pulled", "server_error"),
        (503, "image input is not available right now", "server_error"),
    ],
)
def test_a_model_that_cannot_see_is_not_asked_again(status, words, category):
    refusal = classify(status, Complaint(words, frozenset()), {})

    assert (refusal.category, refusal.retryable) == (category, category == "server_error")


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


OVERFLOWS = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Unable to submit request because the input token count is 40000 but the model only supports up to 32768.",
    "the request exceeds the available context size, try increasing it",
    "the input length exceeds the context length",
    "prompt too long; exceeded max context length by 4 tokens",
    "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
    "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3000 `inputs` tokens",
    "Input validation error: `inputs` must have less than 1024 tokens. Given: 1100",
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
    "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
    "Input is too long for requested model.",
    "Range of input length should be [1, 129024]",
    "invalid params, context window exceeds limit",
    "prompt token count of 130000 exceeds the limit of 128000",
    "Prompt exceeds max length",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
]


@pytest.mark.parametrize("words", OVERFLOWS)
@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_an_overflow_is_one_in_everybodys_words(words, status):
    refusal = classify(status, Complaint(words, frozenset()), {})

    assert (refusal.category, refusal.retryable) == ("context_overflow", False)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (429, "Rate limit reached for input tokens per minute; too many tokens, please wait before trying again."),
        (429, "Quota exceeded for metric generate_content_free_tier_input_token_count"),
        (400, "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens for m-1"),
        (400, "array too long. Expected an array with maximum length 128 in `tools`."),
        (503, "the model's context window is being loaded"),
        (400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ],
)
def test_what_only_sounds_like_an_overflow_is_none(status, words):
    assert classify(status, Complaint(words, frozenset()), {}).category != "context_overflow"


@pytest.mark.parametrize(
    "error",
    [
        {"message": json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})},
        {
            "message": "Provider returned error",
            "metadata": {"raw": json.dumps({"error": {"type": "overloaded_error", "message": "Overloaded"}})},
        },
        {"message": "Provider returned error", "metadata": {"raw": "Overloaded", "provider_name": "x"}},
    ],
)
def test_a_gateway_that_quotes_the_server_behind_it_is_read_to_the_end(error):
    assert read_complaint(json.dumps({"error": error}).encode()).message == "Overloaded"


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
