"""Scenarios are played in a copy of their folder, and what did not come out is told with the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentspec.api.libraries.lock import lock_libraries
from agentspec.api.scenarios.find import find_scenarios
from agentspec.api.scenarios.play import play_all
from agentspec.api.scenarios.stage import on_stage
from tests.servers.background import serving
from tests.servers.loopback import response

SPEC = {"name": "s", "model": {"provider": "openai", "model": "gpt-5.4-mini"}}
EDITS = {"capability": {"toolkits": ["files.read", {"files.edit": {"root": "."}}, "ask_user"]}}


@pytest.fixture
def folder(tmp_path):
    """A folder with a spec; the scenarios of a list are written beside it."""

    class Folder:
        path = tmp_path

        def write(self, *scenarios: dict, **spec: object) -> None:
            (tmp_path / "s.json").write_text(json.dumps({**SPEC, **spec}))
            for number, scenario in enumerate(scenarios):
                whole = {"scenario": f"number {number}", "for": "s.json", "task": "go", **scenario}
                (tmp_path / f"{number}.scenario.json").write_text(json.dumps(whole))

        async def play(self, *scenarios: dict, **spec: object):
            self.write(*scenarios, **spec)
            return await play_all(find_scenarios([tmp_path]).scenarios, 4)

    return Folder()


def call(name: str, **arguments: object) -> dict:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def told(played) -> list[str]:
    """Why it has failed, in lines; of a finding without its place."""
    return [line.partition(": error[")[2] or line for line in played.reasons()]


WRITE = call("write_file", path="a.txt", content="new\n")


async def test_a_scenario_changes_nothing_of_the_project_and_sees_what_stands_there(folder):
    (folder.path / "a.txt").write_text("old\n")
    model = [call("read_file", path="a.txt"), WRITE, {"text": "Done."}]
    expect = {"status": "done", "files": {"a.txt": "new\n"}, "that": "files['a.txt'] == 'new\\n'"}

    [played] = await folder.play({"model": model, "expect": expect}, **EDITS)

    assert told(played) == []
    assert (folder.path / "a.txt").read_text() == "old\n"
    assert sorted(path.name for path in folder.path.iterdir()) == ["0.scenario.json", "a.txt", "s.json"]


async def test_with_files_the_workspace_holds_these_and_what_the_spec_reads(folder):
    (folder.path / "secret.txt").write_text("hidden")
    (folder.path / "prompt.md").write_text("You list files.")
    names = "result.status == 'done' && !('secret.txt' in files) && 'prompt.md' in files && !('s.json' in files)"
    scenario = {"model": [{"text": "x"}], "files": {"in/a.txt": "a"}, "expect": {"that": names}}

    [played] = await folder.play(scenario, **EDITS, context={"system": {"file": "prompt.md"}})

    assert told(played) == []


@pytest.mark.parametrize("path", ["../out.txt", "/tmp/out.txt", "."])
async def test_files_stay_below_the_workspace(folder, path):
    [played] = await folder.play({"model": [{"text": "x"}], "files": {path: "a"}, "expect": {"status": "done"}})

    assert told(played) == ["it does not check:", f"AS110]: `{path}` is no path below the workspace"]


EXHAUSTED = "the script is exhausted: all of its 1 turns are used, and the worker asks again"


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([WRITE], f"line 1: model: {EXHAUSTED}"),
        ([{"text": "x"}] * 3, "line 1: model: nobody asked for turns 2, 3 of 3"),
        ([{"text": "x"}] * 2, "line 1: model: nobody asked for turn 2 of 2"),
        ([{"text": "x"}, {"role": "judge", "text": "y"}], "line 1: model: nobody asked for turn 2 of 2"),
    ],
)
async def test_a_script_that_is_too_short_or_too_long_is_told_whatever_is_expected(folder, turns, expected):
    [played] = await folder.play({"model": turns, "expect": {"status": ["done", "provider_error"]}}, **EDITS)

    assert told(played) == [expected]
    assert played.records


async def test_turns_are_counted_by_the_script_and_not_by_the_calls_of_other_models(folder):
    own = {"name": "e", "model": {"provider": "script", "options": {"turns": [{"text": "blue"}]}}}
    (folder.path / "e.json").write_text(json.dumps(own))
    asks = {"capability": {"tools": {"ask": {"description": "a", "agent": "e.json"}}}}
    model = [call("ask", task="Which?"), {"text": "blue"}, {"text": "too much"}]

    [played] = await folder.play({"model": model, "expect": {"status": "done"}}, **asks)

    assert told(played) == ["line 1: model: nobody asked for turn 3 of 3"]


ASK = call("ask_user", question="your password?")


@pytest.mark.parametrize(
    ("user", "expect", "expected"),
    [
        ([{"match": "*password*", "reply": "no"}], {"status": "done"}, []),
        ([{"match": "*", "action": "stop"}], {"status": "cancelled"}, ["line 1: model: nobody asked for turn 2 of 2"]),
        (
            [{"match": "*", "action": "fail"}],
            {"status": "suspended"},
            [
                "line 1: user: the person was asked what may not be asked: `your password?`",
                "line 1: model: nobody asked for turn 2 of 2",
            ],
        ),
        ({"agent": "person.json"}, {"status": "done"}, []),
    ],
)
async def test_a_person_answers_ends_or_fails_it(folder, user, expect, expected):
    person = {"name": "p", "model": {"provider": "script", "options": {"turns": [{"text": "hunter"}]}}}
    (folder.path / "person.json").write_text(json.dumps(person))

    [played] = await folder.play({"model": [ASK, {"text": "x"}], "user": user, "expect": expect}, **EDITS)

    assert told(played) == expected


async def test_an_agent_that_plays_the_person_has_its_own_caps_and_no_network(folder):
    turns = [{"text": "yes"}] * 9
    (folder.path / "person.json").write_text(
        json.dumps({"name": "p", "model": {"provider": "script", "options": {"turns": turns}}})
    )
    ask = [call("ask_user", question=f"{number}?") for number in range(3)]
    scenario = {"model": [*ask, {"text": "x"}], "expect": {"status": "done"}}

    capped, replied, foreign = await folder.play(
        {**scenario, "user": {"agent": "person.json", "max_llm_calls": 2}},
        {**scenario, "user": {"agent": "person.json", "max_replies": 2}},
        {**scenario, "user": {"agent": "s.json"}},
        **EDITS,
    )

    assert told(capped)[0] == "line 1: user: the person's agent made more than 2 calls (`user.max_llm_calls`)"
    assert told(replied)[0] == "line 1: user: the person was asked more often than 2 times (`user.max_replies`)"
    words = "the agent `s.json` that plays the person needs a provider without a network: `script`"
    assert told(foreign) == ["it does not check:", f"AS110]: {words}"]


async def test_recorded_results_stand_in_for_tools_and_approvals_are_answered(folder):
    answers = [{"name": "read_file", "text": "recorded"}]
    rules = {"approval": {"rules": [{"tool": "write_file", "decision": "ask"}]}}
    model = [call("read_file", path="none.txt"), WRITE, {"text": "x"}]
    scenario = {"model": model, "tool_results": answers, "approve": "deny"}
    expect = {"events": [{"kind": "tool_result", "status": "ok"}, {"kind": "tool_result", "status": "denied"}]}

    [played] = await folder.play({**scenario, "expect": expect}, capability={**EDITS["capability"], **rules})

    assert told(played) == []


async def test_no_tool_asks_a_server(folder):
    with serving([response("real")]) as server:
        tool = {"description": "G", "http": {"url": f"{server.url}/x", "method": "GET"}}
        tools = {"get": tool, "post": {**tool, "http": {**tool["http"], "method": "POST"}}}
        turns = [call("get"), call("post"), {"text": "x"}]
        words = "no result of `post` was recorded for these arguments, and it is not run"
        expect = {
            "events": [
                {"kind": "tool_result", "name": "get", "status": "ok"},
                {"kind": "tool_result", "name": "post", "status": "error", "error": {"message": words}},
            ]
        }
        results = [{"name": "get", "text": "recorded"}]

        [played] = await folder.play(
            {"model": turns, "tool_results": results, "expect": expect}, capability={"tools": tools}
        )

    assert told(played) == []
    assert server.asked == []


@pytest.mark.parametrize(
    ("scenario", "spec", "expected"),
    [
        ({}, {}, "AS110]: there are no turns of a model, and `s.json` asks a provider"),
        ({"expect": {"statsu": "done"}}, {}, "AS102]: unknown key `statsu` in `expect`"),
        ({"for": "none.json"}, {}, "AS108]: no such file: `FOLDER/none.json`"),
        (
            {},
            {"execution": {"max_iterations": 0}},
            "AS108]: `s.json` does not check: expected a whole number from 1, found the number `0`",
        ),
    ],
)
async def test_what_cannot_be_played_is_told(folder, scenario, spec, expected):
    model = {} if not scenario and not spec else {"model": [{"text": "x"}]}

    [played] = await folder.play({"expect": {"status": "done"}, **model, **scenario}, **spec)

    assert told(played)[:2] == ["it does not check:", expected.replace("FOLDER", str(folder.path))]


async def test_scenarios_are_told_in_their_order_however_many_are_played_at_once(folder):
    slow = {"model": [{"text": "x", "delay": "50ms"}], "expect": {"status": "done"}}
    folder.write(slow, {"model": [{"text": "x"}], "expect": {"status": "done"}})
    heard = []

    await play_all(find_scenarios([folder.path]).scenarios, 2, lambda played: heard.append(played.scenario.title))

    assert heard == ["number 0", "number 1"]


async def test_with_files_a_spec_still_has_its_instructions_and_its_own_python(folder):
    (folder.path / "AGENTS.md").write_text("Speak of sheep.")
    (folder.path / "agentspec.toml").write_text('[python]\ntrust = ["own_play"]\n')
    (folder.path / "own_play.py").write_text("def tool(**given):\n    return 'sheep'\n")
    tools = {"py": {"description": "p", "python": "own_play:tool"}}
    scenario = {
        "files": {"a.txt": "x"},
        "model": [call("py"), {"text": "x"}],
        "expect": {"tools": {"successful": ["py"]}, "that": "'AGENTS.md' in files && !('s.json' in files)"},
    }

    [played] = await folder.play(scenario, capability={"tools": tools}, context={"instructions_files": "auto"})

    assert told(played) == []
    assert "Speak of sheep." in played.records[0].opening[0].text


@pytest.mark.parametrize("files", [{}, {"files": {"a.txt": "x"}}])
async def test_the_folders_that_a_spec_works_in_are_there_though_they_are_empty(folder, files):
    (folder.path / "out").mkdir()
    scenario = {"model": [WRITE, {"text": "x"}], "expect": {"files": {"out/a.txt": "new\n"}}, **files}

    [played] = await folder.play(scenario, capability={"toolkits": [{"files.edit": {"root": "out"}}]})

    assert told(played) == []
    assert list((folder.path / "out").iterdir()) == []


async def test_what_fails_inside_one_scenario_is_told_and_ends_no_other() -> None:
    async def broken(_: Path) -> str:
        raise ValueError("nobody thought of this")

    assert await on_stage(broken) == (
        None,
        "a bug in agentspec (ValueError: nobody thought of this); please report it",
    )


@pytest.mark.parametrize("files", ["", "files: {a.txt: one}\n"])
async def test_what_a_library_beside_the_project_brings_is_there(tmp_path, files) -> None:
    written = {
        "shared/house/library.yaml": "library: house\nversion: 1.0.0\nexports: {presets: [p]}\n",
        "shared/house/presets/p.yaml": "preset: p\ncapability: {skills: {s: skills/s}}\n",
        "shared/house/skills/s/SKILL.md": "---\nname: s\ndescription: Does it.\n---\nSee more.md.\n",
        "shared/house/skills/s/more.md": "More.",
        "teams/one/agentspec.toml": "",
        "teams/one/t.yaml": "name: t\nuse: {h: {source: ../../shared/house, version: ^1.0}}\nextends: h.p\ntask: hi\n",
        "teams/one/t.scenario.yaml": "scenario: one\nfor: t.yaml\n"
        + files
        + "model: [{tool_calls: [{name: activate_skill, arguments: {name: s, file: more.md}}]}, {text: ok}]\n"
        + "expect: {status: done, tools: {successful: [activate_skill]}}\n",
    }
    for name, text in written.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    assert lock_libraries(tmp_path / "teams/one").findings == []
    [played] = await play_all(find_scenarios([tmp_path / "teams/one"]).scenarios, 1)

    assert played.reasons() == []
