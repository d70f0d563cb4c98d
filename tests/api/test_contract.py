"""The form of the answer on the wire: held by the provider where it can be, told in words where it can't."""

import json

import pytest

from agentspec import resume
from tests.failures.whole import World
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback, response

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
HELD = {
    "type": "json_schema",
    "json_schema": {"name": "worker", "schema": SCHEMA, "strict": True},
}
REFUSED = [response({"error": {"message": "'response_format' of type 'json_schema' is not supported"}}, 400)]
BROKEN = [response({"error": {"message": "internal error"}}, 500)]
NO_TOOLS = {"capability": {}}


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    return World(tmp_path)


async def test_a_run_without_tools_asks_its_provider_to_hold_the_answer_to_the_schema(world):
    async with Loopback([says('{"n": 3}')]) as server:
        result = await world.run(server, execution={"output": {"schema": SCHEMA}}, **NO_TOOLS)

    assert (result.output, result.output_valid) == ({"n": 3}, True)
    assert server.asked[0].json["response_format"] == HELD
    assert [message["content"] for message in server.asked[0].json["messages"]] == ["go"]


@pytest.mark.parametrize("faults", [[REFUSED], [BROKEN, BROKEN]], ids=["refused", "broken"])
async def test_a_server_that_cannot_has_the_form_told_instead(world, faults):
    changed = []
    async with Loopback([*faults, says('{"n": 3}')]) as server:
        result = await world.run(
            server,
            execution={"output": {"schema": SCHEMA}},
            on_event=lambda event: changed.append(event) if event["kind"] == "format_changed" else None,
            **NO_TOOLS,
        )

    assert (result.status, result.output, result.tools.mode) == ("done", {"n": 3}, "native")
    assert [(event["from"], event["to"], event["constrained"]) for event in changed] == [("native", "native", False)]
    last = server.asked[-1].json
    assert "response_format" not in last
    assert json.dumps(SCHEMA) in last["messages"][-1]["content"]


async def test_a_run_with_tools_is_told_and_never_held(world):
    async with Loopback([calls(("c1", "ping", "{}")), says('{"n": 3}')]) as server:
        result = await world.run(server, execution={"output": {"schema": SCHEMA}})

    assert result.output == {"n": 3}
    for asked in server.asked:
        assert "response_format" not in asked.json
        assert json.dumps(SCHEMA) in asked.json["messages"][1]["content"]
    assert server.asked[1].json["messages"][:2] == server.asked[0].json["messages"]


async def test_a_conversation_that_goes_on_is_not_told_again(world, tmp_path):
    async with Loopback([says('{"n": 3}'), says('{"n": 4}')]) as server:
        first = await world.run(server, execution={"output": {"schema": SCHEMA}})
        second = await resume(first.run_id, message="And more?", project=tmp_path)

    assert second.output == {"n": 4}
    said = [message["content"] for message in server.asked[1].json["messages"]]
    assert sum(json.dumps(SCHEMA) in content for content in said) == 1
    assert said[-1] == "And more?"
