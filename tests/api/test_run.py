"""The Python API: run, run_sync, stream, resume, check, load, as a program uses them."""

import asyncio
import contextlib
import json

import pytest

from agentspec import NotAllowed, NotFound, SpecInvalid, Unavailable, check, load, replay, resume, run, run_sync, stream
from agentspec.api.workspace import workspace
from tests.servers.background import says
from tests.servers.loopback import Loopback, Pause, completion, response


def script(*turns: object) -> dict:
    return {"provider": "script", "options": {"turns": list(turns)}}


@pytest.fixture
def spec(tmp_path):
    def write(model: dict, name: str = "s", **sections: object):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"name": name, "task": "go", "model": model, **sections}))
        return path

    return write


async def appears(path) -> str:
    """The text of a file that another process will have written soon."""
    while not (path.exists() and path.read_text()):  # noqa: ASYNC110 - the other process sends no event
        await asyncio.sleep(0.01)
    return path.read_text().strip()


SLOW = {"slow": {"description": "S", "run": ["sh", "-c", "echo $$ > pid; exec sleep 60"]}}
SLOW_TURNS = ({"tool_calls": [{"name": "slow", "arguments": {}}]}, "over")


def test_run_sync_gives_the_result_that_run_gives(spec):
    path = spec(script("hello"))

    assert run_sync(path).text == asyncio.run(run(path, "another task")).text == "hello"


async def test_a_loaded_spec_can_be_run_again_and_again(spec):
    loaded = load(spec(script("hello")))

    results = [await run(loaded) for _ in range(3)]

    assert [result.text for result in results] == ["hello"] * 3
    assert len({result.run_id for result in results}) == 3


async def test_a_spec_that_does_not_check_raises_with_every_finding(spec, tmp_path):
    with pytest.raises(SpecInvalid) as raised:
        await run(spec(script("x"), execution={"max_iteratons": 1, "max_nudgs": 2}))

    assert [found.path for found in raised.value.diagnostics if found.severity == "error"] == [
        "execution.max_iteratons",
        "execution.max_nudgs",
    ]
    assert not (tmp_path / ".agentspec").exists()


async def test_what_is_missing_raises_before_anything_starts(spec, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "n.json").write_text('{"name": "n", "model": {"provider": "openai"}}')

    with pytest.raises(NotFound):
        await run(tmp_path / "none.yaml", "go")
    with pytest.raises(Unavailable):
        await run(tmp_path / "n.json", "go")
    with pytest.raises(NotAllowed, match="no task"):
        await run(tmp_path / "n.json")
    assert not (tmp_path / ".agentspec").exists()


async def test_a_failure_of_the_world_is_a_result_and_no_exception(spec):
    result = await run(spec(script({"error": {"status": 401, "message": "no"}})))

    assert (result.status, result.stop_reason, result.is_done) == ("provider_error", "auth", False)
    assert (result.error.category, result.error.http_status) == ("provider_error", 401)


async def test_a_stream_gives_the_events_of_the_run_up_to_its_end(spec):
    events = [event async for event in stream(spec(script("hello there")))]

    assert [event["kind"] for event in events] == [
        "run_started",
        "turn_started",
        "text_delta",
        "text_delta",
        "model_call",
        "run_finished",
    ]


async def test_leaving_a_stream_early_stops_the_run_which_can_be_gone_on_with(spec, tmp_path):
    path = spec(script(*SLOW_TURNS), capability={"tools": SLOW})

    async with contextlib.aclosing(stream(path)) as events:
        async for event in events:
            if event["kind"] == "tool_call":
                pid = await appears(tmp_path / "pid")
                break

    with pytest.raises(FileNotFoundError):
        open(f"/proc/{pid}/stat").close()  # noqa: ASYNC230, PTH123 - a process that is gone
    result = await resume(event["run_id"], project=tmp_path)
    assert (result.status, result.text) == ("done", "over")


async def test_a_stream_hands_on_what_keeps_a_run_from_starting(tmp_path):
    with pytest.raises(NotFound):
        [event async for event in stream(tmp_path / "none.yaml", "go")]


async def test_a_run_that_has_ended_is_not_gone_on_with(spec, tmp_path):
    result = await run(spec(script("hello")))

    with pytest.raises(NotAllowed, match=f"the run `{result.run_id}` has ended: done"):
        await resume(result.run_id, project=tmp_path)
    with pytest.raises(NotFound, match="nope"):
        await resume("nope", project=tmp_path)


async def test_options_reach_the_run(spec, tmp_path):
    heard, said = [], []
    path = spec({}, inputs={"who": {"type": "string", "default": "Ada"}}, context={"system": "For ${inputs.who}."})
    (tmp_path / "turns.yaml").write_text("[hello]\n")

    result = await run(
        path,
        "go",
        inputs={"who": "Grace"},
        sets=("execution.max_iterations=3",),
        script=tmp_path / "turns.yaml",
        session="s-1",
        store=str(tmp_path / "kept"),
        record=tmp_path / "record.yaml",
        trace=True,
        on_event=heard.append,
        on_notice=said.append,
    )

    assert (result.text, result.session_id, result.adaptive_budget.max) == ("hello", "s-1", 3)
    assert result.trace == [{"kind": "turn", "turn": 1, "text": "hello", "calls": []}]
    assert heard[0]["kind"] == "run_started"
    assert said == [f"`{tmp_path / 'record.yaml'}`: redacted in 0 places; read it before others do"]
    assert (tmp_path / "kept" / "runs.db").is_file()
    assert "text: hello" in (tmp_path / "record.yaml").read_text()


def test_check_says_what_is_wrong_and_raises_nothing(spec, tmp_path):
    path = spec(script("x"), execution={"max_iteratons": 1})

    report = check(path, tmp_path / "none.yaml")

    assert [found.code for found in report.diagnostics] == ["AS102"]
    assert report.exit_code() == 2


async def test_fifty_runs_at_once_share_their_connections_and_their_store(spec, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    answers = [[Pause(0.01), response(completion({"content": f"answer {n}"}))] for n in range(50)]
    async with Loopback([*answers, says("late")]) as server, workspace() as shared:
        path = spec({"provider": "openai", "model": "m", "base_url": server.url, "stream": False})
        loaded = load(path)
        results = await asyncio.gather(*(run(loaded) for _ in range(50)))
        first = server.connections
        await asyncio.gather(*(run(loaded) for _ in range(50)))

        assert {result.status for result in results} == {"done"}
        assert sorted(result.text for result in results) == sorted(f"answer {n}" for n in range(50))
        assert server.connections == first <= 50
        assert len(shared._stores) == 1


def test_the_task_of_a_spec_is_filled_in_and_one_that_is_given_is_taken_as_it_is(spec):
    own = {"inputs": {"file": {"type": "string", "default": "a.md"}}, "task": "Read ${inputs.file} for ${run.spec}."}
    path = spec(script("done"), **own)

    def tasks(*given: str, **options: object) -> set[str]:
        heard: list[dict] = []
        run_sync(path, *given, on_event=heard.append, **options)
        return {event["task"] for event in heard if event["kind"] == "run_started"}

    assert tasks() == {"Read a.md for s."}
    assert tasks(inputs={"file": "b.md"}) == {"Read b.md for s."}
    assert tasks("Read ${inputs.file}.") == {"Read ${inputs.file}."}


def test_every_text_for_a_model_is_filled_in_and_journaled_as_it_is_said(spec, tmp_path):
    own = {"inputs": {"who": {"type": "string", "default": "Ada"}}, "execution": {"nudge": "Go on, ${inputs.who}."}}
    path = spec(script("", "", "done"), **own)

    ended = run_sync(path)

    replayed = asyncio.run(replay(ended.run_id, project=tmp_path))
    assert (ended.text, replayed.same_version) == ("done", True)
    assert b"Go on, Ada." in (tmp_path / ".agentspec" / "runs.db").read_bytes() + wal(tmp_path)


def wal(folder) -> bytes:
    path = folder / ".agentspec" / "runs.db-wal"
    return path.read_bytes() if path.exists() else b""


async def test_an_address_and_headers_are_filled_in_with_inputs(spec):
    async with Loopback([[response(completion({"content": "hi"}))]]) as server:
        inputs = {name: {"type": "string"} for name in ("port", "team")}
        model = {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:${inputs.port}/v1"}
        path = spec({**model, "headers": {"x-team": "${inputs.team}"}}, inputs=inputs)
        result = await run(path, inputs={"port": str(server.port), "team": "red"})

    assert result.text == "hi"
    assert server.asked[0].headers["x-team"] == "red"


def test_an_address_that_needs_what_only_the_run_knows_is_refused_before_the_start(spec, tmp_path):
    path = spec({"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:1/${run.id}/v1"})

    with pytest.raises(Unavailable, match=r"`model\.base_url` can't be filled in: `run\.id` is not known before"):
        run_sync(path)
    assert not (tmp_path / ".agentspec" / "runs.db").exists()
