"""Requests as bytes: stable prefixes, every message encoded once, nothing that poisons a conversation."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.message_log import Unpaired, sendable_arguments
from agentspec.adapters.models.wires.openai_wire import ChatWire
from agentspec.core.messages import AssistantMessage, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest, ToolSchema
from tests.adapters.models.asking import TOOL

OPENING = (SystemMessage("You look things up."), UserMessage("Go."))


def transcript(*messages):
    return Transcript([*OPENING, *messages])


def writer(**constant):
    return ChatWire({"model": "m-1", **constant}, "here m-1")


def called(*calls, text="", **more):
    return AssistantMessage(text=text, calls=tuple(ToolCall(*call) for call in calls), **more)


def sent(*messages, **fields):
    request = ModelRequest(transcript=transcript(*messages), **fields)
    return json.loads(writer().body(request, stream=False))


def test_a_request_is_constant_fields_then_messages_then_what_varies():
    messages = [called(("c1", "lookup", '{"key":"a"}')), ToolMessage("c1", "lookup", "found")]
    request = ModelRequest(
        transcript=transcript(*messages), tools=(TOOL,), harness="Be quick.", max_output_tokens=64, tool_choice="none"
    )

    body = writer(temperature=0.5).body(request, stream=True)

    assert body.decode() == (
        '{"model":"m-1","temperature":0.5,"stream":true,"stream_options":{"include_usage":true},'
        '"tools":[{"type":"function","function":{"name":"lookup","description":"Look a key up.",'
        '"parameters":{"type":"object","properties":{"key":{"type":"string"}}}}}],"messages":['
        '{"role":"system","content":"You look things up."},{"role":"user","content":"Go."},'
        '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",'
        '"function":{"name":"lookup","arguments":"{\\"key\\":\\"a\\"}"}}]},'
        '{"role":"tool","tool_call_id":"c1","content":"found"},{"role":"user","content":"Be quick."}],'
        '"max_tokens":64,"tool_choice":"none"}'
    )


TEXTS = st.text(max_size=20)
TURNS = st.lists(st.tuples(TEXTS, st.integers(0, 3), TEXTS, st.none() | st.text(min_size=1, max_size=9)), max_size=8)


@given(turns=TURNS, stream=st.booleans())
def test_each_request_is_a_byte_prefix_of_the_next_up_to_its_harness_slot(turns, stream):
    one, history, bodies, harnesses = writer(), transcript(), [], []
    for number, (text, calls, result, harness) in enumerate(turns):
        request = ModelRequest(transcript=history, tools=(TOOL,), harness=harness, max_output_tokens=number)
        bodies.append(one.body(request, stream=stream))
        harnesses.append(harness)
        ids = [f"c{number}_{place}" for place in range(calls)]
        history = history.append(called(*((each, "lookup", "{}") for each in ids), text=text))
        for each in ids:
            history = history.append(ToolMessage(each, "lookup", result))

    for before, after, harness in zip(bodies, bodies[1:], harnesses, strict=False):
        slot = to_json({"role": "user", "content": harness}) if harness else b"],"
        shared = before[: before.rindex(slot)].rstrip(b",")
        assert after.startswith(shared)


@given(turns=TURNS)
def test_bytes_that_were_kept_are_those_that_a_new_writer_makes(turns):
    one, history = writer(), transcript()
    for number, (text, calls, result, harness) in enumerate(turns):
        ids = [f"c{number}_{place}" for place in range(calls)]
        history = history.append(called(*((each, "lookup", "{}") for each in ids), text=text))
        for each in ids:
            history = history.append(ToolMessage(each, "lookup", result))
        request = ModelRequest(transcript=history, harness=harness)

        assert one.body(request, stream=False) == writer().body(request, stream=False)


def test_another_transcript_is_written_anew_and_roles_do_not_disturb_each_other():
    one = writer()
    worker = ModelRequest(transcript=transcript(UserMessage("more")))
    judge = ModelRequest(transcript=Transcript([UserMessage("judge this")]), role="judge")
    compacted = ModelRequest(transcript=transcript(UserMessage("summary")))

    bodies = [one.body(each, stream=False) for each in (worker, judge, worker, compacted)]

    assert bodies == [writer().body(each, stream=False) for each in (worker, judge, worker, compacted)]


def test_a_narrower_tool_list_changes_the_request():
    one, other = writer(), ToolSchema("other", "", {"type": "object"})

    names = [
        [
            tool["function"]["name"]
            for tool in json.loads(one.body(ModelRequest(Transcript(), tools), stream=False))["tools"]
        ]
        for tools in ((TOOL, other), (TOOL,), (TOOL, other))
    ]

    assert names == [["lookup", "other"], ["lookup"], ["lookup", "other"]]


def test_without_tools_neither_a_list_nor_a_choice_is_sent():
    assert {"tools", "tool_choice"}.isdisjoint(sent(tool_choice="auto"))


def test_a_tool_without_parameters_has_an_object_schema_all_the_same():
    body = sent(tools=(ToolSchema("now", "The time.", {}),))

    assert body["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}


def test_a_tool_is_chosen_by_its_name():
    body = sent(tools=(TOOL,), tool_choice="lookup")

    assert body["tool_choice"] == {"type": "function", "function": {"name": "lookup"}}


def test_what_a_turn_asks_for_holds_over_what_is_usual_and_no_answer_grows_by_it():
    capped = ModelRequest(transcript=transcript(), tools=(TOOL,), max_output_tokens=5, tool_choice="none")
    loose = ModelRequest(transcript=transcript(), tools=(TOOL,), max_output_tokens=500)
    wire = writer(max_completion_tokens=9, tool_choice="auto")

    first, second = (json.loads(wire.body(request, stream=False)) for request in (capped, loose))

    assert (first["max_completion_tokens"], first["tool_choice"], "max_tokens" in first) == (5, "none", False)
    assert (second["max_completion_tokens"], second["tool_choice"]) == (9, "auto")


def test_an_empty_result_is_sent_in_words():
    body = sent(called(("c1", "lookup", "{}")), ToolMessage("c1", "lookup", ""))

    assert body["messages"][-1]["content"] == "(no output)"


def test_a_reply_with_nothing_but_reasoning_is_not_sent_back_as_an_empty_message():
    body = sent(AssistantMessage(reasoning="hm"), UserMessage("well?"))

    assert [message["role"] for message in body["messages"]] == ["system", "user", "user"]


@pytest.mark.parametrize(
    ("stored", "sent_back"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('{"a":1,}', '{"a":1}'),
        ("{'a': 1}", '{"a":1}'),
        ('{"text":"unterminated', "{}"),
        ("", "{}"),
        ("None", "{}"),
        ("null", "{}"),
        ("[1]", "{}"),
        ("7", "{}"),
        ('{"a":' * 3000, "{}"),
    ],
)
def test_broken_arguments_of_a_past_call_go_back_as_well_formed_json(stored, sent_back):
    assert sendable_arguments(stored) == sent_back


@given(stored=st.text(max_size=60) | st.text(alphabet='{}[]":,ab1 \\', max_size=40))
def test_whatever_is_stored_goes_back_as_a_json_object(stored):
    assert isinstance(json.loads(sendable_arguments(stored)), dict)


def test_lone_surrogates_and_numbers_that_are_none_are_cleaned_on_the_wire():
    body = sent(UserMessage("a\ud83d b\ud83d\ude00"))

    assert body["messages"][-1]["content"] == "a\ufffd b\U0001f600"
    assert to_json({"a": math.nan, "b": [math.inf, "\udc00"]}) == b'{"a":null,"b":[null,"\xef\xbf\xbd"]}'


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([called(("c1", "lookup", "{}"))], "the call `c1` has no result"),
        ([called(("c1", "lookup", "{}")), UserMessage("well?")], "the call `c1` has no result"),
        ([ToolMessage("c1", "lookup", "x")], "the result `c1` answers no open call"),
        (
            [called(("c1", "lookup", "{}")), ToolMessage("c1", "lookup", "x"), ToolMessage("c1", "lookup", "x")],
            "the result `c1` answers no open call",
        ),
        ([called(("c1", "a", "{}"), ("c1", "b", "{}"))], "the call id `c1` is empty or stands twice in one reply"),
        ([called(("", "a", "{}"))], "the call id `` is empty or stands twice in one reply"),
    ],
)
def test_a_conversation_whose_calls_and_results_do_not_pair_is_not_sent(messages, problem):
    one = writer()
    for _ in range(2):  # a second attempt with the same transcript is refused as well
        with pytest.raises(Unpaired) as caught:
            one.body(ModelRequest(transcript=transcript(*messages)), stream=False)
        assert str(caught.value) == problem


def test_what_only_one_model_understands_goes_back_to_it_and_to_no_other():
    extra = {"message": {"reasoning_content": "hm"}, "calls": {"c1": {"extra_content": {"google": "sig"}}}}
    ours = called(("c1", "lookup", "{}"), extra=extra, origin="here m-1")
    theirs = called(("c2", "lookup", "{}"), extra=extra, origin="there m-2")

    body = sent(ours, ToolMessage("c1", "lookup", "x"), theirs, ToolMessage("c2", "lookup", "x"))

    assert body["messages"][2]["reasoning_content"] == "hm"
    assert body["messages"][2]["tool_calls"][0]["extra_content"] == {"google": "sig"}
    assert body["messages"][4].keys() == {"role", "content", "tool_calls"}
    assert body["messages"][4]["tool_calls"][0].keys() == {"id", "type", "function"}


def test_a_request_is_marked_by_its_bytes_and_by_what_it_shares_with_the_one_before():
    asked = transcript(SystemMessage("You look things up."), UserMessage("Go."))
    longer = asked.append(AssistantMessage("One moment.")).append(UserMessage("Now?"))
    one, other = writer(), writer()

    first = one.body(ModelRequest(transcript=asked), stream=False)
    mark = one.written.mark
    second = one.body(ModelRequest(transcript=longer), stream=False)
    other.body(ModelRequest(transcript=longer), stream=False)

    shared = first.removesuffix(b"]}")
    assert (mark.prefix_share, mark.prefix_bytes) == (0, 0)
    assert (one.written.mark.prefix_share, one.written.mark.prefix_bytes) == (1, len(shared))
    assert second.startswith(shared)
    assert one.written.mark.hash == other.written.mark.hash != mark.hash
    assert other.written.mark.prefix_share == 0
