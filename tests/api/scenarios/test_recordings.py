"""A recording of a run, of whatever kind it is, plays back to the same end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from agentspec import check, resume, run
from agentspec.api.options import RunOptions
from agentspec.api.run import as_spec, start
from agentspec.api.scenarios.find import find_scenarios
from agentspec.api.scenarios.play import play
from agentspec.api.scenarios.rehearsal import texts_of
from agentspec.api.workspace import workspace
from agentspec.runtime.result import Result

COUNT = {"description": "c", "parameters": {"by": "string"}, "run": ["sh", "-c", "echo x >> n; wc -l < n"]}
NAP = {"description": "n", "run": ["sleep", "30"]}
ASKED = {"tools": {"count": COUNT}, "approval": {"rules": [{"tool": "count", "decision": "ask"}]}}
EXTERNAL = {"ext": {"description": "e", "external": True, "parameters": {"a": "string"}}}
JUDGED = {"loop_until_done": True, "verify_completion_judge": True}
DONE = {"text": "done"}
PYTHON = (
    "def tool(**given):\n    return 'py'\n\n\ndef rule(state):\n    return {'stop': 'own_word', 'reason': 'mine'}\n"
)


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def judge(verdict: str) -> dict[str, Any]:
    return {"role": "judge", "text": json.dumps({"verdict": verdict, "detail": "d", "gaps": []})}


BY_A, BY_B, BY_C = (call("count", by=letter) for letter in "abc")
BOTH = {"tool_calls": [*BY_A["tool_calls"], *call("nap")["tool_calls"]]}


class Kind(NamedTuple):
    """A kind of run: its spec, what its model says, and what else is said."""

    name: str
    spec: dict[str, Any]
    turns: list[Any]
    options: dict[str, Any] = {}
    answers: tuple[str, ...] = ()  # of a person, in turn
    stopped_at: str = ""  # the kind of event, or the tool, at which it is stopped
    by: str = "signal"
    resumed: dict[str, Any] | None = None


def capable(**tools: object) -> dict[str, Any]:
    return {"capability": {"tools": tools}}


TOOLS = capable(count=COUNT, nap=NAP)
MOST = ["execution.max_iterations=2"]
KINDS = [
    Kind("answers", {}, [DONE]),
    Kind("calls a tool", TOOLS, [BY_A, DONE]),
    Kind("calls an unknown tool", TOOLS, [call("nope"), DONE]),
    Kind("calls with other arguments", TOOLS, [call("count", b="a"), DONE]),
    Kind("breaks off arguments", TOOLS, [{"tool_calls": [{"name": "count", "arguments": '{"by": '}]}, DONE]),
    Kind("approves all", {"capability": ASKED}, [BY_A, DONE], {"approve": "allow"}),
    Kind("denies all", {"capability": ASKED}, [BY_A, DONE], {"approve": "deny"}),
    Kind("approves some", {"capability": ASKED}, [BY_A, BY_B, BY_C, DONE], answers=("allow", "deny", "allow")),
    Kind("approves, and then nobody does", {"capability": ASKED}, [BY_A, BY_B, DONE], answers=("allow",)),
    Kind("waits for approval", {"capability": ASKED}, [BY_A, DONE]),
    Kind("is approved later", {"capability": ASKED}, [BY_A, DONE], resumed={"approve": "allow"}),
    Kind("is stopped at the approval", {"capability": ASKED}, [BY_A, DONE], answers=("stop",)),
    Kind("asks", {"capability": {"toolkits": ["ask_user"]}}, [call("ask_user", question="Which?"), DONE], answers=("a",)),
    Kind("asks twice alike", {"capability": {"toolkits": ["ask_user"]}}, [call("ask_user", question="Which [one]?")] * 2 + [DONE], answers=("a", "b")),
    Kind("asks, and then nobody is there", {"capability": {"toolkits": ["ask_user"]}}, [call("ask_user", question="Which?")] * 2 + [DONE], answers=("a",)),
    Kind("waits for an answer", {"capability": {"toolkits": ["ask_user"]}}, [call("ask_user", question="Which?"), DONE]),
    Kind("is stopped at the question", {"capability": {"toolkits": ["ask_user"]}}, [call("ask_user", question="Which?"), DONE], answers=("stop",)),
    Kind("is cancelled at the question", {"capability": {"toolkits": ["ask_user"]}}, [call("ask_user", question="Which?"), DONE], answers=("stop",), by="user"),
    Kind("calls outside", capable(**EXTERNAL), [call("ext", a="x"), DONE], {"on_tool": lambda _: {"v": 1}}),
    Kind("waits for outside", capable(**EXTERNAL), [call("ext", a="x"), DONE]),
    Kind("answers in a form", {"execution": {"output": "json"}}, [{"text": '{"a": 1}'}]),
    Kind("mends its form", {"execution": {"output": {"schema": {"type": "object", "required": ["a"]}, "repairs": 1}}}, [{"text": "no"}, {"text": '{"a": 1}'}]),
    Kind("calls in text", TOOLS | {"model": {"tool_format": "text"}}, [{"text": '<tool_call>{"name": "count", "arguments": {"by": "a"}}</tool_call>'}, {"text": "done ##DONE##"}]),
    Kind("calls in JSON", TOOLS | {"model": {"tool_format": "json"}}, [{"text": '{"reason": "r", "action": "tool", "tool": "count", "args": {"by": "a"}}'}, {"text": '{"reason": "r", "action": "answer", "answer": "done"}'}]),
    Kind("fails once", {"model": {"retry": {"base": "1ms"}}}, [{"error": {"status": 500, "message": "x"}}, DONE]),
    *(Kind(f"is told to wait {after} ({status})", {"model": {"retry": {"max_attempts": 2, "base": "1ms"}}}, [{"error": {"status": status, "retry_after": after}}, DONE]) for status in (429, "rate_limited") for after in (0.0001, "20ms", 1e6, "12345678s", 1e16)),
    Kind("fails for good", {"model": {"retry": {"max_attempts": 2, "base": "1ms"}}}, [{"error": {"status": 500}}, {"error": {"status": 503}}]),
    Kind("is refused", {}, [{"text": "Once", "finish_reason": "content_filter"}]),
    Kind("is judged", {"execution": JUDGED}, [DONE, judge("continue"), {"text": "better"}, judge("done")]),
    Kind("reaches its turns", TOOLS | {"execution": {"max_iterations": 2}}, [BY_A, BY_B, {"text": "last"}]),
    Kind("reaches its tokens", TOOLS | {"execution": {"limits": {"tokens": 200}}}, [BY_A, BY_B, {"text": "last"}]),
    Kind("reaches its calls", TOOLS | {"execution": {"limits": {"tool_calls": 1}}}, [BY_A, BY_B, {"text": "last"}]),
    Kind("reaches its time in a turn", {"execution": {"limits": {"wall_clock": "300ms"}}}, [{"text": "x", "delay": "2s"}]),
    Kind("reaches its time in a tool", TOOLS | {"execution": {"limits": {"wall_clock": "400ms"}}}, [BY_A, call("nap"), DONE]),
    Kind("is out of time for last words", {"execution": {"limits": {"wall_clock": "300ms"}}}, [{"text": "x", "delay": "2s"}, {"text": "y", "delay": "2s"}]),
    Kind("repeats itself", TOOLS, [BY_A] * 8),
    Kind("says nothing", {"execution": {"loop_until_done": True}}, [{"text": ""}] * 9),
    Kind("is cut off", {}, [{"text": "abc", "finish_reason": "length"}, DONE]),
    Kind("says its sentinel", {"execution": {"loop_until_done": True, "done_sentinel": "##DONE##"}}, [{"text": "a"}, {"text": "b ##DONE##"}]),
    Kind("acts for somebody", {"capability": ASKED | {"approval": {"rules": [{"when": "identity.user == 'ada'", "decision": "deny"}]}}}, [BY_A, DONE], {"identity": {"user": "ada"}}),
    Kind("has inputs", {"inputs": {"b": "string"}, "context": {"system": "x ${inputs.b}"}}, [DONE], {"inputs": {"b": "main"}}),
    Kind("has keys set", TOOLS, [BY_A, BY_B, {"text": "last"}], {"sets": MOST}),
    Kind("has keys set, and goes on", {"capability": ASKED}, [BY_A, BY_B, {"text": "last"}], {"sets": MOST}, resumed={"approve": "allow"}),
    Kind("only pretends", TOOLS, [BY_A, DONE], {"dry_run": True}),
    Kind("calls Python", capable(py={"description": "p", "python": "own_words:tool"}), [call("py"), DONE], {"allow_python": True}),
    Kind("asks Python", TOOLS | {"execution": {"loop_control": [{"python": "own_words:rule"}]}}, [BY_A, DONE], {"allow_python": True}),
    Kind("has a history", {"context": {"history": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}}, [DONE]),
    Kind("has long results", capable(big={"description": "b", "run": ["seq", "5000"]}) | {"execution": {"tool_result_max": "1KiB"}}, [call("big"), DONE]),
    Kind("fails a tool", capable(bad={"description": "b", "run": ["false"]}) | {"execution": {"tool_error_mode": "abort"}}, [call("bad"), DONE]),
    Kind("lacks a tool", TOOLS | {"execution": {"require_successful_tools": ["count"]}}, [DONE]),
    Kind("writes files", {"capability": {"toolkits": ["files.read", {"files.edit": {"root": "."}}]}}, [call("write_file", path="a", content="x"), call("read_file", path="a"), DONE]),
    Kind("calls two at once", TOOLS, [{"tool_calls": [*BY_A["tool_calls"], *BY_A["tool_calls"]]}, DONE]),
    Kind("makes its view shorter", capable(big={"description": "b", "run": ["seq", "700"]}) | {"context": {"compaction": {"strategy": "summarize_all", "threshold": 300}}}, [call("big"), {"role": "summary", "text": "s"}, call("big"), {"role": "summary", "text": "t"}, DONE]),
    Kind("is stopped in a turn", TOOLS, [BY_A, {"text": "x", "delay": "20s"}], stopped_at="turn_started"),
    Kind("is stopped in a tool", TOOLS, [BY_A, call("nap"), DONE], stopped_at="nap"),
    Kind("is stopped in a tool that is told a question", capable(nap=NAP | {"parameters": {"question": "string"}}), [call("nap", question="Why?"), DONE], stopped_at="nap"),
    Kind("is stopped in one of two tools", TOOLS, [BOTH, DONE], stopped_at="nap"),
    Kind("goes on after a stop", TOOLS, [call("nap"), BY_A, DONE], stopped_at="nap", resumed={}),
    Kind("hears a word when it goes on", TOOLS, [call("nap"), BY_A, DONE], stopped_at="nap", resumed={"message": "hurry"}),
    Kind("is asked again", TOOLS, [BY_A, DONE, BY_B, {"text": "second"}], resumed={"message": "and now ${this}"}),
]  # fmt: skip
QUICK = (
    "is told to wait 12345678s (429)",
    "approves some",
    "is stopped in a tool",
    "reaches its time in a turn",
    "calls in text",
)


def seen(result: Result) -> tuple[object, ...]:
    tools, llm = result.tools, result.llm
    of_tools = (tools.calls, tools.successful, tools.rejected)
    return result.status, result.stop_reason, result.text, result.output, of_tools, llm.iterations, llm.provider_calls


def answering(words: Iterator[str], stop: Callable[[], None]) -> Any:
    async def answer(_: object) -> str | None:
        word = next(words, None)
        if word == "stop":
            stop()
            await asyncio.Future()
        return word

    return answer


async def recorded(place: Path, kind: Kind) -> Result:
    """The end of a run of a kind, which is recorded."""
    (place / "own_words.py").write_text(PYTHON)
    (place / "a.json").write_text(json.dumps({"name": "a", **kind.spec}))
    (place / "s.json").write_text(json.dumps(kind.turns))
    reached, begun = asyncio.Event(), []
    answer = answering(iter(kind.answers), lambda: begun[0].abort(kind.by))

    def hear(event: dict[str, Any]) -> None:
        if kind.stopped_at and kind.stopped_at in (event["kind"], event.get("name")):
            reached.set()

    options = RunOptions(
        script=place / "s.json",
        record=place / "r.scenario.yaml",
        on_event=hear,
        **({"on_approval": answer, "on_question": answer} if kind.answers else {}),
        **kind.options,
    )
    async with workspace() as shared:
        begun.append(await start(as_spec(place / "a.json", options), "go", options, shared))
        going = asyncio.create_task(begun[0].go())
        if kind.stopped_at:
            await reached.wait()
            await asyncio.sleep(0.05)
            begun[0].abort(kind.by)
        ended = await going
    if kind.resumed is None:
        return ended
    return await resume(ended.run_id, project=place, record=place / "r.scenario.yaml", **kind.resumed)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, id=kind.name, marks=() if kind.name in QUICK else pytest.mark.slow) for kind in KINDS]
)
async def test_a_recording_plays_back_to_the_same_end(tmp_path: Path, kind: Kind) -> None:
    ended = await recorded(tmp_path, kind)

    assert check(tmp_path / "r.scenario.yaml").diagnostics == []
    [found] = find_scenarios([tmp_path / "r.scenario.yaml"]).scenarios
    played = await play(found, allow_python=True)

    assert played.reasons() == []
    assert played.result is not None
    assert seen(played.result) == seen(ended)


FILES = {
    "made": ([call("write_file", path="r.md", content="x")], {}),
    "made after a look": ([DONE, call("write_file", path="r.md", content="x")], {}),
    "made and changed": ([call("write_file", path="r.md", content="x"), call("edit_file", path="r.md", old_string="x", new_string="xx")], {}),
    "made in a folder": ([call("create_directory", path="sub"), call("write_file", path="sub/r.md", content="x")], {}),
    "replaced": ([call("write_file", path="r.md", content="x")], {"r.md": "old"}),
    "deleted and made": ([call("delete_path", path="r.md"), call("write_file", path="r.md", content="x")], {"r.md": "old"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
async def test_files_that_a_run_wrote_are_written_in_a_fresh_clone_as_well(tmp_path: Path, kind: str) -> None:
    turns, files = FILES[kind]
    wanted = f"out/{turns[-1]['tool_calls'][0]['arguments']['path']}"
    spec = {
        "execution": {"loop_until_done": True, "require_artifacts": [wanted]},
        "capability": {"toolkits": [{"files.edit": {"root": "out"}}]},
    }
    here, clone = tmp_path / "here", tmp_path / "clone"
    for place in (here, clone):
        (place / "out").mkdir(parents=True)
        for name, text in files.items():
            (place / "out" / name).write_text(text)

    ended = await recorded(here, Kind(kind, spec, [*turns, DONE]))
    for name in ("a.json", "r.scenario.yaml"):
        (clone / name).write_text((here / name).read_text())
    before = texts_of(tmp_path)
    both = [await play(found) for found in find_scenarios([here, clone]).scenarios]

    assert check(clone / "r.scenario.yaml").diagnostics == []
    assert [(played.reasons(), seen(played.result)) for played in both] == [([], seen(ended))] * 2
    assert texts_of(tmp_path) == before


async def test_a_recorded_file_is_written_nowhere_but_in_the_copy(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    spec = {
        "capability": {
            "toolkits": [{"files.edit": {"root": "../outside"}}],
            "approval": {"external_roots": ["../outside"]},
        }
    }
    (tmp_path / "in").mkdir()
    await recorded(tmp_path / "in", Kind("outside", spec, [call("write_file", path="r.md", content="x"), DONE]))
    (outside / "r.md").unlink()

    [found] = find_scenarios([tmp_path / "in" / "r.scenario.yaml"]).scenarios
    played = await play(found)
    again = await run(tmp_path / "in" / "a.json", "go", script=tmp_path / "in" / "r.scenario.yaml", offline=True)

    assert (played.reasons(), again.status) == ([], "done")
    assert [*outside.iterdir()] == []


async def test_a_conversation_that_went_before_is_said_again(tmp_path: Path) -> None:
    await recorded(tmp_path, next(kind for kind in KINDS if kind.name == "is asked again"))

    [found] = find_scenarios([tmp_path / "r.scenario.yaml"]).scenarios
    written = yaml.safe_load((tmp_path / "r.scenario.yaml").read_text())
    played = await play(found)

    assert [message["role"] for message in written["history"]] == ["user", "assistant", "tool_result", "assistant"]
    assert written["task"] == "and now ${this}"
    opening = played.records[0].opening
    assert [message.text for message in opening] == ["go", "", "1\n", "done", "and now ${this}"]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["sk-proj-" + "a1B2" * 8, "password: geheim", "token=geheim", "--api-key geheim"])
async def test_no_recording_holds_what_looks_like_a_key_whoever_said_it(tmp_path: Path, key: str) -> None:
    told = Kind("tells", TOOLS, [BY_A, {"text": f"it is {key}"}, DONE], resumed={"message": f"keep {key}"})
    heard = Kind("hears", TOOLS, [call("nap"), DONE], stopped_at="nap", resumed={"message": f"keep {key}"})
    given = Kind("is given", TOOLS, [DONE], {"sets": [f"context.system='use {key}'"]})
    asks = [call("ask_user", question=f"Is it [{key}]?"), DONE]
    asked = Kind("asks", {"capability": {"toolkits": ["ask_user"]}}, asks, answers=(f"no, {key}",))

    for kind in (told, heard, given, asked):
        ended = await recorded(tmp_path, kind)
        [found] = find_scenarios([tmp_path / "r.scenario.yaml"]).scenarios
        played = await play(found)
        assert played.reasons() == []
        assert (played.result.status, played.result.stop_reason) == (ended.status, ended.stop_reason)
        written = (tmp_path / "r.scenario.yaml").read_text()
        assert key not in written
        assert "[redacted]" in written


async def test_a_script_of_somebody_else_approves_nothing_that_is_done(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"name": "a", "capability": ASKED}))
    ends = {}
    for name, more in {"really": {}, "recorded": {"tool_results": [{"name": "count", "text": "7"}]}}.items():
        (tmp_path / "s.json").write_text(json.dumps({"approve": "allow", "model": [BY_A, DONE], **more}))
        result = await run(tmp_path / "a.json", "go", script=tmp_path / "s.json")
        ends[name] = (result.status, result.stop_reason)

    assert ends == {"really": ("suspended", "approval"), "recorded": ("done", "completed")}
    assert not (tmp_path / "n").exists()


async def test_what_a_script_waits_for_is_no_time_of_a_test(tmp_path: Path) -> None:
    spec = {"name": "a", "execution": {"limits": {"wall_clock": "1h"}}, "capability": {"tools": {"count": COUNT}}}
    (tmp_path / "a.json").write_text(json.dumps(spec))
    slow = {"error": {"status": 503, "message": "busy", "retry_after": "20s"}}
    turns = [slow, {**BY_A, "delay": "30m"}, {"text": "a", "delay": "45m"}, {"text": "last"}]
    expect = {"status": "budget_exhausted", "stop_reason": "wall_clock", "text": "last", "tools": {"calls": ["count"]}}
    results = [{"name": "count", "text": "1", "delay": "40s"}]
    scenario = {
        "scenario": "s",
        "for": "a.json",
        "task": "t",
        "model": turns,
        "tool_results": results,
        "expect": expect,
    }
    (tmp_path / "s.scenario.json").write_text(json.dumps(scenario))

    [found] = find_scenarios([tmp_path]).scenarios
    played = await play(found)

    assert played.reasons() == []
    assert played.seconds < 20


async def test_where_a_program_may_run_on_nothing_is_left_out(tmp_path: Path) -> None:
    spec = {"name": "a", "capability": {"toolkits": [{"command": {"allow": [["true"]]}}]}}
    (tmp_path / "a.json").write_text(json.dumps(spec))
    turns = [{"text": "x", "delay": "120ms"}]
    scenario = {"scenario": "s", "for": "a.json", "task": "t", "model": turns, "expect": {"text": "x"}}
    (tmp_path / "s.scenario.json").write_text(json.dumps(scenario))

    [found] = find_scenarios([tmp_path]).scenarios
    played = await play(found)

    assert played.reasons() == []
    assert played.seconds > 0.12
