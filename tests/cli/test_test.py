"""`agentspec test`: scenarios found, played, told and counted; nothing that was not played counts as passed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = "name: greeter\nmodel: {provider: openai, model: gpt-5.4-mini}\n"


def scenario(title: str, said: str, wanted: str, spec: str = "greeter.yaml") -> str:
    model = f"model: [{{text: {said}}}]"
    return f"scenario: {title}\nfor: {spec}\ntask: Greet\n{model}\nexpect: {{text: {wanted}}}\n"


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "greeter.yaml").write_text(SPEC)
    (tmp_path / "a.scenario.yaml").write_text(
        scenario("says hello", "Hello", "Hello") + "---\n" + scenario("says goodbye", "Hello", "Bye")
    )
    return tmp_path


def test_what_failed_is_told_with_its_run_and_what_passed_in_a_line(folder, agentspec):
    done = agentspec("test", ".")

    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines() == [
        "pass  says hello",
        "FAIL  says goodbye  (a.scenario.yaml:7)",
        "      line 11: text: expected `Bye`, got `Hello`",
        "      the run:",
        "        task: Greet",
        "        ",
        "        turn 1 · script:script · about 2 tokens in, 2 out · 0.0 s",
        "          Hello",
        "        ",
        "        done (completed) after 1 turn, 0 tool calls, 4 tokens",
        "1 passed, 1 failed",
    ]


def test_a_filter_looks_at_titles_and_files(folder, agentspec):
    (folder / "b.scenario.yaml").write_text(scenario("is polite", "Hello", "Hello"))

    by_title, by_file = (
        agentspec("test", ".", "--filter", "HELLO"),
        agentspec("test", ".", "--filter", "b.scen", "-j", "1"),
    )

    assert (by_title.code, by_title.out) == (0, "pass  says hello\n1 passed, 0 failed\n")
    assert (by_file.code, by_file.out) == (0, "pass  is polite\n1 passed, 0 failed\n")


def test_a_report_for_ci_has_a_suite_for_each_file(folder, agentspec):
    agentspec("test", ".", "--junit", "report.xml")

    root = ET.parse(folder / "report.xml").getroot()
    [suite] = root.findall("testsuite")
    hello, goodbye = suite.findall("testcase")
    assert (root.attrib["tests"], root.attrib["failures"]) == ("2", "1")
    assert (suite.attrib["name"], hello.attrib["name"], list(hello)) == ("a.scenario.yaml", "says hello", [])
    assert goodbye.find("failure").attrib["message"] == "line 11: text: expected `Bye`, got `Hello`"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("empty",), "no scenario in `empty`"),
        ((".", "--filter", "nope"), "no scenario with `nope` in its title or file in `.`"),
        (("gone.yaml",), "no such file: `gone.yaml`"),
        ((".", "gone.yaml"), "no such file: `gone.yaml`"),
        (("greeter.yaml",), "no scenario in `greeter.yaml`"),
        ((".", "--junit", "gone/report.xml"), "can't write `gone/report.xml`"),
        ((".", "--junit", "greeter.yaml"), "`greeter.yaml` is there and is no JUnit report: name a new file"),
        ((".", "--behaviours", "--update"), "`--behaviours` plays no scenarios"),
        ((".", "--behaviours", "--filter", "nope"), "no agent, preset or behaviour is called `nope` in part"),
        *((("-j", n, "."), f"`-j` takes a whole number from 1 to 64, not `{n}`") for n in ("x", "0", "65", "1.5", "")),
    ],
)
def test_where_nothing_is_played_nothing_has_passed(folder, agentspec, words, message):
    (folder / "empty").mkdir()

    done = agentspec("test", *words)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_scenario_for_a_spec_that_is_gone_fails(folder, agentspec):
    (folder / "greeter.yaml").unlink()

    done = agentspec("test", "a.scenario.yaml")

    assert done.code == 1
    assert done.out.endswith("\n0 passed, 2 failed\n")


def test_a_file_whose_name_says_that_it_holds_one_and_does_not_fails(folder, agentspec):
    (folder / "a.scenario.yaml").write_text("senario: typo\nfor: greeter.yaml\n")
    (folder / "b.scenario.yaml").write_text("")

    done = agentspec("test", ".")

    assert (done.code, done.out.splitlines()) == (
        1,
        [
            "FAIL  a.scenario.yaml  (a.scenario.yaml:1)",
            "      it holds no scenario: none has the key `scenario`",
            "FAIL  b.scenario.yaml  (b.scenario.yaml:1)",
            "      it holds no scenario: none has the key `scenario`",
            "0 passed, 2 failed",
        ],
    )


@pytest.mark.parametrize("broken", ["model: [{text: a}", "for: greeter.yaml", "\tx: 1"])
def test_a_scenario_that_cannot_be_read_fails(folder, agentspec, broken):
    (folder / "a.scenario.yaml").write_text(scenario("is broken", "a", "a") + broken)

    done = agentspec("test", ".")

    assert (done.code, done.out.splitlines()[:2]) == (
        1,
        ["FAIL  is broken  (a.scenario.yaml:1)", "      it does not check:"],
    )


def test_a_recorded_run_is_a_scenario_that_passes(folder, agentspec):
    (folder / "turns.yaml").write_text("- text: Hello\n")
    agentspec("run", "greeter.yaml", "Greet", "--script", "turns.yaml", "--record", "told.scenario.yaml")

    done = agentspec("test", "told.scenario.yaml")

    assert (done.code, done.out) == (0, "pass  a recorded run of greeter\n1 passed, 0 failed\n")


SNAPSHOT = """\
scenario: says what it says   # a title
for: greeter.yaml
task: Greet
model: [{text: "Hello\\nyou"}]
expect:
  # the words
  text: |
    Bye
  status: stuck   # once
  tools: {calls: [look]}
  limits: {iterations: 0}
  that: result.status == 'done'
"""


def test_an_update_writes_what_came_out_and_leaves_all_else(folder, agentspec):
    path = folder / "b.scenario.yaml"
    path.write_text(SNAPSHOT)

    done, again = agentspec("test", "b.scenario.yaml", "--update"), agentspec("test", "b.scenario.yaml")

    assert (done.code, again.code) == (0, 0)
    assert done.out.splitlines() == [
        "wrote text, status, tools.calls, limits.iterations  (b.scenario.yaml:1)",
        "pass  says what it says",
        "1 passed, 0 failed",
    ]
    assert path.read_text() == SNAPSHOT.replace("|\n    Bye", '"Hello\\nyou"').replace("stuck", "done").replace(
        "[look]", "[]"
    ).replace("iterations: 0", "iterations: 1")


def test_an_update_in_the_dsl_and_what_it_cannot_write(folder, agentspec):
    path = folder / "b.agent"
    path.write_text(
        "agent a {{ model {{ provider: openai  model: m }} }}\n"
        'scenario "is so" for a {{\n  task: "x"\n  model: [ {{ text: "Hello" }} ]\n'
        '  expect {{ text: {}  that = result.status == "stuck" }}\n}}\n'.format('"Bye"')
    )

    done = agentspec("test", "b.agent", "--update")

    assert (done.code, done.out.splitlines()[:3]) == (
        1,
        [
            "wrote text  (b.agent:2)",
            "FAIL  is so  (b.agent:2)",
            '      line 5: that: `result.status == "stuck"` does not hold: `result.status` is `done`',
        ],
    )
    assert "expect { text: Hello  that =" in path.read_text()


def test_a_spec_is_tried_against_models_that_misbehave(folder, agentspec):
    done, nothing = (
        agentspec("test", "--behaviours", "greeter.yaml"),
        agentspec("test", "--behaviours", "a.scenario.yaml"),
    )

    lines = done.out.splitlines()
    assert (done.code, lines[:2]) == (
        0,
        ["greeter.yaml#greeter", "  pass  answers-at-once      done (completed) after 1 turn"],
    )
    assert lines[-1] == f"{len(lines) - 2} passed, 0 failed"
    assert (nothing.code, nothing.out) == (2, "")
    assert "no agent and no preset in `a.scenario.yaml`" in nothing.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_what_runs_and_leaves_nothing_behind(tmp_path, number, code):
    project, folder = tmp_path / "project", tmp_path / "tmp"
    project.mkdir()
    folder.mkdir()
    tool = '{description: N, run: [sh, -c, "touch begun; exec sleep 60"]}'
    (project / "greeter.yaml").write_text(f"{SPEC}capability: {{tools: {{nap: {tool}}}}}\n")
    (project / "a.scenario.yaml").write_text(
        "scenario: naps\nfor: greeter.yaml\ntask: t\nmodel: [{tool_calls: [{name: nap}]}, {text: a}]\nexpect: {text: a}\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    words = [sys.executable, "-m", "agentspec", "test", "."]
    with subprocess.Popen(words, cwd=project, env=environment, stderr=subprocess.PIPE, text=True) as started:
        while not list(folder.glob("*/workspace/begun")) and started.poll() is None:
            time.sleep(0.01)
        started.send_signal(number)
        _, told = started.communicate()

    assert (started.returncode, told) == (code, "agentspec: stopped by a signal\n")
    assert list(folder.iterdir()) == []


FORMATTED = """\
scenario: says what it says

for: greeter.yaml

task: Greet

model:
  - text: "Hello\\nyou"

expect:
  text: Bye
  status: stuck # once
  tools:
    calls: [look]
"""


@pytest.mark.parametrize("suffix", ["yaml", "agent", "json"])
def test_an_update_leaves_a_file_in_its_form(folder, agentspec, suffix):
    path, form = folder / f"b.scenario.{suffix}", {"agent": "dsl"}.get(suffix, suffix)
    (folder / "b.yaml").write_text(FORMATTED if suffix != "json" else FORMATTED.replace(" # once", ""))
    agentspec("convert", "b.yaml", "--to", form, "-o", path.name)

    done, again = agentspec("test", path.name, "--update"), agentspec("test", path.name)
    formed = agentspec("fmt", "--check", path.name)

    assert (done.code, formed.code, formed.out, again.code) == (0, 0, "", 0), done.out + formed.out
    assert ("once" in path.read_text()) is (suffix != "json")


def test_a_person_who_was_missed_and_values_that_do_not_hold_are_told(folder, agentspec):
    (folder / "greeter.yaml").write_text(SPEC + "capability: {toolkits: [ask_user]}\n")
    (folder / "a.scenario.yaml").write_text(
        "scenario: asks\nfor: greeter.yaml\ntask: Greet\n"
        "model:\n  - tool_calls: [{name: ask_user, arguments: {question: 'Whom do I greet?'}}]\n"
        "user: [{match: '*which*', reply: Ada}]\nfiles: {a.txt: x}\n"
        "expect: {that: [\"result.status == 'done' && result.llm.iterations > 1\", \"'b.txt' in files\"]}\n"
    )

    done = agentspec("test", ".")

    ends = "`result.status` is `suspended`; `result.llm.iterations` is `1`"
    assert done.out.splitlines()[1:5] == [
        "      line 6: user: no rule matches the question `Whom do I greet?`",
        f"      line 8: that[0]: `result.status == 'done' && result.llm.iterations > 1` does not hold: {ends}",
        "      line 8: that[1]: `'b.txt' in files` does not hold: `files` is `a.txt`",
        "      user: no question matched `*which*`",
    ]
