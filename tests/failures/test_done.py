"""Knowing when it is done: words that only look like an end, judges that disagree or cannot be understood."""

import json

from agentspec import run
from tests.failures.whole import results, sent
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback


def verdict(word: str, detail: str = "", *gaps: str):
    return says(json.dumps({"verdict": word, "detail": detail, "gaps": list(gaps)}))


def judged(**execution: object) -> dict:
    return {"execution": {"loop_until_done": True, "max_iterations": 30, "max_nudges": 0, **execution}}


async def test_the_word_of_being_done_counts_only_where_the_model_says_it(world):
    """H-01"""
    async with Loopback([says("I begin."), says("All of it. ##DONE##")]) as server:
        spec = world.write(
            server.url, task="End with ##DONE## when all is done.", capability={}, **judged(max_nudges=3)
        )
        result = await run(spec)

    assert (result.status, result.stop_reason, result.text) == ("done", "sentinel", "All of it.")
    assert len(server.asked) == 2


async def test_a_model_that_never_says_the_word_is_ended_by_a_bound_with_its_last_words(world):
    """H-02"""
    pings = [calls((f"c{n}", "add", json.dumps({"left": n, "right": 1}))) for n in range(3)]
    async with Loopback([*pings, says("Three sums so far.")]) as server:
        result = await world.run(
            server, execution={"loop_until_done": True, "done_sentinel": "##END##", "max_iterations": 3}
        )

    assert (result.status, result.stop_reason, result.wrapped_up) == ("budget_exhausted", "max_iterations", True)
    assert result.text == "Three sums so far."


async def test_an_agent_and_a_judge_that_never_agree_end_unverified_with_both_views(world):
    """H-03"""
    rounds = [each for _ in range(3) for each in (says("It is done."), verdict("continue", "The tests fail."))]
    async with Loopback([*rounds, says("It is done.")]) as server:
        result = await world.run(
            server, capability={}, **judged(done_sentinel=False, verify_completion_judge={"max_invocations": 3})
        )

    assert (result.status, result.stop_reason) == ("completion_unverified", "completion_judge_cap_reached")
    assert "The tests fail." in result.error.message
    assert "It is done." in result.error.message
    assert result.completion_judge == {"invocations": 3, "vetoes": 3, "max_invocations": 3, "cap_reached": True}
    assert (result.text, result.terminal.kind) == ("It is done.", "completion_unverified")


async def test_an_apology_is_judged_by_the_evidence_and_a_yes_with_gaps_is_none(world):
    """H-04"""
    script = [
        calls(("c1", "note", "{}")),
        says("I could not finish, here is what I tried."),
        verdict("done", "A good try.", "the note"),
        verdict("continue", "Write the note.", "the note"),
        calls(("c2", "note", '{"text": "n"}')),
        says("Written."),
        verdict("done"),
    ]
    async with Loopback(script) as server:
        result = await world.run(server, **judged(verify_completion_judge=True))

    assert (result.status, result.text, world.notes) == ("done", "Written.", ["n"])
    packet = server.asked[2].json["messages"][-1]["content"]
    assert "<proposed_answer>\nI could not finish, here is what I tried.\n</proposed_answer>" in packet
    assert "tools" not in server.asked[2].json
    assert "<newest_check>\nnote" in server.asked[6].json["messages"][-1]["content"]
    assert result.llm.judge_calls == 3


async def test_a_fragment_after_nothing_was_done_is_no_success(world):
    """H-05"""
    async with Loopback([says("Sure, let me"), says("Sure, let me"), says("Sure, let me")]) as server:
        result = await world.run(
            server,
            execution={
                "loop_until_done": True,
                "max_nudges": 1,
                "max_iterations": 2,
                "wrap_up": False,
                "require_successful_tools": ["note"],
            },
        )

    assert (result.status, result.is_done) == ("budget_exhausted", False)
    assert result.missing_required_tools == ["note"]


async def test_a_judge_that_cannot_be_understood_is_no_consent_and_no_endless_loop(world):
    """H-06"""
    rounds = [each for _ in range(2) for each in (says("Done."), says("maybe?"), says("maybe?"))]
    async with Loopback([*rounds, says("Done.")]) as server:
        result = await world.run(
            server, capability={}, **judged(done_sentinel=False, turn_end_condition={"max_invocations": 2})
        )

    assert (result.status, result.stop_reason) == ("completion_unverified", "turn_end_cap_reached")
    assert result.llm.judge_calls == 4
    assert all("maybe?" not in message["content"] for message in sent(server))


async def test_a_final_call_beside_others_takes_effect_once_and_every_call_is_answered(world):
    """H-07"""
    batch = calls(
        ("c1", "note", '{"text": "first"}'), ("c2", "ping", "{}"), ("c3", "note", '{"text": "second"}'), text="Filed."
    )
    async with Loopback([batch, says("Never asked.")]) as server:
        result = await world.run(server, execution={"stop_after_successful_tools": ["note"], "effect_phases": False})

    assert (result.status, result.stop_reason, result.text) == ("done", "stop_after_tool", "Filed.")
    assert len(server.asked) == 1
    assert world.notes == ["first"]
    assert [line["status"] for line in result.trace if line["kind"] == "result"] == ["ok", "ok", "skipped"]


async def test_a_final_call_that_a_gate_turns_down_leaves_a_conversation_that_can_go_on(world):
    """H-07"""
    first = calls(("c1", "note", '{"text": "first"}'), ("c2", "note", '{"text": "second"}'))
    async with Loopback([first, calls(("c3", "ping", "{}"), ("c4", "note", '{"text": "third"}'))]) as server:
        result = await world.run(
            server,
            execution={
                "loop_until_done": True,
                "effect_phases": False,
                "stop_after_successful_tools": ["note"],
                "require_successful_tools": ["ping"],
            },
        )

    assert (result.status, result.stop_reason) == ("done", "stop_after_tool")
    assert world.notes == ["first", "third"]
    assert results(server)["c2"].startswith("ERROR: not run: `note` has ended the run already")
