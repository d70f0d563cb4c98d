"""What a run begins with: the system text, what it is told of the project, seeded turns, the task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentspec import check, run
from agentspec.api.forecast import forecast
from agentspec.errors import AgentSpecError, NotAllowed, SpecInvalid

PAIRED = [
    {"role": "user", "content": "What time is it?"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a1", "name": "clock", "arguments": {"zone": "UTC"}}]},
    {"role": "tool_result", "call_id": "a1", "content": "12:00"},
    {"role": "assistant", "content": "It is noon, ${inputs.who}."},
]
ECHO = """
import json, sys
asked = json.load(sys.stdin)
print(json.dumps({"text": json.dumps(asked["messages"])}))
"""


@pytest.fixture
def shown(tmp_path: Path):
    """The messages that a run of a spec with this context shows its model first."""
    program = tmp_path / "model.py"
    program.write_text(ECHO)

    async def first(context: dict[str, Any], task: str | None = "And now?", **options: Any) -> list[dict[str, Any]]:
        model = {"provider": "process", "options": {"command": ["python3", str(program)]}}
        values = {"name": "x", "inputs": {"who": {"type": "string", "default": "Ada"}}, "model": model}
        path = tmp_path / "x.yaml"
        path.write_text(json.dumps({**values, "context": context}))
        result = await run(path, task, **options)
        assert result.status == "done", result.error
        return json.loads(result.text)

    return first


async def test_a_history_stands_between_the_system_text_and_the_task(shown) -> None:
    messages = await shown({"system": "Be brief.", "history": PAIRED})

    assert messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What time is it?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "a1", "name": "clock", "arguments": {"zone": "UTC"}}],
        },
        {"role": "tool", "call_id": "a1", "name": "clock", "content": "12:00"},
        {"role": "assistant", "content": "It is noon, Ada."},
        {"role": "user", "content": "And now?"},
    ]


@pytest.mark.parametrize("task", [None, "", "  "])
async def test_without_a_task_the_last_word_of_a_person_is_the_task(shown, task: str | None) -> None:
    messages = await shown({"history": [{"role": "user", "content": "Hello, ${inputs.who}."}]}, task)

    assert messages == [{"role": "user", "content": "Hello, Ada."}]


async def test_without_a_task_and_a_persons_word_nothing_runs(shown) -> None:
    with pytest.raises(NotAllowed, match="no task"):
        await shown({"history": [{"role": "assistant", "content": "Hello."}]}, None)


async def test_instructions_that_lie_in_the_project_are_told_before_the_task(shown, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Use tabs. ${nothing} {text}\n")

    messages = await shown({"system": "Be brief.", "instructions_files": "auto"})

    assert [message["role"] for message in messages] == ["system", "user", "user"]
    assert messages[0]["content"] == "Be brief."
    assert messages[1]["content"].startswith("Instructions of this project, from `AGENTS.md`.")
    assert messages[1]["content"].endswith("\n\nUse tabs. ${nothing} {text}")


async def test_no_usual_file_is_no_fault_and_files_can_be_named(shown, tmp_path: Path) -> None:
    (tmp_path / "STYLE.md").write_text("Short.")
    own = {"context.instructions": "{path}: {text}"}

    assert len(await shown({"instructions_files": "auto"})) == 1
    assert len(await shown({"instructions_files": "off"})) == 1
    messages = await shown({"instructions_files": ["STYLE.md"], "prompts": own})
    assert [message["content"] for message in messages] == ["STYLE.md: Short.", "And now?"]


@pytest.mark.parametrize(
    ("name", "text", "error", "words"),
    [
        ("missing.md", None, SpecInvalid, "AS711.*missing.md"),
        (".env", "SECRET=1", SpecInvalid, "may hold secrets"),
        ("long.md", "x" * 70_000, SpecInvalid, "AS711.*with `long.md` the files have more than 64 KiB"),
    ],
)
async def test_a_named_file_that_cannot_be_used_stops_the_run_before_it_begins(
    shown, tmp_path: Path, name: str, text: str | None, error: type[AgentSpecError], words: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)

    with pytest.raises(error, match=words):
        await shown({"instructions_files": [name]})


async def test_working_files_are_named_and_secrets_among_them_are_not(shown, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("src/b.py", "src/a.py", "src/.env", "note.txt"):
        (tmp_path / name).write_text("x")

    messages = await shown({"working_files": ["src/**"]})

    assert messages[0]["content"] == "The files that this work is about:\n\n- src/a.py\n- src/b.py"
    assert (await shown({"working_files": ["lib/*.go"]}))[0]["content"].endswith("- none yet: nothing fits lib/*.go")


async def test_a_pattern_of_working_files_that_fits_none_is_told(shown, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("x")
    told: list[str] = []

    await shown({"working_files": ["*.txt", "lib/*.go", "*.md"]}, on_notice=told.append)

    assert told == [
        "`context.working_files`: `lib/*.go` fits no file that the run may see",
        "`context.working_files`: `*.md` fits no file that the run may see",
    ]


@pytest.mark.parametrize(
    ("history", "path"),
    [
        ([*PAIRED[:2], PAIRED[0], PAIRED[2]], "context.history[3].call_id"),  # not straight after its call
        ([PAIRED[2]], "context.history[0].call_id"),
        (PAIRED[:2], "context.history[1].tool_calls[0].id"),
        ([*PAIRED[:3], PAIRED[2]], "context.history[3].call_id"),
        ([{"role": "user", "content": " "}], "context.history[0]"),
        ([{"role": "assistant"}], "context.history[0]"),
        ([{"role": "tool_result", "content": "12:00"}], "context.history[0]"),
        ([{"role": "user", "content": "Hi.", "tool_calls": PAIRED[1]["tool_calls"]}], "context.history[0].tool_calls"),
        ([{"role": "user", "content": "Hi.", "call_id": "a1"}], "context.history[0].call_id"),
    ],
)
def test_a_history_that_no_provider_takes_is_an_error_with_its_place(tmp_path: Path, history: list, path: str) -> None:
    spec = tmp_path / "x.yaml"
    spec.write_text(json.dumps({"name": "x", "context": {"history": history}}))

    found = {(one.code, one.path) for one in check(spec).diagnostics if one.severity == "error"}

    assert ("AS708", path) in found


def test_a_plan_shows_what_stands_before_the_task(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    spec = tmp_path / "x.json"
    context = {"instructions_files": "auto", "history": [{"role": "user", "content": "Hello."}]}
    spec.write_text(json.dumps({"name": "x", "task": "Go.", "model": {"provider": "script"}, "context": context}))

    planned = forecast(spec)

    assert planned["prompts"]["before"].endswith("Use tabs.\n\nHello.")
    assert planned["context"]["fixed_tokens"] > 20
