"""How a verifying command ended: passed, failed, hung, never started; and that its text is filled and its tail kept."""

import os

import pytest

from agentspec.adapters.people.command import CommandRespondent
from agentspec.adapters.tools.programs.process import Command
from agentspec.adapters.tools.sandbox.wall import Wall


@pytest.fixture
def ask(tmp_path):
    command = Command(argv=(), cwd=tmp_path, env={"PATH": os.environ["PATH"]}, grace=0.2, spill_max=0)
    respondent = CommandRespondent(command, {"inputs": {"word": "hello"}, "run": {"id": "r"}})

    async def answer(*argv: str, cwd: str = ".", seconds: float = 10.0):
        return await respondent.answer({"argv": list(argv), "cwd": cwd, "timeout": seconds})

    return answer


async def test_exit_0_is_ok_and_any_other_end_has_the_tail_of_what_was_printed(ask):
    assert await ask("true") == {"status": "ok", "text": "", "exit_code": 0}
    assert await ask("sh", "-c", "echo out; echo err >&2; exit 3") == {
        "status": "failed",
        "text": "out\nerr",
        "exit_code": 3,
    }
    assert await ask("sh", "-c", "kill -9 $$") == {"status": "failed", "text": "", "exit_code": -9}


async def test_a_command_that_hangs_is_stopped_with_what_it_printed_so_far(ask):
    assert await ask("sh", "-c", "echo so far; sleep 60", seconds=0.3) == {"status": "timeout", "text": "so far"}


async def test_a_long_output_keeps_its_last_lines(ask):
    answer = await ask("sh", "-c", "seq 1 5000; exit 1")

    assert len(answer["text"]) <= 4001
    assert answer["text"].startswith("…")
    assert answer["text"].endswith("\n5000")


async def test_what_cannot_start_says_why(ask):
    assert await ask("no-such-program") == {
        "status": "not_started",
        "text": "the program `no-such-program` was not found on the PATH",
    }
    assert (await ask("true", cwd="none"))["text"].endswith("/none` to run in does not exist")
    assert (await ask("${args.x}"))["text"] == "no program is left to run: the first element is empty"


async def test_elements_are_filled_and_stay_whole(ask, tmp_path):
    (tmp_path / "sub").mkdir()

    await ask("sh", "-c", 'printf "%s" "$1" > got', "sh", "${inputs.word} there", cwd="sub")

    assert (tmp_path / "sub" / "got").read_text() == "hello there"


async def test_what_a_wall_stopped_is_said(tmp_path):
    wall = Wall([tmp_path])
    command = Command(argv=(), cwd=tmp_path, env={"PATH": os.environ["PATH"]}, grace=0.2, spill_max=0, wall=wall)
    argv = ["sh", "-c", "echo x > ../made"]

    answer = await CommandRespondent(command, {}).answer({"argv": argv, "cwd": ".", "timeout": 10})

    assert answer["status"] == "failed"
    assert f"lets it write below `{tmp_path}` only" in answer["text"]
    assert not (tmp_path.parent / "made").exists()
