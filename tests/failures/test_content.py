"""Contents, roles and finish reasons: what is an answer, what is none, and what is said of it."""

import json

import pytest

from tests.failures.whole import results, sent
from tests.servers.background import calls, says
from tests.servers.loopback import CLOSE, Loopback, chunk, completion, piece, response, stream_head

END = says("end")


@pytest.mark.parametrize("finish", ["stop", "other", None, "tool_calls"])
async def test_calls_are_run_whatever_the_finish_reason_says(world, finish):
    """C-01"""
    asked = [(f"c{n}", "note", f'{{"text":"{n}"}}') for n in (1, 2, 3)]
    async with Loopback([calls(*asked, finish=finish), END]) as server:
        result = await world.run(server)

    assert (result.status, world.notes) == ("done", ["1", "2", "3"])


async def test_a_reply_with_reasoning_alone_is_asked_for_again_and_never_stored_empty(world):
    """C-02 C-10"""
    thinks = [response(completion({"content": "", "reasoning_content": "hm"}))]
    async with Loopback([thinks, thinks, END]) as server:
        result = await world.run(server)

    assert (result.status, result.text, len(server.asked), result.llm.empty_retries) == ("done", "end", 3, 1)
    assert all(message["content"] for request in range(3) for message in sent(server, request))


async def test_replies_with_nothing_in_them_end_the_run_with_a_reason_of_its_own(world):
    """C-10"""
    async with Loopback([says("")]) as server:
        result = await world.run(server, execution={"max_nudges": 1})

    assert (result.status, result.stop_reason, result.terminal.kind) == ("stuck", "max_nudges", "policy_no_progress")
    assert result.text == ""


async def test_a_silent_program_gives_a_result_in_words(world):
    """C-03"""
    async with Loopback([calls(("c1", "note", '{"text":"x"}')), END]) as server:
        await world.run(server)

    assert results(server) == {"c1": "(no output)"}


@pytest.mark.parametrize("content", [None, "", [], "absent"])
async def test_every_form_of_no_content_beside_calls_is_read_as_no_text(world, content):
    """C-04"""
    made = [{"id": "c1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}]
    message = {"tool_calls": made} | ({} if content == "absent" else {"content": content})
    async with Loopback([[response(completion(message, "tool_calls"))], END]) as server:
        result = await world.run(server)

    assert (result.text, result.visible_text) == ("end", "end")
    assert sent(server)[1]["content"] in (None, "")


async def test_a_server_that_refuses_null_content_is_given_an_empty_text_from_then_on(world):
    """C-04"""
    refusal = [response({"error": {"message": "messages.1.content must be a string, got null"}}, 400)]
    async with Loopback([calls(("c1", "ping", "{}")), refusal, END]) as server:
        result = await world.run(server)

    assert (result.status, sent(server)[1]["content"]) == ("done", "")


async def test_a_malformed_call_is_a_fault_that_is_tried_again_and_what_rides_along_is_not_run(world):
    """C-05"""
    broken = calls(("c1", "note", '{"text":"x"}'), finish="MALFORMED_FUNCTION_CALL")
    async with Loopback([broken]) as server:
        result = await world.run(server)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "bad_response", 3)
    assert world.notes == []


@pytest.mark.parametrize("code", ["tool_use_failed", "output_parse_failed", "json_validate_failed"])
@pytest.mark.parametrize("status", [400, 200], ids=["refused", "a success"])
async def test_what_a_server_could_not_read_of_the_model_is_its_fault_and_not_the_requests(world, code, status):
    """C-05"""
    words = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
    error = {"message": words, "type": "invalid_request_error", "code": code, "failed_generation": "<function=note>{}"}
    failed = [response({"error": error}, status)]
    async with Loopback([failed, calls(("c1", "note", '{"text":"x"}')), failed, failed, failed]) as server:
        result = await world.run(server)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "bad_response", 5)
    assert world.notes == ["x"]
    assert "tools" in server.asked[-1].json


@pytest.mark.parametrize(
    "message", [{"content": None, "refusal": "I won't."}, {"content": ""}], ids=["with words", "without"]
)
async def test_a_refusal_is_an_end_of_its_own_and_is_not_paid_for_twice(world, message):
    """C-06"""
    refused = [response(completion(message, "stop" if "refusal" in message else "content_filter"))]
    async with Loopback([refused]) as server:
        result = await world.run(server)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "content_filter", 1)
    assert result.error is not None
    assert ("I won't." in result.error.message) == ("refusal" in message)


@pytest.mark.parametrize(
    ("finish", "kept"), [("pause_turn", "pause_turn"), ("model_context_window_exceeded", "cut off")]
)
async def test_a_new_stop_reason_is_not_read_as_done_and_its_word_is_kept(world, finish, kept):
    """C-07"""
    async with Loopback([says("half", finish), END]) as server:
        result = await world.run(server)

    assert (result.status, result.text, len(server.asked)) == ("done", "end", 2)
    assert [message["content"] for message in sent(server)][:2] == ["go", "half"]
    assert kept in sent(server)[-1]["content"]


async def test_a_connection_that_dies_in_the_text_is_a_failed_attempt_and_no_answer(world):
    """C-08"""
    dies = [stream_head() + chunk(piece({"content": "half a sen"})), CLOSE]
    async with Loopback([dies, END]) as server:
        result = await world.run(server, model={"stream": True})

    assert (result.status, result.text, result.visible_text, len(server.asked)) == ("done", "end", "end", 2)


async def test_text_that_the_limit_cut_is_told_so_and_goes_on(world):
    """C-09"""
    async with Loopback([says("one two", "length"), says("three")]) as server:
        result = await world.run(server)

    assert (result.status, result.text, result.visible_text) == ("done", "three", "one two\n\nthree")
    assert "cut off by the output limit" in sent(server)[-1]["content"]


async def test_an_answer_that_never_fits_ends_the_run_and_keeps_its_text(world):
    """C-11"""
    async with Loopback([says("one", "length"), says("two", "length"), says("three", "length"), END]) as server:
        first = await world.run(server)
        again = await world.run(server)

    assert (first.status, first.stop_reason, first.text) == ("failed", "output_truncated", "three")
    assert (again.status, again.text) == ("done", "end")


async def test_what_the_harness_says_is_never_part_of_the_stored_conversation(world):
    """C-12"""
    async with Loopback([says("half", "length"), calls(("c1", "ping", "{}")), END]) as server:
        await world.run(server)

    assert [message["role"] for message in sent(server, 1)] == ["user", "assistant", "user"]
    assert [message["role"] for message in sent(server, 2)] == ["user", "assistant", "assistant", "tool"]


@pytest.mark.parametrize("status", [400, 500])
async def test_a_server_that_refuses_an_order_of_roles_is_given_another_one_from_then_on(world, status):
    """C-12"""
    refusal = [response({"object": "error", "message": "Unexpected role 'user' after role 'tool'"}, status)]
    again = calls(("c1", "ping", "{}"))
    async with Loopback([again, again, refusal, says("Pong.", "length"), END]) as server:
        result = await world.run(server)

    assert (result.status, result.text, result.llm.iterations) == ("done", "end", 4)
    roles = [[message["role"] for message in sent(server, number)] for number in (2, 3, 4)]
    shared = ["user", "assistant", "tool", "assistant", "tool"]
    assert roles == [[*shared, "user"], [*shared, "assistant", "user"], [*shared, "assistant", "user"]]
    assert [message["content"] for message in sent(server, 4)][5:-1] == ["Pong."]
    assert "I have the results." not in json.dumps(result.trace)


async def test_an_empty_list_of_calls_is_no_list(world):
    """C-14"""
    async with Loopback([[response(completion({"content": "end", "tool_calls": []}))]]) as server:
        result = await world.run(server)

    assert (result.status, result.text) == ("done", "end")
    assert json.loads(server.asked[0].body)["messages"] == [{"role": "user", "content": "go"}]
