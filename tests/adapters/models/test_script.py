"""The script provider: a list of turns behind the interface of a real model."""

import json

import pytest

from agentspec.adapters.models.script import Asked, ScriptModel
from agentspec.adapters.models.script_file import read_script, read_turns, script_model
from agentspec.core.messages import (
    AssistantMessage,
    Failure,
    Reply,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from agentspec.core.transcript import Transcript
from agentspec.errors import NotFound, SpecInvalid
from agentspec.ports import Delta, ModelRequest, ModelSettings

OPENING = Transcript([SystemMessage("be brief"), UserMessage("which branch?")])


def scripted(*turns):
    return ScriptModel(read_turns(list(turns), "the test"))


async def ask(model, transcript=OPENING, **fields):
    return await model.answer(ModelRequest(transcript=transcript, **fields), None)


async def test_turns_are_answered_in_their_order():
    model = scripted({"text": "one"}, "two")

    replies = [await ask(model), await ask(model)]

    assert [reply.text for reply in replies] == ["one", "two"]


async def test_a_turn_with_a_call_becomes_a_whole_reply():
    call = {"name": "read_file", "arguments": {"path": "a.txt"}, "id": "c1"}
    usage = {"input_tokens": 7, "output_tokens": 3}
    model = scripted({"text": "Look.", "tool_calls": [call], "usage": usage})

    reply = await ask(model)

    assert reply == Reply(
        text="Look.",
        calls=(ToolCall(id="c1", name="read_file", arguments='{"path":"a.txt"}'),),
        finish="tool_calls",
        finish_text="tool_calls",
        usage=Usage(input_tokens=7, output_tokens=3),
        model="script",
        provider="script",
    )


async def test_argument_text_is_handed_on_as_it_stands():
    model = scripted({"tool_calls": [{"name": "read_file", "arguments": '{"path": "a'}]})

    reply = await ask(model)

    assert reply.calls == (ToolCall(id="call_2_0", name="read_file", arguments='{"path": "a'),)


async def test_usage_that_is_not_given_is_estimated_and_says_so():
    model = scripted({"text": "four words of text"})

    reply = await ask(model)

    assert reply.usage == Usage(input_tokens=6, output_tokens=5, estimated=True)


async def test_an_exhausted_script_is_a_failure_that_says_so():
    model = scripted("only one")
    await ask(model)

    failure = await ask(model)

    assert failure == Failure(
        category="invalid_request",
        message="script at the script: the script is exhausted: all of its 1 turns are used, and the worker asks again",
        provider="script",
    )


@pytest.mark.parametrize(
    ("error", "category", "retryable", "retry_after"),
    [
        ({"status": 429, "message": "slow down", "retry_after": 2}, "rate_limited", True, 2.0),
        ({"status": 500, "message": "oops"}, "server_error", True, None),
        ({"status": 401, "message": "no"}, "auth", False, None),
        ({"status": 400, "message": "maximum context length is 10 tokens"}, "context_overflow", False, None),
        ({"status": "connection", "message": "cut"}, "connection", True, None),
        ({"status": "timeout", "message": "slow"}, "timeout", True, None),
        ({"status": "content_filter", "message": "no"}, "content_filter", False, None),
        ({"message": "no status is a 500"}, "server_error", True, None),
    ],
)
async def test_a_scripted_error_has_the_class_of_a_real_one(error, category, retryable, retry_after):
    failure = await ask(scripted({"error": error}))

    assert (failure.category, failure.retryable, failure.retry_after) == (category, retryable, retry_after)


async def test_a_match_waits_for_its_request_and_the_rest_keep_their_order():
    model = scripted({"text": "first"}, {"match": "*branch*", "text": "main"}, {"text": "second"})
    other = Transcript([UserMessage("hello")])

    replies = [await ask(model, other), await ask(model), await ask(model)]

    assert [reply.text for reply in replies] == ["first", "main", "second"]


async def test_a_role_keeps_its_turns_for_itself_and_the_others_for_the_worker():
    model = scripted({"text": "work"}, {"role": "judge", "text": "done"}, {"text": "more work"})

    replies = [await ask(model, role="judge"), await ask(model), await ask(model, role="judge"), await ask(model)]

    assert [type(reply).__name__ for reply in replies] == ["Reply", "Reply", "Failure", "Reply"]
    assert [replies[0].text, replies[1].text, replies[3].text] == ["done", "work", "more work"]
    assert "no turn left that fits this request of the judge (2 of 3 are used)" in replies[2].message


async def test_text_and_calls_stream_in_pieces_that_add_up():
    heard = []
    model = scripted({"text": "one two", "tool_calls": [{"name": "go"}], "reasoning": "hm"})

    await model.answer(ModelRequest(transcript=OPENING), heard.append)

    assert heard == [
        Delta("reasoning_delta", "hm"),
        Delta("text_delta", "one "),
        Delta("text_delta", "two"),
        Delta("tool_call_delta", "{}", 0, "go"),
    ]


async def test_ids_are_unique_within_the_transcript_and_calls_without_a_name_are_told_as_lost():
    said = AssistantMessage(calls=(ToolCall("c1", "go", "{}"),))
    transcript = Transcript([UserMessage("x"), said, ToolMessage("c1", "go", "ok")])
    model = scripted({"tool_calls": [{"name": "go", "id": "c1"}, {"name": "go", "id": "c2"}, {"name": " "}]})

    reply = await ask(model, transcript)

    assert [call.id for call in reply.calls] == ["call_3_0", "c2"]
    assert reply.lost == ("call 3 has no name",)


async def test_a_resumed_run_goes_on_behind_the_turns_that_are_used():
    model = scripted("one", {"error": {"status": 500}}, "three")

    model.skip([Asked("worker", "x")] * 2)

    assert (await ask(model)).text == "three"


async def test_a_resumed_run_goes_on_behind_the_turns_that_are_used_by_whoever_asked():
    model = scripted("one", {"role": "judge", "text": "yes"}, {"match": "b*", "text": "two"}, "three")

    model.skip([Asked("judge", "is it?"), Asked("worker", "bye"), Asked("worker", "x", harness="go on")])

    assert (await ask(model)).text == "three"


async def test_a_delay_past_the_deadline_is_a_timeout():
    failure = await ask(scripted({"text": "late", "delay": "5m"}), deadline=0.01)

    assert (failure.category, failure.message) == (
        "timeout",
        "script at the script: no whole answer within 0.01 s",
    )


RAW_STREAM = 'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":%s}]}\n\n'


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        ({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}, "hi"),
        (RAW_STREAM % '"stop"', "hi"),
        (RAW_STREAM % "null", "connection"),
        ("<html>", "bad_response"),
        ("", "bad_response"),
        ({"error": {"message": "busy", "type": "overloaded_error"}}, "server_error"),
        ({"choices": [{"message": {}, "finish_reason": "malformed_function_call"}]}, "bad_response"),
    ],
)
async def test_a_raw_turn_is_read_as_a_servers_body(raw, outcome):
    answer = await ask(scripted({"raw": raw}))

    assert (answer.text if isinstance(answer, Reply) else answer.category) == outcome


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([{"text": "hi"}]),
        json.dumps({"turns": [{"text": "hi"}]}),
        json.dumps({"scenario": "x", "model": [{"text": "hi"}]}),
    ],
)
@pytest.mark.parametrize("name", ["script.json", "script.yaml"])
async def test_a_script_file_may_be_a_list_or_a_scenario(tmp_path, name, content):
    (tmp_path / name).write_text(content)

    model = script_model(ModelSettings(options={"file": name}), tmp_path)

    assert (await ask(model)).text == "hi"


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ({"txt": "x"}, "turn 1 of the test: unknown key `txt`; did you mean `text`?"),
        ({"tool_calls": [{}]}, "turn 1 of the test: a tool call needs a `name`"),
        (
            {"tool_calls": [{"name": "a", "args": {}}]},
            "turn 1 of the test: unknown key `args`; known are name, arguments, id",
        ),
        ({"role": "boss"}, "turn 1 of the test: `role` must be one of worker, judge, summary, repair"),
        ({"delay": "soon"}, "turn 1 of the test: `delay` must be a duration such as `50ms`, or a number of seconds"),
        (7, "turn 1 of the test must be a mapping or a text"),
    ],
)
def test_a_mistake_in_a_script_names_the_turn_and_the_way_out(turn, message):
    with pytest.raises(SpecInvalid) as caught:
        read_turns([turn], "the test")

    assert str(caught.value) == message


def test_a_script_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NotFound, match=r"none\.yaml"):
        read_script(tmp_path / "none.yaml")


async def test_a_scenario_in_the_dsl_is_a_script_too(tmp_path):
    path = tmp_path / "greeting.agent"
    path.write_text('scenario "greets" for hello {\n  model: [{text: "hi"}]\n}\n')

    assert (await ask(ScriptModel(read_script(path)))).text == "hi"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- text: [a\n", "the script `bad.yaml` cannot be read: line 1: this `[` is never closed"),
        ("", "the script `bad.yaml` cannot be read: line 1: the file is empty"),
        ("text: hi\n", "the script `bad.yaml` must be a list of turns, or hold one under `turns` or `model`"),
        ("- txt: hi\n", "turn 1 of `bad.yaml`: unknown key `txt`; did you mean `text`?"),
    ],
)
def test_a_script_that_cannot_be_meant_is_refused_with_its_place(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text)

    with pytest.raises(SpecInvalid) as caught:
        read_script(path)

    assert caught.value.message == message


def test_a_match_may_name_the_text_and_who_is_asked():
    (turn,) = read_turns([{"text": "x", "match": {"text": "*file*", "role": "summary"}}], "the test")

    assert (turn.match, turn.role, turn.is_addressed) == ("*file*", "summary", True)
