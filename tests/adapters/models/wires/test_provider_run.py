"""What a provider ran itself: told alike from a whole answer and from a stream, kept in its place, never trusted."""

import json

import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from agentspec.adapters.models.wires.anthropic_wire import MessagesWire
from agentspec.adapters.models.wires.google_wire import GenerateWire
from agentspec.adapters.models.wires.provider_run import calls_of_blocks, calls_of_items, calls_of_parts
from agentspec.adapters.models.wires.responses_wire import ResponsesWire
from agentspec.core.messages import ProviderCall, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest, ProviderTool
from tests.adapters.models import test_responses as responses
from tests.adapters.models.wires import test_anthropic_reply as messages

FOREIGN = (ProviderTool("somebody_elses", {}),)
CITED = {
    "type": "web_search_result_location",
    "cited_text": "It rains.",
    "encrypted_index": "aQ==",
    "title": "W",
    "url": "https://w.example",
}
BLOCKS = [
    {"type": "text", "text": "I look."},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "weather in Ulm"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": [
            {"type": "web_search_result", "title": "W", "url": "https://w.example", "encrypted_content": "b3A="}
        ],
    },
    {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"key": "a"}},
    {"type": "text", "text": "It rains."},
]
KEPT = [*BLOCKS[:3], {"type": "tool_use", "id": "toolu_1"}, BLOCKS[4]]


def pieces(*blocks, reason="tool_use"):
    """The stream of these blocks; what the last one cites comes behind its text."""
    for event in messages.events(*blocks, reason=reason):
        if event == {"type": "content_block_stop", "index": len(blocks) - 1}:
            delta = {"type": "citations_delta", "citation": CITED}
            yield {"type": "content_block_delta", "index": len(blocks) - 1, "delta": delta}
        yield event


def test_messages_tell_the_same_whole_and_in_pieces():
    cited = {**BLOCKS[4], "citations": [CITED]}
    whole = messages.read(messages.body(*BLOCKS[:4], cited, reason="tool_use"))
    told = list(pieces(*BLOCKS))

    assert all(TypeAdapter(RawMessageStreamEvent).validate_python(each) for each in told if each["type"] != "ping")
    for reply in (whole, messages.read(messages.streamed(*told))):
        assert reply.provider_calls == (ProviderCall("web_search", "srvtoolu_1", {"query": "weather in Ulm"}, "ok"),)
        assert reply.extra == {"message": {"content": [*KEPT[:4], cited]}}
        assert [call.id for call in reply.calls] == ["toolu_1"]


@pytest.mark.parametrize("wire", [MessagesWire, ResponsesWire, GenerateWire])
def test_tools_of_another_route_are_neither_offered_nor_chosen_among(wire):
    request = ModelRequest(Transcript([UserMessage("Go.")]), provider_tools=FOREIGN, tool_choice="none")

    sent = json.loads(wire({"model": "m"}, "here").body(request, stream=False))

    assert {"tools", "tool_choice", "toolConfig"} & sent.keys() == set()


SEARCH = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "weather", "queries": ["weather"]},
}


def test_responses_tell_the_same_whole_and_in_pieces():
    items = [responses.THOUGHT, SEARCH, responses.CALL]
    told = list(responses.events(*items))

    for event in told:
        if event["type"].startswith("response.output_item.done"):
            TypeAdapter(ResponseStreamEvent).validate_python(event)
    for reply in (responses.read(responses.body(*items)), responses.read(responses.streamed(*told))):
        assert reply.provider_calls == (ProviderCall("web_search", "ws_1", {"action": SEARCH["action"]}, "ok"),)
        assert reply.extra["message"]["items"][:2] == [responses.THOUGHT, SEARCH]


ODD = [None, 7, "x", [], {}, {"type": None}, {"type": ["web_search_call"]}, {"type": "web_search_call", "id": 7}]


@pytest.mark.parametrize("odd", [*ODD, {"type": "server_tool_use", "name": 7, "input": "x", "id": None}])
def test_whatever_a_server_sends_is_read_without_a_fault(odd):
    parts = [{"executableCode": odd}, {"toolCall": odd}, {"codeExecutionResult": odd}]
    result = {"type": "web_search_tool_result", "tool_use_id": odd, "content": odd}

    assert isinstance(calls_of_parts(parts, []), tuple)
    assert isinstance(calls_of_blocks([result, {"type": "server_tool_use", "id": odd, "name": odd}]), tuple)
    assert isinstance(
        calls_of_items([{"type": "tool_search_call"}, {"type": "tool_search_output", "tools": [odd]}]), tuple
    )
    if isinstance(odd, dict):
        assert isinstance(calls_of_blocks([odd]), tuple)
        assert isinstance(calls_of_items([odd]), tuple)
    for body in (messages.body(odd), messages.body(result)):
        assert messages.read(json.dumps(body).encode()) is not None
