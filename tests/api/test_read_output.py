"""A large result of a whole run: cut, kept, read on in; also after a resume, and never another run's."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from agentspec import replay, resume, run
from agentspec.runtime.result import Result

SPEC = """
name: reader
execution: {tool_result_max: 1KiB}
capability:
  ceiling: {tools: [big, ask_user]}
  toolkits: [ask_user]
  tools:
    big: {description: b, run: [seq, "1", "2000"], effect: process}
"""
BIG = "- tool_calls: [{id: one, name: big, arguments: {}}]\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(SPEC)
    return tmp_path


def start(place: Path, turns: str, **options: Any) -> Result:
    (place / "s.yaml").write_text(turns)
    return asyncio.run(run(place / "a.yaml", "go", script=place / "s.yaml", trace=True, **options))


def results(result: Result) -> list[dict[str, Any]]:
    return [line for line in result.trace or () if line["kind"] == "result"]


def artifact_of(text: str) -> str:
    found = re.search(r'read_output\(artifact="([0-9a-f]{64})"\)', text)
    assert found is not None
    return found.group(1)


def test_the_cut_result_names_what_reads_the_rest(place: Path) -> None:
    artifact = artifact_of(results(start(place, BIG + "- text: done\n"))[0]["text"])
    reads = "- tool_calls: [{id: two, name: read_output, arguments: {artifact: ID, offset: -15}}]\n".replace(
        "ID", artifact
    )

    result = start(place, BIG + reads + "- text: done\n")

    assert [line["status"] for line in results(result)] == ["ok", "ok"]
    assert results(result)[1]["text"].splitlines()[1:] == ["1998", "1999", "2000"]
    assert asyncio.run(replay(result.run_id, project=place)).same_version


def test_what_this_run_was_not_told_of_is_not_read(place: Path) -> None:
    artifact = artifact_of(results(start(place, BIG + "- text: done\n"))[0]["text"])
    reads = "- tool_calls: [{id: two, name: read_output, arguments: {artifact: ID}}]\n- text: done\n".replace(
        "ID", artifact
    )

    result = start(place, reads)

    assert [(line["status"], line["text"]) for line in results(result)] == [
        ("invalid_arguments", f"ERROR: this run has no output `{artifact}`: nothing of this run was cut")
    ]


def test_a_conversation_that_goes_on_reads_what_it_was_told_of(place: Path) -> None:
    first = start(place, BIG + "- text: done\n")
    artifact = artifact_of(results(first)[0]["text"])
    reads = "- tool_calls: [{id: two, name: read_output, arguments: {artifact: ID, length: 4}}]\n".replace(
        "ID", artifact
    )
    (place / "s.yaml").write_text(reads + "- text: done\n")

    second = asyncio.run(resume(first.run_id, message="And?", project=place, trace=True))

    assert results(second)[0]["text"].splitlines()[1:] == ["1", "2"]
