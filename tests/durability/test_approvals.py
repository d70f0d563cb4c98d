"""Approvals outlive processes: what was said is on disk before it is acted on, and nothing is done twice for it."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

SLOW = pytest.mark.slow  # each start of a program at a terminal is half a second
PATIENCE = 30.0  # seconds in which a program at a terminal says something
ROOT = Path(__file__).parents[2]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "dumb"}
SPEC = """
name: asker
capability:
  approval: {rules: [{tool: slow, decision: ask}]}
  tools:
    slow: {description: s, parameters: {n: string}, run: [sh, -c, "echo $0 >> started; exec sleep ${args.n}", x]}
"""
TURNS = """
- tool_calls: [{id: one, name: slow, arguments: {n: "%s"}}]
- text: done
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(SPEC)
    return tmp_path


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "agentspec", *words]


def told(place: Path, *words: str) -> dict:
    done = subprocess.run(
        command(*words, "--json"),
        cwd=place,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        env=ENVIRONMENT,
    )
    return json.loads(done.stdout) | {"code": done.returncode}


def suspended(place: Path, seconds: str) -> str:
    (place / "s.yaml").write_text(TURNS % seconds)
    result = told(place, "run", "a.yaml", "go", "--script", "s.yaml")
    assert (result["code"], result["status"]) == (3, "suspended")
    assert not (place / "started").exists()
    return result["run_id"]


def wait_for(path: Path) -> None:
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} never came"
        time.sleep(0.01)


@pytest.mark.slow
def test_a_process_that_dies_after_an_approval_leaves_neither_a_second_question_nor_a_second_effect(place):
    run_id = suspended(place, "60")
    going = subprocess.Popen(
        command("resume", run_id, "--approve", "one=allow"),
        cwd=place,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )
    wait_for(place / "started")
    going.send_signal(signal.SIGKILL)
    going.wait()

    result = told(place, "resume", run_id, "--trace")

    assert (result["code"], result["status"]) == (0, "done")
    assert [line["status"] for line in result["trace"] if line["kind"] == "result"] == ["unknown_outcome"]
    assert (place / "started").read_text() == "x\n"


@SLOW
def test_a_process_that_dies_while_it_waits_for_a_person_asks_again(place):
    run_id = suspended(place, "0")

    first = told(place, "resume", run_id)
    second = told(place, "resume", run_id, "--approve", "allow")

    assert [first["status"], second["status"]] == ["suspended", "done"]
    assert first["handle"]["pending"][0]["call_id"] == "one"
    assert (place / "started").read_text() == "x\n"


def at_a_terminal(place: Path, typed: bytes, *words: str, term: str = "dumb") -> tuple[int, str]:
    """Run a command with a terminal; what is typed comes when it asks."""
    outer, inner = pty.openpty()
    going = subprocess.Popen(
        command(*words),
        cwd=place,
        stdin=inner,
        stdout=subprocess.DEVNULL,
        stderr=inner,
        env=ENVIRONMENT | {"TERM": term},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - it makes a typed Ctrl-C a signal
    )
    os.close(inner)
    shown = b""
    is_typed = False
    while select.select([outer], [], [], PATIENCE)[0]:
        try:
            shown += os.read(outer, 4096)
        except OSError:
            break
        if (b"allow it?" in shown or b"\r\nanswer: " in shown) and not is_typed:  # the prompt, and no look-alike
            os.write(outer, typed)
            is_typed = True
    else:
        going.kill()
    os.close(outer)
    return going.wait(), shown.decode()


@pytest.mark.parametrize(
    ("typed", "code", "done"),
    [(b"what?\ny\n", 0, True), pytest.param(b"n\n", 0, False, marks=SLOW), pytest.param(b"\x04", 3, False, marks=SLOW)],
)
def test_a_person_at_the_terminal_is_asked(place, typed, code, done):
    (place / "s.yaml").write_text(TURNS % "0")

    exit_code, shown = at_a_terminal(place, typed, "run", "a.yaml", "go", "--script", "s.yaml")

    assert (exit_code, (place / "started").exists()) == (code, done)
    assert '  n = "0"' in shown


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        (b"\n2\n", 0, "blue"),
        pytest.param(b"the third\n", 0, "the third", marks=SLOW),
        pytest.param(b"\x04", 3, None, marks=SLOW),
    ],
)
def test_a_person_at_the_terminal_answers_the_model(place, typed, code, said):
    (place / "a.yaml").write_text("name: a\ncapability: {toolkits: [ask_user]}\n")
    asks = '{question: "Which?\\nanswer: \\e[2J", options: [red, blue]}'
    (place / "s.yaml").write_text(f"- tool_calls: [{{id: one, name: ask_user, arguments: {asks}}}]\n- text: done\n")

    exit_code, shown = at_a_terminal(place, typed, "run", "a.yaml", "go", "--script", "s.yaml", "--events", "e.jsonl")

    events = [json.loads(line) for line in (place / "e.jsonl").read_text().splitlines()]
    results = [event["text"] for event in events if event["kind"] == "tool_result"]
    assert (exit_code, results) == (code, [said] if said else [])
    assert "  Which?\r\n  answer: \\x1b[2J\r\n  1: red\r\n  2: blue\r\n" in shown


@SLOW
def test_nothing_is_drawn_over_what_is_typed(place):
    (place / "a.yaml").write_text("name: a\ncapability: {toolkits: [ask_user]}\n")
    (place / "s.yaml").write_text(
        "- tool_calls: [{id: one, name: ask_user, arguments: {question: Which?}}]\n- text: done\n"
    )

    code, shown = at_a_terminal(place, b"blue\n", "run", "a.yaml", "go", "--script", "s.yaml", term="xterm-256color")

    assert code == 0
    assert "the model asks:\r\n  Which?\r\nanswer: blue\r\n" in shown


@SLOW
def test_a_signal_ends_the_question(place):
    (place / "s.yaml").write_text(TURNS % "0")

    exit_code, _ = at_a_terminal(place, b"\x03", "run", "a.yaml", "go", "--script", "s.yaml")

    assert exit_code in (-signal.SIGINT, 130, 3)
    assert not (place / "started").exists()


def test_nothing_in_a_call_can_draw_over_the_question(place):
    evil = "\\u001b[2K\\u001b[1A\\u202e\\r\\nallow it? (y: this once) y"
    (place / "s.yaml").write_text(TURNS % evil)

    _, shown = at_a_terminal(place, b"n\n", "run", "a.yaml", "go", "--script", "s.yaml")

    assert not {"\x1b", "\u202e"} & set(shown)
    assert "\\u001b[2K" in shown
