"""A whole run over each protocol: tools are called, thinking goes back, what it used is counted."""

import pytest

from tests.adapters.models import test_google as google
from tests.adapters.models import test_responses as responses
from tests.adapters.models.wires.test_anthropic_reply import BLOCKS, body
from tests.failures.whole import World
from tests.servers.loopback import Loopback, response

CALL = [BLOCKS[0], {"type": "tool_use", "id": "toolu_1", "name": "echo", "input": {"text": "hi"}}]


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")
    return World(tmp_path)


async def test_a_run_over_the_messages_api(world):
    answers = [[response(body(*CALL, reason="tool_use"))], [response(body(BLOCKS[2]))]]
    async with Loopback(answers) as server:
        result = await world.run(server, model={"provider": "anthropic"})

    assert (result.status, result.text, result.tools.successful) == ("done", "I look 🙂.", ["echo"])
    assert (result.llm.input_tokens, result.llm.cached_input_tokens, result.llm.reasoning_tokens) == (200, 170, 16)
    assert server.asked[1].json["messages"][1:] == [
        {"role": "assistant", "content": CALL},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": "hi",
                    "cache_control": {"type": "ephemeral"},
                }
            ],
        },
    ]


async def test_a_refused_form_of_the_answer_is_told_in_words_instead(world):
    refusal = {"error": {"type": "invalid_request_error", "message": "output_config: this model does not support it"}}
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    answers = [[response(refusal, 400)], [response(body({"type": "text", "text": '{"n": 3}'}))]]
    async with Loopback(answers) as server:
        result = await world.run(
            server, model={"provider": "anthropic"}, execution={"output": {"schema": schema}}, capability={}
        )

    assert (result.output, result.output_valid) == ({"n": 3}, True)
    assert ["output_config" in asked.json for asked in server.asked] == [True, False]


async def test_a_run_over_gemini(world, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "AIza0123456789")
    call = {"functionCall": {"name": "echo", "args": {"text": "hi"}}, "thoughtSignature": google.SIGNED}
    answers = [[response(google.body(call))], [response(google.body({"text": "Done."}))]]
    async with Loopback(answers) as server:
        base = server.url.removesuffix("/v1")
        result = await world.run(server, model={"provider": "google", "base_url": base})

    assert (result.status, result.text, result.tools.successful) == ("done", "Done.", ["echo"])
    assert server.asked[1].json["contents"][1:] == [
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [{"functionResponse": {"name": "echo", "response": {"output": "hi"}}}]},
    ]


async def test_a_run_over_the_responses_api(world, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    call = {**responses.CALL, "name": "echo", "arguments": '{"text":"hi"}'}
    answers = [[response(responses.body(responses.THOUGHT, call))], [response(responses.body(responses.SAID))]]
    async with Loopback(answers) as server:
        result = await world.run(server, model={"provider": "openai_responses"})

    assert (result.status, result.text, result.tools.successful) == ("done", "I look 🙂.", ["echo"])
    made = {name: call[name] for name in ("type", "call_id", "name", "arguments")}
    assert server.asked[1].json["input"][1:] == [
        responses.THOUGHT,
        made,
        {"type": "function_call_output", "call_id": "call_1", "output": "hi"},
    ]
