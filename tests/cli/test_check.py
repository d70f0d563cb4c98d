"""`agentspec check`: what it prints and how it ends."""

import json

import pytest

from agentspec.cli.checking import read_plain
from agentspec.cli.commands import COMMANDS
from agentspec.cli.program import dispatch

TRIAGE = """\
name: triage
description: Sorts issues
model:
  provider: openai
  model: gpt-5.4
execution:
  max_iteratons: 3
"""
WARNED = """\
name: triage
execution:
  limits: {wall_clock: 5m}
  tool_timeout: 10m
"""


def write(tmp_path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def codes(out: str) -> list[str]:
    return [one["code"] for one in json.loads(out)["diagnostics"]]


def test_json_is_exactly_as_it_is_promised(agentspec, tmp_path):
    write(tmp_path, "triage.yaml", TRIAGE)

    done = agentspec("check", "--format", "json", "triage.yaml")

    place = {"start": {"line": 7, "column": 3}, "end": {"line": 7, "column": 16}}
    assert (done.code, done.err) == (1, "")
    assert json.loads(done.out) == {
        "version": 1,
        "files": 1,
        "diagnostics": [
            {
                "code": "AS102",
                "severity": "error",
                "message": "unknown key `max_iteratons` in `execution`",
                "file": "triage.yaml",
                "path": "execution.max_iteratons",
                "range": place,
                "help": "did you mean `max_iterations`?",
                "fix": {
                    "title": "rename to `max_iterations`",
                    "safe": True,
                    "class": "local",
                    "edits": [{"range": place, "text": "max_iterations"}],
                },
                "related": [],
                "caused_by": None,
            }
        ],
        "summary": {"errors": 1, "warnings": 0, "notes": 0},
    }


def test_text_shows_the_line_with_a_caret_and_sums_up(agentspec, tmp_path):
    write(tmp_path, "triage.yaml", TRIAGE)

    done = agentspec("check", "triage.yaml")

    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "error[AS102]: unknown key `max_iteratons` in `execution`\n"
        " --> triage.yaml:7:3\n"
        "   |\n"
        " 7 |   max_iteratons: 3\n"
        "   |   ^^^^^^^^^^^^^\n"
        "   = help: did you mean `max_iterations`?\n"
        "\n"
        "1 error in 1 file; `--fix` mends 1\n"
    )


def test_a_clean_file_says_so(agentspec, tmp_path):
    write(tmp_path, "a.yaml", "name: a\n")

    assert agentspec("check", "a.yaml") == (0, "no findings in 1 file\n", "")


def test_warnings_fail_only_where_it_is_strict(agentspec, tmp_path):
    write(tmp_path, "a.yaml", WARNED)

    assert agentspec("check", "a.yaml").code == 0
    assert agentspec("check", "--strict", "a.yaml").code == 1


def test_a_project_may_be_strict_leave_codes_out_and_weigh_them(agentspec, tmp_path):
    write(tmp_path, "strict/agentspec.toml", "[check]\nstrict = true\n")
    write(tmp_path, "calm/agentspec.toml", '[check]\nignore = ["AS509"]\n')
    write(tmp_path, "hard/agentspec.toml", '[check.severities]\nAS509 = "error"\n')
    for folder in ("strict", "calm", "hard"):
        write(tmp_path, f"{folder}/a.yaml", WARNED)

    assert agentspec("check", "strict").code == 1
    assert agentspec("check", "calm") == (0, "no findings in 1 file\n", "")
    done = agentspec("check", "hard", "--format", "json")
    assert (done.code, json.loads(done.out)["summary"]) == (1, {"errors": 1, "warnings": 0, "notes": 0, "skipped": 0})


def test_codes_are_selected_and_left_out_by_prefix(agentspec, tmp_path):
    write(tmp_path, "a.yaml", TRIAGE + "  limits: {wall_clock: 5m}\n  tool_timeout: 10m\n")

    assert codes(agentspec("check", "a.yaml", "--format", "json").out) == ["AS102", "AS509"]
    assert codes(agentspec("check", "a.yaml", "--format", "json", "--select", "AS5").out) == ["AS509"]
    assert codes(agentspec("check", "a.yaml", "--format", "json", "--ignore", "AS509,AS1").out) == []
    assert agentspec("check", "a.yaml", "--ignore", "AS102").code == 0


def test_a_code_that_is_none_is_refused(agentspec):
    done = agentspec("check", "a.yaml", "--select", "unknown-key")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: `unknown-key` is no code\n")


def test_a_missing_file_is_named_and_the_others_are_checked(agentspec, tmp_path):
    write(tmp_path, "a.yaml", "name: a\n")

    done = agentspec("check", "a.yaml", "b.yaml")

    assert done == (2, "no findings in 1 file\n", "agentspec: no such file: `b.yaml`\n")
    assert agentspec("check", "b.yaml") == (2, "", "agentspec: no such file: `b.yaml`\n")


def test_files_of_a_folder_that_hold_no_spec_are_counted(agentspec, tmp_path):
    write(tmp_path, "specs/a.yaml", "name: a\nmodel: {provider: script}\n")
    write(tmp_path, "specs/compose.yaml", "services: {}\n")

    done = agentspec("check", "specs", "--format", "json")

    assert json.loads(done.out) == {
        "version": 1,
        "files": 1,
        "diagnostics": [],
        "summary": {"errors": 0, "warnings": 0, "notes": 0, "skipped": 1},
        "skipped_files": ["specs/compose.yaml"],
    }
    assert agentspec("check", "specs").out == "no findings in 1 file (1 other file holds no spec: specs/compose.yaml)\n"


def test_many_skipped_files_are_only_counted_unless_all_is_asked_for(agentspec, tmp_path):
    write(tmp_path, "specs/a.agent", "agent a {\n}\n")
    for number in range(6):
        write(tmp_path, f"specs/{number}.yaml", "services: {}\n")

    names = ", ".join(f"specs/{number}.yaml" for number in range(6))
    assert agentspec("check", "specs").out == "no findings in 1 file (6 other files hold no spec)\n"
    assert agentspec("check", "specs", "--all").out == f"no findings in 1 file (6 other files hold no spec: {names})\n"


def test_a_folder_without_specs_could_not_be_checked(agentspec, tmp_path):
    write(tmp_path, "specs/compose.yaml", "services: {}\n")

    done = agentspec("check", "specs")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: no spec found (1 other file holds no spec: specs/compose.yaml)\n")


def test_all_findings_come_in_one_pass_by_file_and_place(agentspec, tmp_path):
    write(tmp_path, "b.yaml", TRIAGE)
    text = (
        "name: a\nnmae: b\nmodel: {provider: opnai, temperature: hot}\nexecution:\n"
        "  iteration_budget: {mode: adaptive, initial: 9, max: 3}\n"
        "  require_successful_tools: [read_fil]\n  loop_control: [{when: completon.vetoed, stop: x}]\n"
        "capability: {toolkits: [files.read]}\n"
    )
    write(tmp_path, "a.yaml", text)

    done = agentspec("check", "b.yaml", "a.yaml", "--format", "json", "--ignore", "AS902")

    found = [(one["file"], one["range"]["start"]["line"], one["code"]) for one in json.loads(done.out)["diagnostics"]]
    assert found == [
        ("a.yaml", 2, "AS102"),
        ("a.yaml", 3, "AS801"),
        ("a.yaml", 3, "AS201"),
        ("a.yaml", 5, "AS501"),
        ("a.yaml", 6, "AS601"),
        ("a.yaml", 7, "AS302"),
        ("b.yaml", 7, "AS102"),
    ]


def test_a_finding_in_an_extended_file_is_told_once_and_in_its_place(agentspec, tmp_path):
    write(tmp_path, "base.yaml", "preset: base\nexecution:\n  max_nudgs: 3\n")
    for name in ("a", "b"):
        write(tmp_path, f"{name}.yaml", f"name: {name}\nextends: ./base.yaml\nmodel: {{}}\n")

    done = agentspec("check", ".", "--format", "json")

    found = [(one["file"], one["range"]["start"]["line"], one["code"]) for one in json.loads(done.out)["diagnostics"]]
    assert found == [("base.yaml", 3, "AS102")]


def test_a_file_has_one_name_however_it_is_reached(agentspec, tmp_path):
    write(tmp_path, "base.yaml", "preset: base\nexecution:\n  max_nudgs: 3\n")
    write(tmp_path, "sub/a.yaml", "name: a\nextends: ../base.yaml\nmodel: {}\n")

    done = agentspec("check", "./sub/a.yaml", str(tmp_path / "base.yaml"), "--format", "json")

    value = json.loads(done.out)
    assert (value["files"], [one["file"] for one in value["diagnostics"]]) == (2, ["base.yaml"])


@pytest.mark.slow
def test_no_path_of_the_machine_appears_and_hash_seeds_change_nothing(process, tmp_path):
    write(tmp_path, "a.yaml", TRIAGE + "inputs: {x: strng}\ncapability: {toolkits: [files.red]}\n")

    outputs = {
        process("-m", "agentspec", "check", str(tmp_path / "a.yaml"), "--format", form, PYTHONHASHSEED=seed).out
        for form in ("json", "sarif", "github", "text")
        for seed in ("0", "1", "2")
    }

    assert len(outputs) == 4
    assert not any(str(tmp_path) in output for output in outputs)


def test_colours_are_for_terminals_only(agentspec, tmp_path):
    write(tmp_path, "triage.yaml", TRIAGE)

    assert "\x1b" not in agentspec("check", "triage.yaml").out


def test_fix_mends_what_is_safe_and_prints_what_is_left(agentspec, tmp_path):
    write(tmp_path, "a.yaml", TRIAGE + "  tool_timeout: 10m  # long\n  limits: {wall_clock: 5m}\n")

    done = agentspec("check", "--fix", "a.yaml", "--format", "json")

    assert (done.code, done.err) == (0, "1 fix applied in a.yaml\n")
    assert codes(done.out) == ["AS509"]
    expected = TRIAGE.replace("max_iteratons", "max_iterations")
    assert (tmp_path / "a.yaml").read_text() == expected + "  tool_timeout: 10m  # long\n  limits: {wall_clock: 5m}\n"


@pytest.mark.parametrize("name", ["authority", "manual"])
def test_some_classes_of_fixes_are_never_applied_by_a_machine(agentspec, tmp_path, name):
    write(tmp_path, "a.yaml", TRIAGE)

    done = agentspec("check", f"--fix={name}", "a.yaml")

    assert (done.code, done.out) == (2, "")
    assert (tmp_path / "a.yaml").read_text() == TRIAGE


@pytest.mark.parametrize(
    "words",
    [
        ["a.yaml"],
        ["--format=json", "a.yaml", "b.yaml", "--all"],
        ["a.yaml", "--format", "github", "--select", "AS5,AS102", "--select=AS8", "--strict"],
        ["--ignore", "AS102", "a.yaml", "--format", "text"],
    ],
)
def test_a_plain_command_line_is_read_as_click_reads_it(agentspec, tmp_path, capsys, words):
    write(tmp_path, "a.yaml", TRIAGE)

    code = dispatch(["check", *words], COMMANDS)

    assert (code, *capsys.readouterr()) == agentspec("check", *words)
    assert read_plain(words) is not None


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["a.yaml", "--fix"],
        ["a.yaml", "--format", "xml"],
        ["a.yaml", "--select"],
        ["a.yaml", "--select=x"],
    ],
)
def test_what_has_to_be_explained_is_left_to_click(words):
    assert read_plain(words) is None
