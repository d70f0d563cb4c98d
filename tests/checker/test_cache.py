"""What is kept of a check is used as long as everything that it depends on stays the same, and no longer."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentspec.checker import cache as module
from agentspec.checker.cache import NAME, Cache, cache_for
from agentspec.checker.check import check_paths
from agentspec.checker.formats import json as json_format
from agentspec.checker.report import Report
from agentspec.compose.files import Files
from agentspec.syntax.tree import Parsed

CLEAN = "name: clean\nextends: ./base.yaml\ncontext: {system: You help.}\n"
FAULTY = "name: faulty\nextends: ./base.yaml\nexecution: {max_iteratons: 3}\n"
BASE = "preset: base\nexecution: {max_iterations: 5}\n"


class Counting(Files):
    """Files that tell which of them were parsed for being checked."""

    def __init__(self) -> None:
        super().__init__()
        self.read_names: list[str] = []

    def read(self, path: str) -> Parsed:
        if "stdlib" not in Path(path).parts:
            self.read_names.append(Path(path).name)
        return super().read(path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "agentspec.toml").write_text("")
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "clean.yaml").write_text(CLEAN)
    (tmp_path / "faulty.yaml").write_text(FAULTY)
    return tmp_path


def check(project: Path) -> tuple[Report, list[str]]:
    """A check with the project's cache, and the files that it read for being checked."""
    files = Counting()
    report = check_paths([project], files=files, cache=cache_for([project]))
    return report, sorted(set(files.read_names))


def test_a_second_check_says_the_same_and_parses_nothing(project):
    first, _ = check(project)

    again, read = check(project)

    assert read == []
    assert json_format.render(again) == json_format.render(first)
    assert [one.span.text for one in again.diagnostics] == ["max_iteratons"]
    assert json_format.render(again) == json_format.render(check_paths([project]))


ALL = ["base.yaml", "clean.yaml", "faulty.yaml"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda folder: (folder / "clean.yaml").write_text(CLEAN + "task: x\n"), ["base.yaml", "clean.yaml"]),
        (lambda folder: (folder / "base.yaml").write_text(BASE + "task: x\n"), ALL),
        (lambda folder: (folder / "new.yaml").write_text("name: new\ncontext: {}\n"), ["new.yaml"]),
        (lambda folder: (folder / "faulty.yaml").unlink(), []),
        (lambda folder: os.utime(folder / "clean.yaml", (1, 1)), []),
        (lambda folder: (folder / "agentspec.toml").write_text('[check]\nignore = ["AS9"]\n'), []),
    ],
    ids=["the file", "what it extends", "another file", "a file goes", "its time only", "the settings"],
)
def test_what_depends_on_a_change_is_checked_again_and_nothing_else(
    project, change: Callable[[Path], object], expected
):
    check(project)
    change(project)

    report, read = check(project)

    assert read == expected
    assert json_format.render(report) == json_format.render(check_paths([project]))


DEPENDENT = {
    "a root that was missing": (
        "capability: {toolkits: [{files.read: {root: sources}}]}\n",
        lambda folder: (folder / "sources").mkdir(),
    ),
    "a prompt that was missing": (
        "context: {system: {file: prompt.md}}\n",
        lambda folder: (folder / "prompt.md").write_text("You help."),
    ),
    "a prompt that loses its text": (
        "context: {system: {file: present.md}}\n",
        lambda folder: (folder / "present.md").write_bytes(b"\xff\xfe"),
    ),
    "a script that was missing": (
        "model: {provider: script, options: {file: turns.yaml}}\n",
        lambda folder: (folder / "turns.yaml").write_text("- {text: Done.}\n"),
    ),
    "a preset that was missing": ("extends: ./other.yaml\n", lambda folder: (folder / "other.yaml").write_text(BASE)),
    "a name that is nearer": ("extends: ./othr.yaml\n", lambda folder: (folder / "other.yaml").write_text(BASE)),
    "a skill that was missing": (
        "capability: {skills: {greet: {path: greet}}}\n",
        lambda folder: (
            (folder / "greet").mkdir(),
            (folder / "greet" / "SKILL.md").write_text("---\nname: greet\ndescription: Says hello.\n---\nSay hello.\n"),
        ),
    ),
    "another project folder": (
        "capability: {toolkits: [{files.read: {root: sub/sources}}]}\n",
        lambda folder: (folder / "sub" / "agentspec.toml").write_text(""),
    ),
}


@pytest.mark.parametrize(("text", "change"), DEPENDENT.values(), ids=DEPENDENT)
def test_whatever_a_finding_depends_on_counts(tmp_path, text, change):
    (tmp_path / "agentspec.toml").write_text("")
    (tmp_path / "present.md").write_text("You read.")
    (tmp_path / "sub" / "sources").mkdir(parents=True)
    (tmp_path / "a.yaml").write_text("name: a\n" + text)
    (tmp_path / "sub" / "b.yaml").write_text("name: b\n" + text)
    check(tmp_path)
    change(tmp_path)

    report, _ = check(tmp_path)

    assert json_format.render(report) == json_format.render(check_paths([tmp_path]))


def cache_file(project: Path) -> Path:
    return project / ".agentspec" / NAME


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content.replace(b"max_iteratons", b"max_iterations"),
        lambda content: content.replace(b"\n", b"", 1),
        lambda content: b"\xff" * len(content),
        lambda content: b"[" * 100_000,
    ],
    ids=["empty", "cut", "changed", "one line", "bytes", "deep"],
)
def test_a_damaged_cache_is_none(project, damage: Callable[[bytes], bytes]):
    first, _ = check(project)
    cache_file(project).write_bytes(damage(cache_file(project).read_bytes()))

    again, read = check(project)

    assert read == ALL
    assert json_format.render(again) == json_format.render(first)
    assert check(project)[1] == []


def test_another_version_of_the_checker_uses_nothing(project):
    check(project)
    content = cache_file(project).read_bytes().partition(b"\n")[2]
    other = content.replace(module.fingerprint().encode(), b"0" * 64)
    cache_file(project).write_bytes(module.digest_of(other).encode() + b"\n" + other)

    assert check(project)[1] == ALL


@pytest.mark.parametrize("content", [b"[]", b"{}", b"null", b'{"made_by": 1}'])
def test_what_is_no_cache_is_none(project, content):
    cache_file(project).parent.mkdir()
    cache_file(project).write_bytes(module.digest_of(content).encode() + b"\n" + content)

    assert check(project)[1] == ALL


def run(*words: str) -> str:
    command = [sys.executable, "-m", "agentspec", "check", *words]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def test_nothing_is_written_where_no_project_is_or_for_one_file(project):
    run(str(project / "clean.yaml"))
    assert not cache_file(project).exists()
    (project / "agentspec.toml").unlink()

    run(str(project))

    assert not cache_file(project).parent.exists()


def test_what_is_kept_stays_out_of_repositories(project):
    check(project)

    assert (project / ".agentspec" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_cannot_be_written_to_costs_time_only(project):
    (project / ".agentspec").write_text("not a folder")

    report, read = check(project)

    assert read == ALL
    assert len(report.diagnostics) == 1


def test_a_file_with_a_secret_is_not_kept(project):
    secret = "sk-" + "a1B2" * 10
    (project / "clean.yaml").write_text(f"name: clean\nmodel: {{headers: {{x-api-key: {secret}}}}}\n")
    check(project)

    assert check(project)[1] == ["clean.yaml"]
    assert secret not in cache_file(project).read_text()


def test_ignore_comments_act_on_what_was_kept(project):
    (project / "faulty.yaml").write_text(FAULTY + "# agentspec: ignore-file[AS102]\n# agentspec: ignore-file[AS5]\n")
    first, _ = check(project)

    again, read = check(project)

    assert read == []
    assert [one.code for one in again.diagnostics] == ["AS901"]
    assert json_format.render(again) == json_format.render(first)


def test_of_too_many_files_the_oldest_go(project):
    check_paths([project], cache=Cache(cache_file(project), most=2))

    assert check(project)[1] == ["base.yaml"]


PROGRAM = """
import sys
from pathlib import Path
from agentspec.checker.cache import cache_for
from agentspec.checker.check import check_paths
for _ in range(5):
    found = check_paths([Path(sys.argv[1])], cache=cache_for([Path(sys.argv[1])]))
    assert [one.code for one in found.diagnostics] == ["AS102"], found
"""


def test_checks_at_once_do_each_other_no_harm(project):
    running = [subprocess.Popen([sys.executable, "-c", PROGRAM, project]) for _ in range(3)]

    assert [process.wait(timeout=120) for process in running] == [0, 0, 0]
    assert check(project)[1] == []
    assert sorted(path.name for path in cache_file(project).parent.iterdir()) == [".gitignore", NAME]


def test_the_command_uses_the_cache_unless_it_is_told_not_to(project):
    uncached = run(str(project), "--no-cache")
    assert not cache_file(project).exists()

    first, again = run(str(project)), run(str(project))

    assert cache_file(project).exists()
    assert uncached == first == again
    assert "AS102" in first
