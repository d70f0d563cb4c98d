"""Paths that no file system takes, and places that are gone: one plain sentence and exit code 2, never a bug."""

import json
import os
import threading

import pytest

SPEC = "name: a\ntask: go\nmodel: {provider: script, options: {turns: [hello]}}\n"
LONG, DEEP = "n" * 300 + ".yaml", "a/" * 3000 + "b.yaml"


@pytest.fixture(autouse=True)
def project(tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    return tmp_path


COMMANDS = ("check PATH", "run PATH go", "show PATH", "explain PATH model")
OPTIONS = (
    "run a.yaml --script PATH",
    "run a.yaml --task-file PATH",
    "run a.yaml --events PATH",
    "run a.yaml --record PATH",
    "run a.yaml --store PATH",
    "runs --store PATH",
    "resume x --store PATH",
    "init PATH",
)


@pytest.mark.parametrize("line", [*COMMANDS, *OPTIONS])
@pytest.mark.parametrize("path", [LONG, DEEP, "a.yaml/b.yaml"])
def test_a_path_that_cannot_be_is_told_in_words(agentspec, line, path):
    done = agentspec(*(path if word == "PATH" else word for word in line.split()))

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: ")
    assert "bug" not in done.err


@pytest.mark.parametrize("line", COMMANDS[1:])
@pytest.mark.parametrize("path", ["folder", "pipe.yaml", "circle.yaml", "/dev/zero"])
def test_what_is_no_plain_file_is_told_in_words(agentspec, line, path):
    done = agentspec(*(path if word == "PATH" else word for word in line.split()))

    assert (done.code, done.out) == (2, "")
    assert path in done.err


NAMES = ('"a\\0b.yaml"', LONG, f'"./{LONG}"', '"./a\\0b.yaml"', "n" * 300)
PLACES = (
    "extends: NAME\n",
    "capability: {toolkits: [{files.read: {root: NAME}}]}\n",
    "model: {provider: script, options: {file: NAME}}\n",
    "context: {system: {file: NAME}}\n",
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", NAMES)
def test_a_spec_that_names_such_a_path_has_a_finding(agentspec, project, place, name):
    (project / "b.yaml").write_text("name: b\n" + place.replace("NAME", name))

    done = agentspec("check", "b.yaml", "--format", "json", "--strict")

    assert (done.code, done.err) == (1, "")
    assert json.loads(done.out)["diagnostics"]


@pytest.fixture
def nowhere(agentspec, project, monkeypatch):
    """The program in a working directory that has been deleted."""
    (project / "gone").mkdir()
    monkeypatch.chdir(project / "gone")
    (project / "gone").rmdir()
    yield agentspec
    os.chdir(project)


@pytest.mark.parametrize("line", ["check .", "check a.yaml", "run a.yaml go", "show a.yaml", "runs", "resume x"])
def test_a_working_directory_that_was_deleted_is_told(nowhere, line):
    done = nowhere(*line.split())

    assert (done.code, done.out) == (2, "")
    assert "bug" not in done.err


def test_a_run_is_not_lost_by_its_working_directory(nowhere, project):
    done = nowhere("run", str(project / "a.yaml"))

    assert (done.code, done.out) == (0, "hello\n")


@pytest.mark.parametrize("address", ["s3://bucket", "sqlite:///runs.db", "postgres://host/db"])
def test_an_address_is_no_store(agentspec, project, address):
    way_out = "is no folder, and runs are kept in folders only; name one, such as `--store runs`"

    for line in ("run a.yaml", "runs", "resume x"):
        assert agentspec(*line.split(), "--store", address) == (2, "", f"agentspec: `{address}` {way_out}\n")
    assert sorted(path.name for path in project.iterdir()) == ["a.yaml", "circle.yaml", "folder", "pipe.yaml"]


def test_a_task_may_come_through_a_pipe(agentspec, project):
    writer = threading.Thread(target=(project / "pipe.yaml").write_text, args=("Sort it.",), daemon=True)
    writer.start()

    done = agentspec("run", "a.yaml", "--task-file", "pipe.yaml")

    assert (done.code, done.out) == (0, "hello\n")


def test_a_task_that_never_ends_is_refused(agentspec):
    said = "agentspec: the task in `/dev/zero` is larger than 4 MiB\n  let a tool read it instead\n"

    assert agentspec("run", "a.yaml", "--task-file", "/dev/zero") == (2, "", said)
