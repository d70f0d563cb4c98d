"""Scenarios of a library, or of anybody else, are played against a spec of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

LIBRARY = "library: house\nversion: 1.0.0\nexports:\n  presets: [careful]\n  scenarios: [edits]\n"
CAREFUL = "preset: careful\nexecution: {max_iterations: 3}\ncapability:\n  toolkits: [files.read]\n"
SCENARIO = """\
scenario: nothing is edited
for: own.yaml
task: Mend it
model:
  - tool_calls: [{name: edit_file, arguments: {path: a.txt, old_string: a, new_string: b}}]
  - text: I may not.
files: {a.txt: a}
expect:
  files: {a.txt: a}
"""
IN_DSL = """\
scenario "nothing is edited" for own {
  task: "Mend it"
  model: [
    { tool_calls: [{ name: edit_file  arguments { path: "a.txt"  old_string: "a"  new_string: "b" } }] },
    { text: "I may not." }
  ]
  files { "a.txt": "a" }
  expect { files { "a.txt": "a" } }
}
"""
OWN = "name: own\nmodel: {provider: openai, model: gpt-5.4-mini}\nextends: careful\n"
TRIAGE = (
    'name: triage\nuse: {house: {source: ./house, version: "^1.0"}}\nextends: house.careful\n'
    "model: {provider: openai, model: gpt-5.4-mini}\n"
)
EDITS = "capability:\n  toolkits: [files.read, files.edit]\n"
PASSED, FAILED = (0, "1 passed, 0 failed"), (1, "0 passed, 1 failed")


@pytest.fixture
def project(tmp_path, agentspec) -> Path:
    for name, text in {
        "house/library.yaml": LIBRARY,
        "house/presets/careful.yaml": CAREFUL,
        "house/scenarios/edits.scenario.yaml": SCENARIO,
        "house/scenarios/own.yaml": OWN,
        "triage.yaml": TRIAGE,
        "loose.yaml": TRIAGE.replace("triage", "loose") + EDITS,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert agentspec("lib", "lock").code == 0
    return tmp_path


@pytest.mark.parametrize("path", ["house", "./house", "house/scenarios/edits.scenario.yaml"])
@pytest.mark.parametrize(
    ("spec", "ended"), [("triage.yaml", PASSED), ("loose.yaml", FAILED), ("loose.yaml#loose", FAILED)]
)
def test_they_are_played_against_the_spec_that_is_named(project, agentspec, path, spec, ended):
    before = (project / "house/scenarios/edits.scenario.yaml").read_bytes()

    done = agentspec("test", path, "--for", spec)

    assert (done.code, done.out.splitlines()[-1], done.err) == (*ended, "")
    assert (project / "house/scenarios/edits.scenario.yaml").read_bytes() == before


def test_without_it_they_try_what_they_say_themselves(project, agentspec):
    done = agentspec("test", "house")

    assert (done.code, done.out) == (0, "pass  nothing is edited\n1 passed, 0 failed\n")


@pytest.mark.parametrize(("name", "text"), [("a.scenario.yaml", SCENARIO), ("a.agent", IN_DSL)])
def test_whatever_a_scenario_is_for_it_is_played_against_another_spec_in_both_spellings(project, agentspec, name, text):
    (project / name).write_text(text)

    ends = [agentspec("test", name, "--for", spec).code for spec in ("triage.yaml", "loose.yaml")]

    assert ends == [0, 1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("hous", "--for", "triage.yaml"), "no such file: `hous`"),
        (("hous",), "no such file: `hous`\n  scenarios of a library: `agentspec test hous --for SPEC`, which uses it"),
        (("house", "--for", "gone.yaml"), "no such file: `gone.yaml`"),
        (("house", "--for", "triage.yaml", "--update"), "`--for` plays scenarios against another spec than theirs"),
        (("house", "--for", "triage.yaml", "--behaviours"), "`--behaviours` plays no scenarios"),
    ],
)
def test_what_cannot_be_meant_is_told(project, agentspec, words, message):
    done = agentspec("test", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"agentspec: {message}")


def test_what_is_not_as_it_was_locked_is_not_played(project, agentspec):
    (project / "house/presets/careful.yaml").write_text(CAREFUL + "# changed\n")

    done = agentspec("test", "house", "--for", "triage.yaml")

    assert done.code == 1
    assert "`presets/careful.yaml` is changed" in done.out


def test_a_library_that_exports_none_says_so(project, agentspec):
    (project / "house/library.yaml").write_text(LIBRARY.replace("  scenarios: [edits]\n", ""))
    agentspec("lib", "lock", "--accept-changed")

    done = agentspec("test", "house", "--for", "triage.yaml")

    assert (done.code, done.err) == (2, "agentspec: the library `house` exports no scenario\n")
