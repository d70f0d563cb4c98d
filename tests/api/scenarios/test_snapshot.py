"""What came out is written in the place of what was expected, but never of a run that did not go as its scenario says."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agentspec.api.scenarios.find import find_scenarios
from agentspec.api.scenarios.play import Played, play_all
from agentspec.api.scenarios.snapshot import update

SPEC = {
    "name": "s",
    "model": {"provider": "openai", "model": "gpt-5.4-mini"},
    "capability": {
        "toolkits": ["ask_user"],
        "tools": {
            "look": {"description": "l", "expr": "'sky'"},
            "get": {"description": "g", "http": {"method": "GET", "url": "https://example.org/x"}},
        },
    },
}
JUDGED = {"loop_until_done": True, "verify_completion_judge": True}
DONE = {"text": "done"}
EXPECT = {"expect": {"text": "other", "tools": {"calls": ["look", "look"]}, "limits": {"iterations": 0}}}


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


ASK = call("ask_user", question="Which?")
BROKEN: dict[str, dict[str, Any]] = {
    "a script that is too short": {"model": [call("look")]},
    "a script that is empty": {"model": []},
    "a script without a turn for the judge": {"model": [{"match": "go", "text": "done"}], "of_spec": JUDGED},
    "a script that is too long": {"model": [DONE, DONE]},
    "a script with a turn that fits nothing": {"model": [DONE, {"match": "*never*", "text": "x"}]},
    "a person who has no answer": {"model": [ASK], "user": [{"match": "*other*", "reply": "x"}]},
    "a person who may not be asked": {"model": [ASK], "user": [{"match": "*", "action": "fail"}]},
    "a person who is asked too often": {
        "model": [ASK, ASK],
        "user": {"replies": [{"match": "*", "reply": "x"}], "max_replies": 1},
    },
    "a server that was not recorded": {"model": [call("get"), DONE]},
    "a result for other arguments": {
        "model": [call("look"), DONE],
        "tool_results": [{"name": "look", "arguments": {"at": "b"}, "text": "x"}],
    },
    "a scenario that does not check": {"model": [DONE], "inputs": {"nope": 1}},
}


def played_and_updated(place: Path, **scenario: Any) -> tuple[str, str, list[Played]]:
    """The text of its file before and after, and what is left to mend."""
    execution = scenario.pop("of_spec", {})
    (place / "s.json").write_text(json.dumps({**SPEC, "execution": execution}))
    path = place / "a.scenario.json"
    path.write_text(json.dumps({"scenario": "a", "for": "s.json", "task": "go", **scenario, **EXPECT}, indent=1))
    before = path.read_text()
    now = update(asyncio.run(play_all(find_scenarios([path], is_updated=True).scenarios, 1)))
    return before, path.read_text(), now


@pytest.mark.parametrize("kind", BROKEN)
def test_a_run_that_did_not_go_as_its_scenario_says_is_never_written_down(tmp_path: Path, kind: str) -> None:
    before, after, [left] = played_and_updated(tmp_path, **BROKEN[kind])

    assert after == before
    assert left.is_broken
    assert not left.has_passed


def test_what_came_out_otherwise_is_written_and_places_are_those_of_the_file_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(SPEC))
    path = tmp_path / "a.scenario.yaml"
    one = "scenario: a\nfor: s.json\ntask: go\nmodel: [{text: done}]\nexpect:\n  text: |\n    two\n    lines\n"
    other = one.replace("scenario: a", "scenario: b")
    path.write_text(f"{one}---\n{other}  that: result.status == 'stuck'\n")

    first, second = update(asyncio.run(play_all(find_scenarios([path]).scenarios, 1)))

    written, other = (each.replace("|\n    two\n    lines", "done") for each in (one, other))
    assert path.read_text() == f"{written}---\n{other}  that: result.status == 'stuck'\n"
    assert (first.has_passed, second.scenario.place) == (True, f"{path}:8")
    assert second.reasons() == ["line 14: that: `result.status == 'stuck'` does not hold: `result.status` is `done`"]
