"""What `resume` does, from outside: the program, its exit codes, its words, and what its tools have done."""

import contextlib
import json
import shutil
import signal
from pathlib import Path

import pytest

from agentspec.core.events import ModelReplied, Resumed
from agentspec.core.messages import UserMessage
from agentspec.core.orders import CallModel
from tests.durability.place import crash, wait_until


def events_in(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_interrupted_run_goes_on_where_it_was(place):
    place.spec("mark a", "wait b", "mark c", "all done")
    going = place.start("run", "spec.json", "--json")
    place.started_effect("b")
    stopped, seconds = going.stop_and_wait(signal.SIGINT)
    assert (stopped.code, stopped.json["status"], stopped.json["handle"]["reason"]) == (130, "interrupted", "signal")
    assert seconds < 2

    done = place.run("resume", stopped.json["run_id"], "--json")

    assert (done.code, done.json["status"], done.json["text"]) == (0, "done", "all done")
    assert done.json["run_id"] == stopped.json["run_id"]
    assert place.effects() == ["a", "b", "c"]
    assert done.json["tools"]["calls"] == ["mark", "wait", "mark"]


def test_a_run_that_died_in_a_call_tells_the_model_that_its_outcome_is_unknown(place):
    place.spec("mark a", "wait b", "all done")
    going = place.start("run", "spec.json")
    place.started_effect("b")
    crash(going)
    assert [line["status"] for line in place.runs()] == ["crashed"]

    done = place.run("resume", place.run_id(), "--json", "--trace")

    assert (done.code, done.json["text"]) == (0, "all done")
    assert place.effects() == ["a", "b"]
    results = [line for line in done.json["trace"] if line["kind"] == "result"]
    assert [(line["name"], line["status"]) for line in results] == [("mark", "ok"), ("wait", "unknown_outcome")]
    assert results[1]["text"] == (
        "ERROR: the run stopped while this call was in flight: it may have acted or not. "
        "Look at the state before you decide to make it again."
    )


def test_a_call_of_unknown_outcome_may_be_taken_as_failed_or_made_again(places):
    for outcome, effects, status in (("assume_failed", ["b"], "error"), ("rerun", ["b", "b"], "ok")):
        place = places(outcome)
        place.spec("mark b", "all done")
        place.drive("start", die=["tool 1", "after"])
        assert place.effects() == ["b"]

        done = place.run("resume", place.run_id(), "--tool-outcome", outcome)

        assert (done.code, done.out) == (0, "all done\n")
        assert place.effects() == effects
        assert place.results() == {status: 1}


def test_a_run_that_died_while_the_model_thought_asks_it_again(place):
    place.spec("mark a", {"text": "all done", "delay": 30})
    going = place.start("run", "spec.json")
    wait_until(lambda: place.effects() and sum(isinstance(record, CallModel) for record in place.records()) == 2)
    crash(going)
    script = json.loads((place.folder / "spec.json").read_text())
    assert script["model"]["options"]["turns"][1]["delay"] == 30
    going = place.start("resume", place.run_id())
    wait_until(lambda: any(isinstance(record, Resumed) for record in place.records()))

    stopped, _ = going.stop_and_wait(signal.SIGTERM)

    assert stopped.code == 143
    assert place.effects() == ["a"]
    assert sum(isinstance(record, ModelReplied) for record in place.records()) == 1


@pytest.mark.slow
def test_the_events_of_a_resumed_run_go_on_with_their_numbers(place):
    place.spec("mark a", "wait b", "mark c", "all done")
    going = place.start("run", "spec.json", "--events", "events")
    place.started_effect("b")
    going.stop_and_wait(signal.SIGINT)
    before = events_in(place.folder / "events")

    place.run("resume", place.run_id(), "--events", "events")

    events = events_in(place.folder / "events")
    assert events[: len(before)] == before
    assert before[-1]["kind"] == "run_finished"
    segment = events[len(before) :]
    assert segment[0]["kind"] == "resumed"
    assert segment[-1]["kind"] == "run_finished"
    assert (before[-1]["status"], segment[-1]["status"]) == ("interrupted", "done")
    numbers = [event["seq"] for event in events if event["seq"] is not None]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [event["turn"] for event in segment if event["kind"] == "model_call"] == [3, 4]


@pytest.mark.slow
def test_a_spec_that_was_changed_or_deleted_meanwhile_does_not_matter(places):
    for what in ("changed", "deleted"):
        place = places(what)
        place.spec("mark a", "mark b", "as it was")
        place.drive("start", die=["append 3", "after"])
        if what == "changed":
            place.spec("something else")
        else:
            (place.folder / "spec.json").unlink()

        done = place.run("resume", place.run_id())

        assert (done.code, done.out) == (0, "as it was\n")
        assert place.effects() == ["a", "b"]


def test_an_ended_run_is_not_resumed_and_its_status_is_told(place):
    place.spec("all done")
    place.run("run", "spec.json")

    refused = place.run("resume", place.run_id())

    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        f"agentspec: the run `{place.run_id()}` has ended: done (completed); "
        "a message would start a new run of its session\n"
    )


def test_a_run_that_is_not_here_is_told_with_the_place_that_was_looked_at(place, places):
    place.spec("all done")
    place.run("run", "spec.json")
    run_id = place.run_id()
    elsewhere = places("elsewhere")
    shutil.rmtree(elsewhere.folder / ".agentspec", ignore_errors=True)

    refused = elsewhere.run("resume", run_id, env={"AGENTSPEC_HOME": str(elsewhere.folder / "home")})
    unknown = place.run("resume", run_id[:-1] + "x")

    assert refused.code == unknown.code == 2
    assert refused.err == (
        f"agentspec: no runs are kept in `{elsewhere.folder}/home`; "
        "name the folder that keeps them with `--store`, or its project's with `project=` in Python\n"
    )
    assert unknown.err.endswith(f"did you mean `{run_id}`?\n")


@pytest.mark.slow
def test_a_message_to_an_ended_run_begins_a_new_run_that_knows_the_conversation(place):
    place.spec("mark a", "it is a", {"text": "it was a", "match": "*and what was it?*"})
    first = place.run("run", "spec.json", "--json").json

    second = place.run("resume", first["run_id"], "--message", "and what was it?", "--json").json

    assert second["text"] == "it was a"
    assert second["session_id"] == first["session_id"]
    assert second["run_id"] != first["run_id"]
    assert place.effects() == ["a"]
    opening = place.records(second["run_id"])[0].opening
    assert [(type(message).__name__, message.text) for message in opening] == [
        ("UserMessage", "go"),
        ("AssistantMessage", ""),
        ("ToolMessage", "(no output)"),
        ("AssistantMessage", "it is a"),
        ("UserMessage", "and what was it?"),
    ]
    assert [line["session_id"] for line in place.runs()] == [first["session_id"]] * 2


def test_a_message_to_an_interrupted_run_is_in_its_next_request(place):
    place.spec("wait a", {"text": "I stopped", "match": "*never mind*"})
    going = place.start("run", "spec.json")
    place.started_effect("a")
    going.stop_and_wait(signal.SIGINT)

    done = place.run("resume", place.run_id(), "--message", "never mind")

    assert (done.code, done.out) == (0, "I stopped\n")
    assert place.run("replay", place.run_id()).code == 0


@pytest.mark.slow
def test_a_message_takes_the_place_of_a_request_that_nobody_answered(place):
    place.spec({"text": "never said", "delay": 30, "match": "go"}, {"text": "I stopped", "match": "*never mind*"})
    going = place.start("run", "spec.json")
    wait_until(lambda: place.database.exists() and place.runs() and place.records())
    crash(going)

    done = place.run("resume", place.run_id(), "--message", "never mind")

    assert (done.code, done.out) == (0, "I stopped\n")
    assert place.run("replay", place.run_id()).code == 0


@pytest.mark.slow
def test_a_run_that_goes_on_is_listed_shown_and_not_deleted(place):
    place.spec("mark a", "wait b", "all done")
    going = place.start("run", "spec.json")
    place.started_effect("b")
    run_id = place.run_id()

    listed = place.run("runs", "list", "--status", "running", "--format", "json").json
    shown = place.run("runs", "show", run_id)
    refused = place.run("runs", "delete", run_id)
    replayed = place.run("replay", run_id)
    going.stop_and_wait(signal.SIGTERM)

    assert [line["run_id"] for line in listed] == [run_id]
    assert shown.code == 0
    assert "\n    ok · " in shown.out
    assert shown.out.endswith('  wait {"n":"b"}\n    no result yet\n')
    assert refused.code == 2
    assert refused.err.startswith(f"agentspec: run `{run_id}` is driven by process {going.pid} since 20")
    assert replayed.code == 0
    assert [line["run_id"] for line in place.runs(status="interrupted")] == [run_id]


@pytest.mark.slow
def test_a_resumed_run_is_running_again_and_crashes_again(place):
    place.spec("wait a", "wait b", "all done")
    for effect in ("a", "b"):
        going = place.start("run", "spec.json") if effect == "a" else place.start("resume", place.run_id())
        place.started_effect(effect)
        assert [line["status"] for line in place.runs()] == ["running"]
        crash(going)
        assert [line["status"] for line in place.runs()] == ["crashed"]

    done = place.run("resume", place.run_id())

    assert (done.code, done.out) == (0, "all done\n")
    assert [(line["status"], line["llm"]["iterations"]) for line in place.runs()] == [("done", 3)]
    assert place.results() == {"unknown_outcome": 2}


@pytest.mark.slow
def test_two_runs_of_one_spec_are_two_runs(place):
    place.spec("wait a", "all done")
    going = [place.start("run", "spec.json") for _ in range(2)]
    wait_until(lambda: len(place.effects()) == 2)

    ids = {line["run_id"] for line in place.runs(status="running")}
    for process in going:
        process.stop_and_wait(signal.SIGINT)

    assert len(ids) == 2
    assert all(place.run("resume", run_id).code == 0 for run_id in ids)


def test_the_opening_of_a_journal_is_what_the_first_request_showed(place):
    place.spec("all done", context={"system": "You are ${run.spec}."})
    place.run("run", "spec.json", "do it")

    opening = place.records()[0].opening

    assert opening[0].text == "You are durable."
    assert opening[1] == UserMessage(text="do it")


# The first copy stays, one that is made again ends at once.
STAY = 'echo "$1" >> effects; [ "$(wc -l < effects)" -gt 1 ] || { echo $$ > pid; exec sleep 600; }'
LEAVE = {"parameters": {"n": "string"}, "run": ["sh", "-c", STAY, "leave", "${args.n}"]}


def goes_on(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.mark.slow
def test_a_tool_that_outlived_its_run_is_ended_before_its_call_is_made_again(places):
    for outcome, effects in (("rerun", ["a", "a"]), ("assume_failed", ["a"]), ("ask", ["a"])):
        place = places(f"orphan-{outcome}")
        call = {"tool_calls": [{"name": "leave", "arguments": {"n": "a"}}]}
        place.spec(call, "all done", capability={"tools": {"leave": LEAVE}})
        going = place.start("run", "spec.json")
        noted = place.folder / "pid"
        wait_until(lambda noted=noted: noted.exists() and noted.read_text())
        orphan = int(noted.read_text())
        crash(going)
        assert goes_on(orphan)

        done = place.run("resume", place.run_id(), "--tool-outcome", outcome)

        assert (done.code, place.effects()) == (0, effects), done.err
        assert not goes_on(orphan)


def test_an_outcome_that_is_given_for_nothing_is_told(place):
    place.spec("put a", "all done")  # may be made again without asking
    place.drive("start", die=["tool 1", "before"])

    done = place.run("resume", place.run_id(), "--tool-outcome", "rerun")

    assert (done.code, done.out) == (0, "all done\n")
    assert done.err.startswith("`--tool-outcome rerun` had nothing to act on: no call has an unknown outcome\n")


@pytest.mark.slow
def test_a_run_that_goes_on_counts_its_turns_as_its_journal_does_and_tells_an_advice_whole(place):
    place.spec("mark a", "wait b", "all done")
    going = place.start("run", "spec.json")
    place.started_effect("b")
    crash(going)

    lines = place.run("resume", place.run_id()).err.splitlines()

    assert lines[0] == (
        "turn 2: wait unknown_outcome: the run stopped while this call was in flight: it may have acted or not. "
        "Look at the state before you decide to make it again."
    )
    assert lines[1].startswith("turn 3: answer")
