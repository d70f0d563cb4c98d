"""Tool formats against a server: what is refused, what is asked instead, and that nothing half-written runs."""

import itertools
import json
from typing import Any

import pytest

from tests.failures.whole import TOOLS, World
from tests.servers.background import says
from tests.servers.loopback import Loopback, response

NO_TOOLS = [response({"error": {"message": "registry.ollama.ai/library/phi3 does not support tools"}}, 400)]
NO_FORMAT = [response({"error": {"message": "response_format type `json_schema` is unavailable now"}}, 400)]
NOTE = {"reason": "to remember", "action": "tool", "tool": "note", "args": {"text": "x"}, "answer": ""}
END = {"reason": "all is noted", "action": "answer", "tool": "", "args": {}, "answer": "end"}
TAGGED = 'I note it.\n<tool_call>\n{"name": "note", "arguments": {"text": "x"}}\n</tool_call>'


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    return World(tmp_path)


def step(value: dict[str, Any]) -> Any:
    return says(json.dumps(value))


async def test_a_server_without_tools_is_asked_for_steps_and_the_work_is_done(world):
    kinds = []
    async with Loopback([NO_TOOLS, step(NOTE), step(END)]) as server:
        result = await world.run(server, on_event=lambda event: kinds.append(event["kind"]))

    assert (result.status, result.text, world.notes) == ("done", "end", ["x"])
    assert (result.tools.mode, result.tools.calls, result.llm.iterations) == ("json", ["note"], 2)
    assert kinds.count("format_changed") == 1
    first, second = server.asked[1].json, server.asked[2].json
    assert "tools" not in first
    assert first["response_format"]["json_schema"]["schema"]["properties"]["tool"]["enum"] == [*TOOLS, ""]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    assert json.loads(second["messages"][2]["content"]) == NOTE
    assert second["messages"][3]["content"] == "Result of `note`:\n(no output)"


async def test_a_server_without_any_format_gets_tagged_text(world):
    async with Loopback([NO_TOOLS, NO_FORMAT, says(TAGGED), says("end")]) as server:
        result = await world.run(server)

    assert (result.status, result.text, result.visible_text) == ("done", "end", "I note it.\n\nend")
    assert (result.tools.mode, world.notes) == ("text", ["x"])
    assert server.asked[3].json["messages"][2] == {"role": "assistant", "content": TAGGED}
    assert "response_format" not in server.asked[3].json


@pytest.mark.parametrize("chosen", ["json", "text"])
async def test_a_request_begins_with_the_bytes_of_the_one_before_in_every_format(world, chosen):
    turns = [step(NOTE)] * 4 + [step(END)] if chosen == "json" else [says(TAGGED)] * 4 + [says("end")]
    async with Loopback(turns) as server:
        await world.run(server, model={"tool_format": chosen}, execution={"stall": False})

    bodies = [asked.body.split(b'],"response_format"')[0].rstrip(b"]}") for asked in server.asked]
    assert len(bodies) == 5
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(bodies))


async def test_a_step_in_prose_counts_where_no_schema_is_taken(world):
    async with Loopback([NO_FORMAT, says(f"So:\n```json\n{json.dumps(NOTE)}\n```"), step(END)]) as server:
        result = await world.run(server, model={"tool_format": "json"})

    assert (result.status, world.notes) == ("done", ["x"])
    assert "response_format" not in server.asked[1].json


CUT = {
    "a step": ("json", json.dumps(NOTE)[:-4]),
    "a step inside of a step that is cut": ("json", '{"reason": "r", "args": {"inner": ' + json.dumps(NOTE) + ', "x'),
    "a tag": ("text", TAGGED[:-4]),
    "a leaked call": ("native", '{"name": "note", "arguments": {"text": "x"'),
}


@pytest.mark.parametrize(("chosen", "text"), CUT.values(), ids=CUT)
async def test_nothing_half_written_runs_or_passes_for_an_answer(world, chosen, text):
    end = step(END) if chosen == "json" else says("end")
    async with Loopback([says(text, "length"), end]) as server:
        result = await world.run(server, model={"tool_format": chosen})

    assert (result.status, result.text, world.notes) == ("done", "end", [])
    assert len(server.asked) == 2


async def test_of_a_step_that_is_always_cut_off_a_person_sees_nothing(world):
    async with Loopback([says(json.dumps(NOTE)[:-4], "length")] * 3) as server:
        result = await world.run(server, model={"tool_format": "json"})

    assert (result.status, result.stop_reason) == ("failed", "output_truncated")
    assert (result.text, result.visible_text) == ("", "")


@pytest.mark.parametrize("text", ["I am done.", '{"reason": "r", "action": "answer"}'])
async def test_prose_where_a_step_was_asked_for_is_told_and_is_no_answer(world, text):
    async with Loopback([says(text), step(END)]) as server:
        result = await world.run(server, model={"tool_format": "json"})

    assert (result.status, result.text) == ("done", "end")
    assert "could not be read" in server.asked[1].json["messages"][-1]["content"]


async def test_a_person_sees_of_a_step_only_the_answer(world):
    shown = []
    async with Loopback([step(NOTE), step(END)]) as server:
        await world.run(
            server,
            model={"tool_format": "json"},
            on_event=lambda event: shown.append(event["text"]) if event["kind"] == "text_delta" else None,
        )

    assert shown == ["end"]


async def test_a_hundred_calls_in_one_reply_are_each_answered_once(world):
    many = "\n".join('<tool_call>{"name": "ping", "arguments": {}}</tool_call>' for _ in range(100))
    async with Loopback([says(many), says("end")]) as server:
        result = await world.run(server, model={"tool_format": "text"})

    assert (result.status, len(result.tools.calls)) == ("done", 100)
    assert server.asked[1].json["messages"][-1]["content"].count("Result of `ping`:") == 100


async def test_a_tag_that_is_cut_off_in_a_native_answer_is_told_and_is_no_answer(world):
    async with Loopback([says('<tool_call>\n{"name": "note", "argu'), says("end")]) as server:
        result = await world.run(server)

    assert (result.status, result.text, result.llm.iterations, world.notes) == ("done", "end", 2, [])
    assert "call 1 is not closed" in server.asked[1].json["messages"][-1]["content"]


@pytest.mark.parametrize("last", ['{"found": 1}', "Nothing was found."])
async def test_last_words_need_not_be_a_step(world, last):
    execution = {"max_iterations": 1}
    async with Loopback([step(NOTE), says(last)]) as server:
        result = await world.run(server, model={"tool_format": "json"}, execution=execution)

    assert (result.status, result.wrapped_up, result.text) == ("budget_exhausted", True, last)


async def test_a_call_that_must_come_leaves_a_step_no_answer_until_it_has_come(world):
    async with Loopback([step(NOTE), step(END)]) as server:
        await world.run(server, model={"tool_format": "json", "tool_choice": {"tool": "note"}})

    forms = [asked.json["response_format"]["json_schema"]["schema"]["properties"] for asked in server.asked]
    assert [form["action"]["enum"] for form in forms] == [["tool"], ["tool", "answer"]]
    assert [form["tool"]["enum"] for form in forms] == [["note"], [*TOOLS, ""]]
