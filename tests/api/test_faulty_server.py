"""Whole runs against servers that fail: what passes is tried again, what stays ends the run, and nothing half is run."""

import json
from typing import Any

import pytest

from agentspec import Result, run
from tests.servers.loopback import (
    CLOSE,
    DONE,
    RESET,
    Loopback,
    call_piece,
    chunk,
    completion,
    piece,
    response,
    stream,
    stream_head,
)

SPEC = """\
name: adder
task: What is two and three?
model: {{provider: openai, model: m-1, base_url: "{url}", retry: {{max_attempts: 3, base: 1ms}}, stream: {stream}}}
execution: {{loop_until_done: true, max_nudges: 2}}
capability:
  tools:
    add:
      description: Add two numbers
      parameters: {{left: integer, right: integer}}
      returns: integer
      expr: args.left + args.right
"""
ARGUMENTS = '{"left":2,"right":3}'
CALLED = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": ARGUMENTS}}
CALL = [response(completion({"content": None, "tool_calls": [CALLED]}, "tool_calls"))]
ANSWER = [response(completion({"content": "Five."}))]
CALL_STREAMED = [stream(call_piece(0, "c1", "add", ARGUMENTS), piece({}, "tool_calls"), DONE)]
ANSWER_STREAMED = [stream(piece({"content": "Five."}), piece({}, "stop"), DONE)]


@pytest.fixture
def ran(tmp_path, monkeypatch):
    async def start(server: Loopback, *, streamed: bool = False, **options: Any) -> Result:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-123456")
        path = tmp_path / "adder.yaml"
        path.write_text(SPEC.format(url=server.url, stream=str(streamed).lower()))
        return await run(path, trace=True, **options)

    return start


PASSING = {
    "cut in the arguments of the call": [stream_head(), chunk(call_piece(0, "c1", "add", '{"left":2,"right":')), CLOSE],
    "ended in the arguments of the call": [stream(call_piece(0, "c1", "add", '{"left":2,"right":3}'))],
    "reset": [RESET],
    "overloaded": [response({"error": {"message": "busy"}}, 529)],
    "rate limited": [response({"error": {"message": "slow down"}}, 429, {"retry-after-ms": "1"})],
    "an error in the stream": [stream(piece({"content": "Fi"}), b'event: error\ndata: {"message":"boom"}\n\n')],
}


@pytest.mark.parametrize("fault", PASSING)
async def test_a_fault_that_passes_is_tried_again_and_the_tool_runs_once(ran, fault):
    async with Loopback([PASSING[fault], CALL_STREAMED, PASSING[fault], PASSING[fault], ANSWER_STREAMED]) as server:
        result = await ran(server, streamed=True)

    assert (result.status, result.text, result.tools.calls, result.tools.successful) == (
        "done",
        "Five.",
        ["add"],
        ["add"],
    )
    assert (result.llm.iterations, result.llm.provider_calls, len(server.asked)) == (2, 5, 5)


STAYING = {
    "auth": response({"error": {"message": "Incorrect API key: sk-geheim-123456"}}, 401),
    "invalid_request": response({"error": {"message": "no such model"}}, 404),
    "bad_response": response("<html>hello</html>"),
    "content_filter": response(completion({"content": "x"}, "content_filter")),
}


@pytest.mark.parametrize("reason", STAYING)
async def test_a_fault_that_stays_ends_the_run_at_once(ran, reason):
    async with Loopback([[STAYING[reason]]]) as server:
        result = await ran(server)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", reason, 1)
    assert (result.error.provider, result.error.model, result.error.retryable) == ("openai", "m-1", False)
    assert "geheim" not in json.dumps(result.as_json())


async def test_a_fault_that_does_not_pass_ends_the_run_after_the_attempts_of_the_policy(ran):
    async with Loopback([CALL, [response({"error": {"message": "down"}}, 503)]]) as server:
        result = await ran(server)

    assert (result.status, result.stop_reason, result.error.http_status) == ("provider_error", "server_error", 503)
    assert (len(server.asked), result.tools.successful) == (4, ["add"])


async def test_a_wait_that_is_too_long_ends_the_run_at_once(ran):
    async with Loopback([[response({"error": {"message": "later"}}, 429, {"retry-after": "1000000000"})]]) as server:
        result = await ran(server)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "rate_limited", 1)
    assert result.error.message.endswith(
        "HTTP 429: later; the server asks to wait 11574 days, and `model.retry.max_wait` allows 2 min"
    )


async def test_the_text_of_an_answer_that_failed_is_kept_within_bounds(ran, tmp_path):
    long = [stream_head(), *[chunk(piece({"content": "word " * 2000}))] * 200, CLOSE]
    async with Loopback([long]) as server:
        result = await ran(server, streamed=True)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "connection", 3)
    assert result.text.startswith("word word ")
    assert "[\u2026 cut: 2000000 bytes in all" in result.text
    assert len(result.text) <= 65536
    assert sum(path.stat().st_size for path in tmp_path.rglob("runs.db*")) < 1_500_000


async def test_broken_arguments_go_back_to_the_model_and_the_next_request_is_well_formed(ran):
    broken = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"left":2,"right"'}}
    async with Loopback([[response(completion({"content": None, "tool_calls": [broken]}))], ANSWER]) as server:
        result = await ran(server)

    assert (result.status, result.tools.successful, result.tools.rejected) == ("done", [], ["add"])
    call, answered = server.asked[1].json["messages"][-2:]
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {}
    assert "not valid JSON" in answered["content"]


async def test_a_call_that_the_output_limit_cut_is_never_run(ran):
    cut = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"left":2,"right":3'}}
    async with Loopback([[response(completion({"content": None, "tool_calls": [cut]}, "length"))], ANSWER]) as server:
        result = await ran(server)

    assert (result.status, result.tools.successful) == ("done", [])


async def test_a_call_without_a_name_is_told_to_the_model_and_never_lost(ran):
    nameless = {"id": "c1", "type": "function", "function": {"name": " ", "arguments": "{}"}}
    async with Loopback([[response(completion({"content": "Hm.", "tool_calls": [nameless]}))], CALL, ANSWER]) as server:
        result = await ran(server)

    assert (result.status, result.tools.successful, len(server.asked)) == ("done", ["add"], 3)
    assert "call 1 has no name" in server.asked[1].json["messages"][-1]["content"]


async def test_calls_with_one_id_are_each_answered(ran):
    twice = completion({"content": None, "tool_calls": [CALLED, CALLED]}, "tool_calls")
    async with Loopback([[response(twice)], ANSWER]) as server:
        result = await ran(server)

    messages = server.asked[1].json["messages"]
    called = [call["id"] for call in messages[-3]["tool_calls"]]
    assert [message["tool_call_id"] for message in messages[-2:]] == called
    assert len(set(called)) == 2
    assert result.status == "done"


@pytest.mark.parametrize(
    "name", ["add numbers", "a" * 300, "\x00\x1b[31m", "add.v2", "\u52a0", 'a"b', "a/b", "<|call|>"]
)
async def test_a_tool_name_that_no_server_takes_back_is_sent_as_a_legal_one_and_told_as_it_is(ran, name):
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": ARGUMENTS}}
    async with Loopback([[response(completion({"content": None, "tool_calls": [call]}))], ANSWER]) as server:
        result = await ran(server)

    said, answered = server.asked[1].json["messages"][-2:]
    assert [each["function"]["name"] for each in said["tool_calls"]] == ["invalid_tool_name"]
    assert (answered["tool_call_id"], answered["content"].isprintable()) == ("c1", True)
    assert answered["content"].startswith("ERROR: unknown tool `")
    assert (result.status, result.tools.calls, result.tools.rejected) == ("done", [name], [name])
    assert [line["name"] for line in result.trace if line["kind"] in ("call", "result")] == [name, name]


async def test_a_recorded_reply_that_did_not_say_that_it_is_complete_is_played_as_one(ran, tmp_path):
    half = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"left":2,"right":3'}}
    async with Loopback([[response(completion({"content": None, "tool_calls": [half]}, None))], ANSWER]) as server:
        first = await ran(server, record=tmp_path / "record.yaml")

    again = await run(tmp_path / "adder.yaml", script=tmp_path / "record.yaml", trace=True)

    assert (first.status, first.tools.successful, first.tools.rejected) == ("done", [], ["add"])
    assert again.trace == first.trace
