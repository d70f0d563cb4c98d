"""What a process needs for a while is gone when the process is, however it ended, and nobody else's is touched."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentspec.adapters.tools.programs.passing import FRESH, PREFIX, sweep

ROOT = Path(__file__).parents[4]
MAKE = "from agentspec.adapters.tools.programs.passing import passing_folder; print(passing_folder(), flush=True); {}"


def started(temporary: Path, then: str) -> tuple[subprocess.Popen, Path]:
    """A process that has its folder, and the folder."""
    env = os.environ | {"TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", MAKE.format(then)], env=env, stdout=subprocess.PIPE, text=True)
    return process, Path(process.stdout.readline().strip())


def grow_old(folder: Path) -> None:
    then = time.time() - FRESH - 1
    os.utime(folder, (then, then))


@pytest.mark.parametrize("then", ["", "raise SystemExit(3)"])
def test_a_process_that_ends_takes_its_folder_along(tmp_path, then):
    process, folder = started(tmp_path, then)
    process.stdout.close()
    process.wait()

    assert folder.parent == tmp_path
    assert not folder.exists()


def test_the_folder_of_a_process_that_was_killed_is_removed_by_the_next_and_one_that_is_held_stays(tmp_path):
    killed, left = started(tmp_path, "import time; time.sleep(60)")
    alive, held = started(tmp_path, "import time; time.sleep(60)")
    (left / "some").mkdir()
    killed.kill()
    killed.wait()
    for folder in (left, held):
        grow_old(folder)

    sweep(tmp_path)

    assert not left.exists()
    assert held.exists()
    for process in (killed, alive):
        process.kill()
        process.wait()
        process.stdout.close()


def test_what_is_new_or_no_folder_of_ours_stays(tmp_path):
    (tmp_path / f"{PREFIX}new").mkdir()
    others = tmp_path / "others"
    others.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(others)
    (tmp_path / f"{PREFIX}file").touch()
    for name in ("others", f"{PREFIX}file"):
        grow_old(tmp_path / name)

    sweep(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["others", f"{PREFIX}new", f"{PREFIX}link", f"{PREFIX}file"]
    )


def test_a_process_that_was_forked_has_a_folder_of_its_own_and_leaves_its_parents(tmp_path):
    then = (
        "import os; child = os.fork(); print(passing_folder(), flush=True); "
        "child or os._exit(0); os.waitpid(child, 0); print(os.path.isdir(passing_folder()))"
    )
    process, folder = started(tmp_path, then)
    said = process.communicate()[0].split()

    assert said[-1] == "True"
    assert len({str(folder), *said[:-1]}) == 2
