"""The shell of a run: what is on disk before what is done, and what is left when it ends."""

import asyncio
from typing import Any

import pytest

from agentspec.core.calls.canonical import text_digest
from agentspec.core.events import RunStarted
from agentspec.core.messages import Failure, Reply, UserMessage
from agentspec.core.orders import Outcome
from agentspec.core.plan import TimeBound
from agentspec.errors import JournalError
from agentspec.policies.arguments import Arguments
from agentspec.policies.limits import Limits
from agentspec.policies.retry import Retry
from agentspec.ports import ModelRequest, Output
from agentspec.runtime.result import Result
from agentspec.runtime.resume import compare, fold, in_flight, settle
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import call, plan_for, plan_of, tool
from agentspec.testing.world import ListModel, MemoryJournal, World, failed

NOTHING = Settings({})
LOOK = tool("look")
WRITE = tool("write", effect="write", repeat="once")
STARTED = RunStarted(
    at=1000.0, run_id="r", session_id="s", opening=(UserMessage(text="go"),), spec_name="test", spec_hash="0"
)


def plan_with(*tools: Any, **fields: Any) -> Any:
    named = {each.name: each for each in tools}
    arguments = Arguments.configure(NOTHING, named)
    retry = Retry.configure(Settings({"model": {"retry": {"jitter": False}}}), {})
    assert retry is not None
    return plan_of(arguments, retry, Limits.configure(NOTHING, named), tools=tools, **fields)


async def finish(world: World) -> Result:
    state = await world.driver.drive(world.driver.state, [STARTED])
    return world.tally.result(state, wants_trace=True)


class SlowJournal(MemoryJournal):
    """A journal whose disk never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_flushing = asyncio.Event()

    async def flush(self, *, durable: bool) -> None:
        if durable:
            self.is_flushing.set()
            await asyncio.Event().wait()


def wants(*calls: Any) -> Reply:
    return Reply(calls=calls)


async def test_a_run_reads_calls_and_answers() -> None:
    world = World(plan_with(LOOK), ListModel(wants(call("look")), Reply(text="seen")), {"look": lambda: "a picture"})

    result = await finish(world)

    assert (result.status, result.stop_reason, result.text) == ("done", "completed", "seen")
    assert world.kinds() == [
        "run_started",
        "turn_started",
        "model_call",
        "tool_call",
        "tool_result",
        "turn_started",
        "text_delta",
        "model_call",
        "run_finished",
    ]
    assert [event["seq"] for event in world.events] == [1, 2, 3, 4, 5, 6, None, 7, 8]


async def test_an_intent_that_may_act_is_durable_before_the_tool_starts() -> None:
    seen: list[list[str]] = []
    journal = MemoryJournal()
    world = World(
        plan_with(WRITE),
        ListModel(wants(call("write")), Reply(text="done")),
        {"write": lambda: seen.append([record.kind for record in journal.records])},
        journal=journal,
    )

    await finish(world)

    assert seen[0][-1] == "call_tool"
    assert journal.flushed[0] == len(seen[0])
    assert journal.flushed[-1] == len(journal.records)


async def test_a_store_that_fails_before_the_intent_keeps_the_tool_from_starting() -> None:
    world = World(
        plan_with(WRITE), ListModel(wants(call("write"))), {"write": lambda: "done"}, journal=MemoryJournal(fail_at=1)
    )

    with pytest.raises(JournalError, match="the disk is full"):
        await finish(world)

    assert world.tools["write"].calls == []


async def test_a_tool_that_raises_is_a_result_and_its_siblings_live() -> None:
    def look(path: str) -> str:
        if path == "bad":
            raise ValueError
        return path

    calls = [call("look", name, f'{{"path": "{name}"}}') for name in ("a", "bad", "b")]
    world = World(plan_with(LOOK), ListModel(wants(*calls), Reply(text="ok")), {"look": look})

    await finish(world)

    texts = [event["text"] for event in world.events if event["kind"] == "tool_result"]
    assert sorted(texts) == ["ERROR: ValueError: no message", "a", "b"]
    assert [message.text for message in world.model.requests[1].transcript.since(2)] == [
        "a",
        "ERROR: ValueError: no message",
        "b",
    ]


async def test_a_tool_that_hangs_is_stopped_at_its_timeout() -> None:
    stopped: list[str] = []

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append("stopped")
            raise

    world = World(
        plan_with(tool("look", timeout=0.05)), ListModel(wants(call("look")), Reply(text="ok")), {"look": hang}
    )

    result = await finish(world)

    assert stopped == ["stopped"]
    assert result.tools.rejected == ["look"]
    assert world.model.requests[1].transcript[-1].text == (
        "ERROR: no result after 0.05 s; it was stopped and may have acted"
    )


async def test_an_abort_stops_running_tools_and_leaves_a_journal_that_goes_on() -> None:
    stopped: list[str] = []

    async def hang() -> None:
        world.driver.abort("signal")
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("stopped")

    plan = plan_with(WRITE)
    world = World(plan, ListModel(wants(call("write"))), {"write": hang})
    result = await finish(world)
    assert (result.status, result.handle) == ("interrupted", {"run_id": "r", "reason": "signal", "pending": []})
    assert stopped == ["stopped"]

    state = fold(plan, world.journal.read())

    assert state == world.driver.state
    assert in_flight(state) == ([], [])


async def test_what_finishes_as_the_run_is_stopped_is_kept_and_what_was_about_to_start_is_told_so() -> None:
    plan = plan_with(WRITE)
    replies = wants(call("write", "a"), call("write", "b"))
    world = World(plan, ListModel(replies), {"write": lambda: world.driver.abort("signal") or "written"})

    result = await finish(world)

    assert result.status == "interrupted"
    assert len(world.tools["write"].calls) == 1
    assert [message.text for message in world.driver.state.transcript.since(2)] == [
        "written",
        "ERROR: interrupted before it started",
    ]
    assert fold(plan, world.journal.read()) == world.driver.state


async def test_a_run_that_is_told_twice_to_stop_does_not_wait_for_a_slow_tool() -> None:
    heard: list[str] = []

    async def slow() -> None:
        world.driver.abort("signal")
        world.driver.abort("signal")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            heard.append("politely")
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                heard.append("at once")
                raise

    world = World(plan_with(WRITE), ListModel(wants(call("write"))), {"write": slow})

    result = await finish(world)

    assert (result.status, heard) == ("interrupted", ["politely", "at once"])


async def test_an_answer_that_comes_after_its_order_was_cancelled_is_no_news() -> None:
    async def late() -> str:
        world.driver.abort("signal")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "in spite of all"
        raise AssertionError

    world = World(plan_with(LOOK), ListModel(wants(call("look"))), {"look": late})

    await finish(world)

    assert [record.kind for record in world.journal.records[-2:]] == ["note", "finish"]
    assert world.tally.result(world.driver.state, wants_trace=False).status == "interrupted"


async def test_a_cancelled_caller_leaves_an_interrupted_run() -> None:
    begun = asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    world = World(plan_with(WRITE), ListModel(wants(call("write"))), {"write": hang})
    going = asyncio.create_task(finish(world))
    await begun.wait()

    going.cancel()
    await asyncio.gather(going, return_exceptions=True)

    assert world.driver.state.outcome == Outcome("interrupted", "signal")
    assert world.journal.records[-1].kind == "finish"
    assert world.driver.tasks == {}


async def test_a_cancelled_caller_loses_no_result_that_had_come_and_starts_nothing_more() -> None:
    """The caller is cancelled while the journal is on its way to the disk."""
    journal = SlowJournal()
    world = World(
        plan_with(WRITE),
        ListModel(wants(call("write", "a"), call("write", "b"))),
        {"write": lambda: ""},
        journal=journal,
    )
    going = asyncio.create_task(finish(world))
    await journal.is_flushing.wait()

    going.cancel()
    await asyncio.gather(going, return_exceptions=True)

    assert world.tools["write"].calls == []
    assert world.driver.state.outcome == Outcome("interrupted", "signal")
    assert [message.text for message in world.driver.state.transcript.since(2)] == [
        "ERROR: interrupted before it started",
        "ERROR: interrupted before it started",
    ]


async def test_a_passing_fault_is_waited_out_and_tried_again() -> None:
    fault = Failure(category="server_error", message="busy", retryable=True)
    world = World(plan_with(), ListModel(fault, fault, Reply(text="at last")))

    result = await finish(world)

    assert (result.text, result.llm.iterations, result.llm.provider_calls) == ("at last", 1, 3)
    assert world.clock.slept == [0.5, 1.0]


async def test_a_provider_that_raises_is_a_fault_of_the_provider() -> None:
    async def explode(request: ModelRequest) -> Reply:
        raise RuntimeError("boom")

    world = World(plan_with(), ListModel(explode))

    result = await finish(world)

    assert (result.status, result.stop_reason) == ("provider_error", "bad_response")
    assert result.error is not None
    assert result.error.message == "the provider `list` failed inside: RuntimeError: boom"


async def test_a_deadline_ends_a_hanging_model_call_with_the_limit_as_reason() -> None:
    async def hang(request: ModelRequest) -> Reply:
        world.clock.time += 60
        await asyncio.Event().wait()
        raise AssertionError

    settings = Settings({"execution": {"limits": {"wall_clock": "50ms"}}})
    world = World(
        plan_of(Limits.configure(settings, {}), time_bounds=(TimeBound("wall_clock", 0.05),)), ListModel(hang)
    )

    result = await finish(world)

    assert (result.status, result.stop_reason) == ("budget_exhausted", "wall_clock")
    assert result.stopped_by == {
        "limit": "execution.limits.wall_clock",
        "detail": "reached while something was in flight",
    }


async def test_a_large_result_is_capped_and_kept_whole_in_an_artifact() -> None:
    world = World(
        plan_with(LOOK),
        ListModel(wants(call("look")), Reply(text="ok")),
        {"look": lambda: "x" * 10_000},
        result_max=500,
    )

    await finish(world)

    event = next(event for event in world.events if event["kind"] == "tool_result")
    assert event["truncated"] is True
    assert event["full_bytes"] == 10_000
    assert len(event["text"].encode()) <= 500
    assert world.artifacts.kept[event["artifact"]] == b"x" * 10_000
    assert event["digest"] == text_digest("x" * 10_000)


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        (Output(), "(no output)", None),
        (Output(text="n", data={"score": float("nan")}), "n", {"score": None}),
        (Output(text="s", data={1, 2}), "s", [1, 2]),
        (failed("no such file"), "ERROR: no such file", None),
        (failed("no such file `bad\udcff`"), "ERROR: no such file `bad\ufffd`", None),
    ],
    ids=["nothing", "NaN", "a set", "an error", "a name that is not UTF-8"],
)
async def test_what_json_cannot_carry_never_reaches_the_wire(value: Output, text: str, data: Any) -> None:
    world = World(plan_with(LOOK), ListModel(wants(call("look")), Reply(text="ok")), {"look": lambda: value})

    await finish(world)

    event = next(event for event in world.events if event["kind"] == "tool_result")
    assert (event["text"], event.get("data")) == (text, data)


async def test_a_crash_in_flight_repeats_what_only_reads_and_never_what_may_have_acted() -> None:
    plan = plan_with(LOOK, WRITE)
    replies = (wants(call("look", "a"), call("write", "b")), Reply(text="done"))
    cut = World(plan, ListModel(*replies), {"look": lambda: "", "write": lambda: ""})
    await finish(cut)
    kinds = [record.kind for record in cut.journal.records]
    at_write = len(kinds) - kinds[::-1].index("call_tool")

    state = fold(plan, cut.journal.records[:at_write])
    again, lost = in_flight(state)

    assert [order.call.name for order in lost] == ["write"]
    assert again == []
    event = settle(lost[0], 2000.0)
    assert event.result.status == "unknown_outcome"


async def test_a_journal_folds_to_the_same_decisions() -> None:
    plan = plan_with(LOOK)
    world = World(plan, ListModel(wants(call("look")), Reply(text="seen")), {"look": lambda: "a picture"})
    await finish(world)

    assert compare(plan, world.journal.read()) == 4


async def test_a_failed_call_that_may_be_repeated_is_made_again_and_one_that_may_not_is_not() -> None:
    seen: list[str] = []

    def fails(name: str, times: int) -> Any:
        def call_it() -> Output:
            seen.append(name)
            return failed("busy") if seen.count(name) <= times else Output(text="at last")

        return call_it

    again = {"retries": 3, "backoff": 2.0}
    once = tool("once", effect="process", repeat="once", kind="run", **again)
    same = tool("same", effect="process", repeat="idempotent", kind="run", **again)
    plan = plan_with(once, same)
    model = ListModel(Reply(calls=(call("once", "a"), call("same", "b"))), Reply(text="end"))
    world = World(plan, model, {"once": fails("once", 1), "same": fails("same", 2)})

    result = await finish(world)

    assert seen == ["once", "same", "same", "same"]
    assert world.clock.slept == [2.0, 4.0]
    assert [line["status"] for line in result.trace or [] if line["kind"] == "result"] == ["error", "ok"]


class SlowPerson:
    """Somebody who takes their time to say yes."""

    def __init__(self, world: World, seconds: float) -> None:
        self.world = world
        self.seconds = seconds

    async def answer(self, question: Any) -> Any:
        self.world.clock.time += self.seconds
        await asyncio.sleep(self.seconds)
        return {"decision": "allow", "hash": question["hash"]}


async def test_the_time_of_a_person_counts_for_the_wall_clock_and_not_as_working_time() -> None:
    ended = []
    for limit in ("working_time", "wall_clock"):
        approval = {"rules": [{"tool": "write", "decision": "ask"}]}
        limits = {limit: 0.2}
        plan = plan_for(
            {"execution": {"limits": limits, "wrap_up": False}, "capability": {"approval": approval}}, WRITE
        )
        world = World(plan, ListModel(Reply(calls=(call("write"),)), Reply(text="end")), {"write": lambda: "written"})
        world.driver.ports.people = {"person": SlowPerson(world, 0.4)}
        ended.append((await finish(world)).stop_reason)

    assert ended == ["completed", "wall_clock"]
