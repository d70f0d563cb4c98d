"""Where a wall is asked for and this machine has none that holds, nothing starts, and the words say why."""

import sys

import pytest

from agentspec.adapters.tools.programs.process import Command, run_process
from agentspec.adapters.tools.sandbox.enclose import NoWall, choose
from agentspec.adapters.tools.sandbox.ladder import Ladder, find_bubblewrap
from agentspec.adapters.tools.sandbox.rung import Rung
from agentspec.adapters.tools.sandbox.wall import Wall

GONE = Rung("bubblewrap", "`bwrap` is not installed")
NESTED = Rung("bubblewrap", "it fails here: bwrap: No permissions to create new namespace")
PLACED = Rung("bubblewrap", "`/shop/bwrap` lies in the working folder, where a tool may have put it")
MISSING = Rung("Landlock", "this system doesn't offer it")
FORBIDDEN = Rung("Landlock", "it fails here: sandbox: can't apply Landlock: Operation not permitted", abi=7)
OLD = [Rung("Landlock", abi=version) for version in (1, 2, 3)]
LADDERS = [(first, second) for first in (GONE, NESTED, PLACED) for second in (MISSING, FORBIDDEN, *OLD)]


@pytest.mark.parametrize("rungs", LADDERS, ids=lambda rungs: " ".join(f"{one.problem[:20]}{one.abi}" for one in rungs))
def test_no_rung_that_is_missing_too_old_or_forbidden_is_taken_for_one_that_holds(rungs):
    with pytest.raises(NoWall) as refused:
        choose(Wall((), mode="workspace"), Ladder(rungs))

    words = str(refused.value)
    assert all((one.problem or "it can't keep programs from the network here") in words for one in rungs)


@pytest.mark.parametrize("version", [4, 5, 6, 7, 8])
def test_a_newer_landlock_holds(version):
    rung = Rung("Landlock", abi=version)

    assert choose(Wall((), mode="workspace"), Ladder((GONE, rung))) == rung


async def test_a_launcher_that_fails_starts_nothing(tmp_path):
    broken = Rung("Landlock", abi=7, namespaces=1 << 31)  # flags that no kernel knows
    argv = [sys.executable, "-c", "print('began')"]

    finished = await run_process(Command(argv, tmp_path, {}, timeout=20, wall=Wall([tmp_path], rung=broken)))

    assert (finished.exit_code, finished.stdout.head) == (126, b"")
    assert b"sandbox: can't separate the program" in finished.stderr.head


def test_a_bubblewrap_beside_the_model_is_none(tmp_path):
    (tmp_path / "bwrap").write_text('#!/bin/sh\nexec "$@"\n')
    (tmp_path / "bwrap").chmod(0o755)

    assert find_bubblewrap(str(tmp_path), tmp_path).problem.endswith("where a tool may have put it")
    assert find_bubblewrap("", tmp_path).problem == "`bwrap` is not installed"
