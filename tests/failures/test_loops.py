"""Models that go round in circles: what is run of it, what they are told, and how the run ends."""

import itertools

import pytest

from tests.failures.whole import results, sent
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback

END = says("end")


def pings(times: int) -> list:
    return [calls((f"c{number}", "ping", "{}")) for number in range(times)]


async def test_the_same_call_for_ever_ends_the_run_within_five_and_never_as_done(world):
    """G-13 G-14"""
    events: list[dict] = []
    async with Loopback(pings(50)) as server:
        result = await world.run(server, execution={"max_iterations": 50}, on_event=events.append)

    assert (result.status, result.stop_reason, result.terminal.kind) == ("stuck", "repeated_call", "policy_no_progress")
    assert (len(server.asked), result.llm.iterations) == (5, 5)
    assert result.as_json()["stall"] == {
        "repeated_tool_calls": 2,
        "warnings": [event_fields(event) for event in events if event["kind"] == "stall_warning"],
        "suspected_loop": True,
    }
    assert [each["status"] for each in events if each["kind"] == "tool_result"] == ["ok"] * 3 + ["skipped"] * 2


def event_fields(event: dict) -> dict:
    return {name: value for name, value in event.items() if name not in ("run_id", "seq", "ts", "kind")}


async def test_a_model_that_listens_to_the_note_goes_on_as_if_nothing_had_been(world):
    """G-13"""
    async with Loopback([*pings(2), END]) as server:
        result = await world.run(server, execution={"loop_until_done": True})

    assert (result.status, result.text, result.stall.repeated_tool_calls) == ("done", "end", 1)
    assert "2 times, and it brought the same each time" in sent(server)[-1]["content"]


async def test_what_the_harness_said_is_in_no_later_request(world):
    """G-13"""
    async with Loopback([*pings(4), END]) as server:
        await world.run(server, execution={"loop_until_done": True})

    shared = [before_the_slot(each.body, has_slot=number == 2) for number, each in enumerate(server.asked)]
    assert all(after.startswith(before) for before, after in itertools.pairwise(shared))
    said = [[m["content"] for m in sent(server, n) if m["role"] in ("user", "system")] for n in range(5)]
    assert [len(texts) for texts in said] == [1, 1, 2, 1, 1]
    assert results(server)["c3"].startswith("ERROR: not run: `ping` with the same arguments")


@pytest.mark.parametrize(("changes", "reason"), [(False, "repeated_call"), (True, "max_iterations")])
async def test_a_call_is_no_repeat_where_the_files_that_count_have_changed(world, changes, reason):
    """G-13"""
    turns = [
        calls(("a", "ping", "{}"), ("b", "note", f'{{"text":"{number}"}}')) if changes else calls(("a", "ping", "{}"))
        for number in range(9)
    ]
    async with Loopback(turns) as server:
        result = await world.run(
            server, execution={"stall": {"fingerprint": ["notes"]}, "wrap_up": False, "effect_phases": False}
        )

    assert result.stop_reason == reason


SPACES = ("", " ", "\n", "\t ")
BAD = [["c", "broken", "{}"], ["c", "ping", '{"unknown": 1}'], ["c", "ping", "[1]"], ["c", "ping", "{'a"]]


@pytest.mark.parametrize(
    ("turns", "reasons", "most"),
    [
        pytest.param([calls(call) for call in BAD[:1]], {"repeated_call"}, 5, id="a tool that does not exist"),
        pytest.param([calls(call) for call in BAD[1:2]], {"repeated_call"}, 5, id="an argument that does not exist"),
        pytest.param([calls(call) for call in BAD[2:3]], {"repeated_call"}, 5, id="a list for arguments"),
        pytest.param([calls(call) for call in BAD[3:4]], {"repeated_call"}, 5, id="broken arguments"),
        pytest.param([calls(call) for call in BAD], {"thrash"}, 4, id="one mistake after another"),
        pytest.param([calls(("c", "note", '{"text":"x"}'))], {"repeated_call"}, 5, id="the same line written again"),
        pytest.param(
            [calls(("c", "ping", "{}")), calls(("c", "echo", '{"text":"x"}'))], {"repeated_call"}, 6, id="two in turns"
        ),
        pytest.param([calls(*[(f"c{n}", "ping", "{}") for n in range(200)])], {"repeated_call"}, 5, id="200 at a time"),
        pytest.param([says("")], {"barren_reply"}, 5, id="nothing"),
        pytest.param([says(space) for space in SPACES], {"barren_reply"}, 5, id="only whitespace"),
        pytest.param([says("I will call ping."), says("Let me ping now.")], {"max_nudges"}, 9, id="announcements"),
    ],
)
async def test_misbehaviour_that_never_ends_is_ended_with_a_reason_of_its_own(world, turns, reasons, most):
    """G-13 G-14"""
    async with Loopback(turns * 60) as server:
        result = await world.run(server, execution={"max_iterations": 50, "loop_until_done": True})

    assert result.status == "stuck"
    assert result.stop_reason in reasons
    assert len(server.asked) <= most
    for number in range(len(server.asked)):
        sent(server, number)  # each call of each request has its one result


def before_the_slot(body: bytes, *, has_slot: bool) -> bytes:
    """The bytes of a request up to what the harness says at its end, or to the end of its messages."""
    return body[: body.rindex(b',{"role":"user"')] if has_slot else body[: body.rindex(b"]")]


async def test_empty_replies_end_a_run_that_has_no_limits_of_its_own(world):
    """G-17"""
    async with Loopback([says("")]) as server:
        result = await world.run(server, execution={"max_iterations": 1000})

    assert (result.status, result.stop_reason, len(server.asked)) == ("stuck", "barren_reply", 5)


async def test_a_tool_that_does_not_exist_is_not_asked_for_for_ever(world):
    """A-10"""
    asked = [calls((f"c{number}", f"tool_{number}", "{}")) for number in range(20)]
    async with Loopback(asked) as server:
        result = await world.run(server)

    assert (result.status, result.stop_reason, len(server.asked)) == ("stuck", "thrash", 4)
