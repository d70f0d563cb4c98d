"""Requests of the Messages API: accepted by the vendor's own types, stable at their beginning, thinking kept whole."""

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from pydantic import TypeAdapter

from agentspec.adapters.models.wires.anthropic_wire import MessagesWire, version_for
from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.message_log import Unpaired
from agentspec.core.messages import AssistantMessage, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from tests.adapters.models.asking import TOOL
from tests.adapters.models.conversations import decoded

WHOLE, STREAMED = TypeAdapter(MessageCreateParamsNonStreaming), TypeAdapter(MessageCreateParamsStreaming)
ORIGIN = "here m-1"
THOUGHT = {"type": "thinking", "thinking": "Look it up.", "signature": "c2lnbmVk"}
SIGNED = {"message": {"content": [THOUGHT, {"type": "text", "text": "I look."}]}}
OPENING = (SystemMessage("You look things up."), UserMessage("Go."))
CACHED = {"cache_control": {"type": "ephemeral"}}


def wire(**constant):
    return MessagesWire({"model": "m-1", **constant}, ORIGIN)


def request(*messages, **fields):
    return ModelRequest(transcript=Transcript([*OPENING, *messages]), **fields)


def sent(*messages, constant=None, **fields):
    return decoded(wire(**(constant or {})).body(request(*messages, **fields), stream=False))


def called(*ids, text="", **more):
    return AssistantMessage(text=text, calls=tuple(ToolCall(each, "lookup", '{"key":"a"}') for each in ids), **more)


def texts(message):
    return [block.get("text", block.get("content")) for block in message["content"]]


def test_a_request_is_constant_fields_then_messages_then_what_varies():
    turn = [called("c1", "c2", text="I look."), ToolMessage("c1", "lookup", "found"), ToolMessage("c2", "lookup", "")]

    body = wire(stop="END", seed=7).body(
        request(*turn, tools=(TOOL,), harness="Be quick.", max_output_tokens=64, tool_choice="required"), stream=True
    )

    assert body.decode() == (
        '{"model":"m-1","stop_sequences":["END"],"stream":true,"tools":[{"name":"lookup",'
        '"description":"Look a key up.","input_schema":{"type":"object","properties":{"key":{"type":"string"}}},'
        '"cache_control":{"type":"ephemeral"}}],'
        '"system":[{"type":"text","text":"You look things up.","cache_control":{"type":"ephemeral"}}],"messages":['
        '{"role":"user","content":[{"type":"text","text":"Go."}]},'
        '{"role":"assistant","content":[{"type":"text","text":"I look."},'
        '{"type":"tool_use","id":"c1","name":"lookup","input":{"key":"a"}},'
        '{"type":"tool_use","id":"c2","name":"lookup","input":{"key":"a"}}]},'
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"found"},'
        '{"type":"tool_result","tool_use_id":"c2","content":"(no output)","cache_control":{"type":"ephemeral"}}]},'
        '{"role":"user","content":[{"type":"text","text":"Be quick."}]}],'
        '"max_tokens":64,"tool_choice":{"type":"any"}}'
    )


def test_thinking_goes_back_signed_and_first_to_the_model_that_thought_it_and_to_no_other():
    own = called("c1", text="I look.", origin=ORIGIN, extra=SIGNED, reasoning="Look it up.")
    other = called("c1", text="I look.", origin="there m-2", extra=SIGNED, reasoning="Look it up.")
    result = ToolMessage("c1", "lookup", "found")

    assert sent(own, result)["messages"][1]["content"][:2] == [THOUGHT, {"type": "text", "text": "I look."}]
    assert [block["type"] for block in sent(other, result)["messages"][1]["content"]] == ["text", "tool_use"]


def test_an_answer_of_nothing_but_thinking_is_left_out():
    alone = AssistantMessage(origin=ORIGIN, extra={"message": {"content": [THOUGHT]}}, reasoning="Look it up.")

    assert [message["role"] for message in sent(alone)["messages"]] == ["user"]


def test_system_texts_stand_before_the_messages_and_a_later_one_in_its_place():
    body = sent(SystemMessage("Now be brief."))

    assert body["system"] == [{"type": "text", "text": "You look things up.", **CACHED}]
    assert [texts(message) for message in body["messages"]] == [["Go."], ["Now be brief."]]


def test_a_conversation_that_ends_with_the_models_own_words_is_given_back_to_it():
    assert [texts(message) for message in sent(AssistantMessage(text="Done."))["messages"]] == [
        ["Go."],
        ["Done."],
        ["Go on."],
    ]


def test_without_a_system_text_the_tools_end_with_a_breakpoint():
    body = decoded(wire().body(ModelRequest(Transcript([UserMessage("Go.")]), tools=(TOOL, TOOL)), stream=False))

    assert [tool.get("cache_control") for tool in body["tools"]] == [None, {"type": "ephemeral"}]
    assert "system" not in body


def test_an_id_that_the_protocol_refuses_is_the_same_new_one_in_the_call_and_in_its_result():
    call, result = sent(called("a b"), ToolMessage("a b", "lookup", "found"))["messages"][1:]

    assert call["content"][0]["id"] == result["content"][0]["tool_use_id"] != "a b"


def test_a_call_without_its_result_is_not_sent():
    with pytest.raises(Unpaired):
        sent(called("c1"))


@pytest.mark.parametrize(
    ("constant", "version"),
    [({}, "2026-10-21"), ({"temperature": 0.0}, "2023-06-01"), ({"top_p": 0.5}, "2023-06-01")],
)
def test_the_version_is_the_newest_that_takes_the_fields(constant, version):
    assert version_for({"model": "m", **constant}) == version


@pytest.mark.parametrize(
    ("written", "asked", "told"),
    [(None, None, 32_000), (None, 100, 100), (50, 100, 50), (500, None, 500), ("many", 100, "many")],
)
def test_the_longest_answer_is_the_least_of_what_anybody_says(written, asked, told):
    constant = {} if written is None else {"max_tokens": written}

    assert sent(constant=constant, max_output_tokens=asked)["max_tokens"] == told


def refused(words):
    return Refusal("invalid_request", retryable=False, retry_after=None, words=words)


def test_a_server_that_knows_no_breakpoints_gets_none():
    writer = wire()
    writer.body(request(tools=(TOOL,)), stream=False)

    assert writer.adapt(refused("system.0.cache_control: Extra inputs are not permitted"))
    assert b"cache_control" not in writer.body(request(tools=(TOOL,)), stream=False)
    assert not writer.adapt(refused("cache_control"))


def test_a_schema_holds_the_answer_to_it():
    schema = {"type": "object", "properties": {}, "additionalProperties": False}

    assert sent(schema=schema)["output_config"] == {"format": {"type": "json_schema", "schema": schema}}
    assert sent(schema=schema, constant={"output_config": {"effort": "low"}})["output_config"]["effort"] == "low"
