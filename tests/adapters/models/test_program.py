"""A model that is a program: one request in, one answer out, and every way in which that can go wrong."""

import asyncio
import json
import sys
import time

import pytest

from agentspec import run
from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.registry import make_model
from agentspec.core.messages import AssistantMessage, Failure, ToolCall, ToolMessage, Usage
from agentspec.errors import SpecInvalid
from agentspec.ports import Delta, ModelRequest, ModelSettings
from tests.adapters.models.asking import OPENING, TOOL

SAYS = "import json, sys; asked = json.load(sys.stdin); "


async def ask(tmp_path, code, *, request=None, listen=None, argv=None, **settings):
    options = {"command": argv or [sys.executable, "-c", code], "style": "short"}
    model = make_model(
        ModelSettings(provider="process", model="mine", options=options, **settings), {}, HttpClient(), tmp_path
    )
    return await model.answer(request or ModelRequest(OPENING, tools=(TOOL,)), listen)


def answering(answer):
    return SAYS + f"print(json.dumps({answer!r}))"


async def test_it_is_asked_in_json_for_every_call(tmp_path):
    said = OPENING.append(AssistantMessage(text="I look.", calls=(ToolCall("c1", "lookup", '{"key": "a"}'),)))
    said = said.append(ToolMessage("c1", "lookup", "found"))
    code = SAYS + "print(json.dumps({'text': json.dumps(asked)}))"

    reply = await ask(
        tmp_path,
        code,
        request=ModelRequest(said, tools=(TOOL,), harness="Be quick.", max_output_tokens=500),
        sampling={"temperature": 0.5},
    )

    assert json.loads(reply.text) == {
        "model": "mine",
        "role": "worker",
        "temperature": 0.5,
        "style": "short",
        "tools": [{"name": "lookup", "description": "Look a key up.", "parameters": TOOL.parameters}],
        "messages": [
            {"role": "system", "content": "You look things up."},
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [{"id": "c1", "name": "lookup", "arguments": {"key": "a"}}],
            },
            {"role": "tool", "call_id": "c1", "name": "lookup", "content": "found"},
            {"role": "user", "content": "Be quick."},
        ],
        "max_output_tokens": 500,
    }


async def test_its_answer_is_text_calls_and_usage(tmp_path):
    answer = {
        "text": "I look.",
        "tool_calls": [{"name": "lookup", "arguments": {"key": "a"}}, {"name": "lookup", "arguments": '{"key":"b"}'}],
        "usage": {"input_tokens": 10, "output_tokens": 3},
    }
    heard = []

    reply = await ask(tmp_path, answering(answer), listen=heard.append)

    assert (reply.text, reply.finish, reply.provider, reply.model) == ("I look.", "tool_calls", "process", "mine")
    assert [json.loads(call.arguments) for call in reply.calls] == [{"key": "a"}, {"key": "b"}]
    assert reply.usage == Usage(10, 3)
    assert Delta("text_delta", "I ") in heard


@pytest.mark.parametrize(
    ("code", "category", "retryable", "words"),
    [
        (answering({"error": {"status": 429, "message": "slow", "retry_after": 3}}), "rate_limited", True, "slow"),
        (answering({"error": "no"}), "server_error", True, "no"),
        ("import sys; sys.exit('out of memory')", "server_error", True, "exit 1: out of memory"),
        ("import os; os.kill(os.getpid(), 9)", "server_error", True, "signal 9"),
        ("print('hello')", "bad_response", True, "no JSON"),
        ("print('[]')", "bad_response", False, "no object with `text`"),
        ("print('{}')", "bad_response", False, "no object with `text`"),
        (answering({"text": 3}), "bad_response", False, "its answer"),
        (answering({"tool_calls": [{"nam": "x"}]}), "bad_response", False, "its answer"),
        ("import sys; sys.stdout.write('{\"text\": \"' + 'x' * 3000000)", "bad_response", False, "larger than"),
    ],
)
async def test_an_answer_that_is_none_is_a_failure_of_its_class(tmp_path, code, category, retryable, words):
    failure = await ask(tmp_path, code, max_bytes=1 << 20)

    assert isinstance(failure, Failure)
    assert (failure.category, failure.retryable) == (category, retryable)
    assert words in failure.message
    assert failure.message.startswith("process `mine` at `")


async def test_a_program_that_hangs_is_stopped_at_the_end_of_its_time(tmp_path):
    began = time.monotonic()

    failure = await ask(tmp_path, "import time; time.sleep(60)", timeout=0.3)

    assert (failure.category, failure.retryable) == ("timeout", True)
    assert time.monotonic() - began < 30


async def test_a_program_ends_with_a_call_that_is_given_up(tmp_path):
    mark = tmp_path / "mark"
    code = f"import time, pathlib; time.sleep(1.5); pathlib.Path({str(mark)!r}).touch()"
    asked = asyncio.create_task(ask(tmp_path, code))
    await asyncio.sleep(0.3)

    asked.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asked
    await asyncio.sleep(1.6)
    assert not mark.exists()


async def test_a_program_that_is_not_there_is_told(tmp_path):
    failure = await ask(tmp_path, "", argv=["no-such-program"])

    assert (failure.category, failure.retryable) == ("invalid_request", False)
    assert "no-such-program" in failure.message


@pytest.mark.parametrize("command", [None, [], "cat", [1], [""]])
def test_a_command_is_a_list_of_words(tmp_path, command):
    with pytest.raises(SpecInvalid, match="needs `command`"):
        make_model(ModelSettings(provider="process", options={"command": command}), {}, HttpClient(), tmp_path)


async def test_a_run_is_answered_by_a_program_in_the_project_folder(tmp_path):
    (tmp_path / "model.py").write_text(
        "import json, sys\n"
        "asked = json.load(sys.stdin)\n"
        "last = asked['messages'][-1]\n"
        "call = {'tool_calls': [{'name': 'ping', 'arguments': {}}]}\n"
        "print(json.dumps({'text': 'It said ' + last['content']} if last['role'] == 'tool' else call))\n"
    )
    spec = {
        "name": "a",
        "task": "go",
        "model": {"provider": "process", "options": {"command": [sys.executable, "model.py"]}},
        "capability": {"tools": {"ping": {"description": "Answers", "expr": "'pong'"}}},
    }
    (tmp_path / "a.json").write_text(json.dumps(spec))

    result = await run(str(tmp_path / "a.json"))

    assert (result.status, result.text, result.tools.successful) == ("done", "It said pong", ["ping"])
