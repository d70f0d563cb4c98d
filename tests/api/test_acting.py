"""Whole runs that change files, run commands and use git: what is allowed happens, all else is asked or refused."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from agentspec import run
from agentspec.runtime.result import Result

SPEC = """
name: builder
capability:
  toolkits:
    - files.edit
    - command: {allow: [cat, [git, status], printf]}
    - git: {mutations: true}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(SPEC)
    (tmp_path / ".gitignore").write_text(".agentspec\na.yaml\nturns.yaml\n")
    for arguments in (["init", "--quiet"], ["config", "user.name", "Ada"], ["config", "user.email", "a@example.org"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    return tmp_path


def go(project: Path, turns: str, spec: str = SPEC) -> Result:
    (project / "a.yaml").write_text(spec)
    (project / "turns.yaml").write_text(turns + "- text: done\n")
    return asyncio.run(run(project / "a.yaml", "go", script=project / "turns.yaml", trace=True))


def results(result: Result) -> dict[str, tuple[str, str]]:
    return {line["id"]: (line["status"], line["text"]) for line in result.trace or () if line["kind"] == "result"}


def test_a_run_writes_edits_runs_and_commits(project: Path) -> None:
    result = go(
        project,
        """
- tool_calls: [{id: w, name: write_file, arguments: {path: src/a.txt, content: "one\\ntwo\\n"}}]
- tool_calls: [{id: e, name: edit_file, arguments: {path: src/a.txt, old_string: two, new_string: "2"}}]
- tool_calls: [{id: r, name: run_command, arguments: {argv: [cat, src/a.txt]}}]
- tool_calls: [{id: a, name: git_add, arguments: {paths: [src]}}]
- tool_calls: [{id: c, name: git_commit, arguments: {message: add a}}]
- tool_calls: [{id: l, name: git_log, arguments: {}}]
""",
    )

    assert result.status == "done"
    assert results(result)["r"] == ("ok", "one\n2\n")
    assert "Ada: add a (HEAD -> " in results(result)["l"][1]
    assert {status for status, _ in results(result).values()} == {"ok"}


def test_what_is_not_allowed_is_refused_and_nothing_of_it_happens(project: Path) -> None:
    result = go(
        project,
        """
- tool_calls:
    - {id: miss, name: run_command, arguments: {argv: [touch, escaped]}}
    - {id: escape, name: run_command, arguments: {argv: [git, -c, alias.status=!touch escaped, status]}}
    - {id: secret, name: write_file, arguments: {path: .env, content: x}}
    - {id: hook, name: write_file, arguments: {path: .git/hooks/pre-commit, content: x}}
    - {id: outside, name: write_file, arguments: {path: ../escaped, content: x}}
""",
    )

    assert {name: status for name, (status, _) in results(result).items()} == {
        "miss": "denied",
        "escape": "denied",
        "secret": "denied",
        "hook": "error",
        "outside": "denied",
    }
    assert not (project / "escaped").exists()
    assert not (project.parent / "escaped").exists()
    assert not (project / ".git" / "hooks" / "pre-commit").exists()


def test_without_a_list_the_run_waits_for_somebody(project: Path) -> None:
    spec = "name: builder\ncapability: {toolkits: [command]}\n"
    turns = "- tool_calls: [{id: one, name: run_command, arguments: {argv: [touch, made]}}]\n"

    waiting = go(project, turns, spec)

    assert (waiting.status, waiting.stop_reason) == ("suspended", "approval")
    assert [pending["reason"] for pending in (waiting.handle or {})["pending"]] == ["no list `allow` says what may run"]
    assert not (project / "made").exists()

    allowed = asyncio.run(run(project / "a.yaml", "go", script=project / "turns.yaml", approve="allow"))

    assert allowed.status == "done"
    assert (project / "made").exists()


def test_a_command_behind_ends_with_its_run(project: Path) -> None:
    spec = "name: builder\ncapability: {toolkits: [{command: {allow: [sleep]}}]}\nlifecycle: {grace: 200ms}\n"
    turns = "- tool_calls: [{id: one, name: run_command, arguments: {argv: [sleep, '97531'], background: true}}]\n"

    result = go(project, turns, spec)

    assert result.status == "done"
    assert " runs in the background (running for 0 s)" in results(result)["one"][1]
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [command for command in commands if b"97531" in command]
