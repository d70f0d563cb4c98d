"""Every request is one that the vendor's own types take, and what the tests' servers say is what the vendor would."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from tests.adapters.models.asking import TOOL
from tests.adapters.models.conversations import conversations, decoded
from tests.adapters.models.vendors import VENDORS
from tests.servers.said import Call, Counts, Said
from tests.servers.speakers import SPEAKERS

ORIGIN = "here m-1"
WIRES = pytest.mark.parametrize("provider", VENDORS)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SAMPLING = {"temperature": 0.5, "top_p": 0.9, "stop": ["END"], "max_tokens": 900}
# What varies by turn.
VARYING = st.fixed_dictionaries(
    {},
    optional={
        "harness": st.sampled_from(["Go on.", " "]),
        "max_output_tokens": st.integers(1, 5000),
        "tool_choice": st.sampled_from(["auto", "none", "required", "lookup"]),
        "allowed": st.just(("lookup",)),
        "schema": st.just({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        "tools": st.just(()),
    },
)
CALLS = st.builds(
    Call,
    st.from_regex(r"[a-z0-9_]{1,12}", fullmatch=True),
    st.just("lookup"),
    st.dictionaries(TEXTS, TEXTS, max_size=2),
)
ANSWERS = st.builds(
    Said,
    TEXTS,
    st.lists(CALLS, max_size=3, unique_by=lambda call: call.id).map(tuple),
    TEXTS,
    st.sampled_from(["stop", "length"]),
    st.builds(Counts, st.integers(60, 1000), st.integers(0, 60), st.integers(8, 1000), st.integers(0, 8)),
)


def take_request(
    provider: str, conversation: Transcript, varying: dict[str, Any], sampling: dict[str, Any], *, stream: bool
) -> None:
    wire = PROVIDERS[provider].wire({"model": "m-1", **sampling}, ORIGIN)
    request = ModelRequest(**{"transcript": conversation, "tools": (TOOL,), **varying})
    VENDORS[provider].request(decoded(wire.body(request, stream=stream)))


def take_answer(provider: str, said: Said) -> None:
    speaker, vendor = SPEAKERS[provider], VENDORS[provider]
    vendor.whole(json.loads(json.dumps(speaker.whole(said))))
    for event in (*speaker.opening(said), *speaker.closing(said)):
        vendor.event(event)


@WIRES
@settings(max_examples=20)
@given(data=st.data())
def test_a_request_is_taken_whatever_was_said(provider: str, data: st.DataObject) -> None:
    conversation = data.draw(conversations(ORIGIN, VENDORS[provider].extra))

    take_request(
        provider,
        conversation,
        data.draw(VARYING),
        data.draw(st.sampled_from([{}, SAMPLING])),
        stream=data.draw(st.booleans()),
    )


@WIRES
@pytest.mark.slow
@settings(max_examples=500)
@given(data=st.data())
def test_five_hundred_requests_are_taken(provider: str, data: st.DataObject) -> None:
    conversation = data.draw(conversations(ORIGIN, VENDORS[provider].extra))

    take_request(provider, conversation, data.draw(VARYING), {}, stream=data.draw(st.booleans()))


@WIRES
@settings(max_examples=10)
@given(ANSWERS)
def test_an_answer_of_the_tests_servers_is_one_of_the_vendors(provider: str, said: Said) -> None:
    take_answer(provider, said)


@WIRES
@pytest.mark.slow
@settings(max_examples=200)
@given(ANSWERS)
def test_two_hundred_answers_are_the_vendors(provider: str, said: Said) -> None:
    take_answer(provider, said)
