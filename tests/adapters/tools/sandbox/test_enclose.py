"""Programs that try to get out of a sandbox don't, on each rung that this machine has; what is theirs works."""

import asyncio
import os
import resource
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.process import Command, run_process
from agentspec.adapters.tools.programs.run import report
from agentspec.adapters.tools.programs.starting import StartFailed
from agentspec.adapters.tools.sandbox.enclose import NoWall, choose
from agentspec.adapters.tools.sandbox.ladder import (
    Ladder,
    find_bubblewrap,
    find_ladder,
    find_landlock,
    landlock_version,
)
from agentspec.adapters.tools.sandbox.plan import launcher, limits_plan, write_plan
from agentspec.adapters.tools.sandbox.rung import Rung
from agentspec.adapters.tools.sandbox.wall import Wall
from tests.sample import fast_first


def rungs_here():
    """Each rung of this machine, and Landlock without namespaces, as it is where a system allows none."""
    found = [rung for rung in find_ladder().rungs if not rung.problem]
    alone = [rung._replace(namespaces=0, maps_user=False) for rung in found if rung.namespaces]
    return [*found, *alone]


RUNGS = rungs_here()
WITH_MOUNTS = [rung for rung in RUNGS if rung.program or rung.namespaces]
each_rung = pytest.mark.parametrize("rung", fast_first(RUNGS), ids=lambda rung: f"{rung.name}-{rung.network}")
each_with_mounts = pytest.mark.parametrize("rung", WITH_MOUNTS, ids=lambda rung: rung.name)


@pytest.fixture
def shop(tmp_path):
    """A project with secrets, beside a folder that isn't its own."""
    root = tmp_path / "shop"
    for name, text in (
        ("a.txt", "bread\n"),
        (".env", "KEY=hush\n"),
        ("deep/er/id_rsa", "hush\n"),
        (".ssh/known", "hush\n"),
        ("vault.secret", "hush\n"),
        (".git/config", "[core]\n"),
        (".git/hooks/pre-commit", "#!/bin/sh\n"),
        (".agentspec/runs.db", "runs\n"),
        ("agentspec.toml", "\n"),
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.txt").write_text("cheese\n")
    (root / "way").symlink_to(tmp_path / "other")
    (root / "harmless").symlink_to(root / ".env")
    return root


def command(root, rung, *argv, **limits):
    wall = Wall([root], secrets=["**/*.secret"], rung=rung, **limits)
    return Command(argv, root, child_environment(os.environ), timeout=30, wall=wall)


async def sh(root, rung, line, **limits):
    """What a shell line prints, and how it ended."""
    return await run_process(command(root, rung, "/bin/sh", "-c", line, **limits))


async def py(root, rung, program, *arguments, **limits):
    return await run_process(command(root, rung, sys.executable, "-c", program, *map(str, arguments), **limits))


def texts(finished):
    return finished.stdout.head.decode(), finished.stderr.head.decode()


def test_this_machine_has_the_rungs_that_it_says():
    bubblewrap, landlock = find_ladder().rungs

    assert (bubblewrap.name, landlock.name) == ("bubblewrap", "Landlock")
    assert bool(landlock.problem) == (landlock_version() == 0)
    assert bool(bubblewrap.problem) == (bubblewrap.network == "none")
    holding = landlock_version() >= 4 or not bubblewrap.problem
    assert (find_ladder().holding is not None) == holding
    assert bool(RUNGS) == (landlock_version() > 0 or not bubblewrap.problem)


@each_rung
async def test_a_program_works_in_its_root_and_in_a_temporary_folder_of_its_own(tmp_path, rung):
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "a.txt").write_text("bread\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.txt").write_text("cheese\n")
    line = (
        "set -e; cat a.txt; mkdir -p made/here; echo x > made/here/file; mv made/here/file made/file; cat made/file; "
        'cp a.txt made/b; ln -s b made/c; cat made/c; rm -r made; echo t > "$TMPDIR/t"; cat "$TMPDIR/t"; echo > /dev/null; '
        "head -c 1 /dev/urandom > /dev/null; cat ../other/b.txt"
    )
    finished = await sh(shop, rung, line)

    assert texts(finished) == ("bread\nx\nbread\nt\ncheese\n", "")
    assert (finished.exit_code, finished.rung) == (0, rung.name)


async def test_without_mounts_what_is_made_beside_a_secret_can_be_written_but_not_read(shop):
    for rung in [rung for rung in RUNGS if rung not in WITH_MOUNTS]:
        finished = await sh(shop, rung, "echo x > new && cat a.txt new")

        assert texts(finished) == ("bread\n", "cat: new: Permission denied\n")
        assert (shop / "new").read_text() == "x\n"


OUTSIDE = (
    "echo x > ../other/new",
    "echo x >> ../other/b.txt",
    "echo x > way/new",
    "rm ../other/b.txt",
    "mv ../other/b.txt .",
    "mv a.txt ../other/",
    "ln ../other/b.txt mine && echo x >> mine",
    "mkdir ../other/folder",
    "ln -s x ../other/link",
    "echo x > ../escape",
    "echo x > /proc/self/root$PWD/../other/new",
    "truncate -s 0 ../other/b.txt",
    "mknod disk b 1 1",
    "(unshare -m sh -c 'mount -o remount,rw / ; umount / ; echo x > ../other/new')",
    "(unshare -Urm sh -c 'mount -o remount,rw,bind / / && echo x > ../other/new')",
)


@each_rung
@pytest.mark.parametrize("line", OUTSIDE)
async def test_nothing_outside_of_the_root_is_changed(shop, rung, line):
    finished = await sh(shop, rung, line)

    other = shop.parent / "other"
    assert [(path.name, path.read_text()) for path in other.iterdir()] == [("b.txt", "cheese\n")]
    assert finished.exit_code != 0 or line.startswith("ln ../other"), texts(finished)
    assert not (shop.parent / "escape").exists()
    assert not (shop / "disk").exists()


SECRETS = (
    "cat .env",
    "cat harmless",
    "cat deep/er/id_rsa",
    "cat .ssh/known",
    "cat vault.secret",
    "cat /proc/self/root$PWD/.env",
    "cat ../shop/.env",
    "mv .env plain; cat plain",
    "ln .env plain; cat plain",
    "mkdir in; mv .env in/; cat in/.env",
    "mv deep shallow; cat shallow/er/id_rsa",
    "cp -r . ../copy; cp -r . $TMPDIR/copy; cat $TMPDIR/copy/.env",
    "tar cf - . | tar xOf - ./.env",
    "umount .env; cat .env",
    "umount -l .; cat .env",
    "unshare -Urm sh -c 'umount -l .env; cat .env'",
    "unshare -m sh -c 'umount -l .env; cat .env'",
    "chmod 777 .env; cat .env",
    "su -c 'cat .env'; setpriv --reuid 0 cat .env; cat .env",
)


@each_rung
@pytest.mark.parametrize("line", SECRETS)
async def test_no_secret_is_read(shop, rung, line):
    finished = await sh(shop, rung, line)

    assert "hush" not in "".join(texts(finished))


@each_rung
async def test_secrets_in_the_home_folder_are_not_read(shop, rung, tmp_path, monkeypatch):
    home = tmp_path / "home"
    places = (".ssh/id_x", ".aws/credentials", ".netrc", ".kube/config", ".config/gh/hosts.yml")
    for place in places:
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text("hush\n")
    (home / ".profile").write_text("plain\n")
    monkeypatch.setenv("HOME", str(home))

    finished = await sh(shop, rung, f"cd {home}; cat .profile; cat {' '.join(places)}")

    assert finished.stdout.head == b"plain\n"


@each_with_mounts
@pytest.mark.parametrize("place", [".git/config", ".git/hooks/post-commit", ".agentspec/runs.db", "agentspec.toml"])
async def test_what_decides_about_later_runs_stays_as_it_is(shop, rung, place):
    before = (shop / place).read_text() if (shop / place).exists() else None

    await sh(shop, rung, f"echo evil > {place}; rm -f {place}; mv {place} x; mv {Path(place).parts[0]} y")

    assert ((shop / place).read_text() if (shop / place).exists() else None) == before


@each_rung
async def test_the_environment_of_other_processes_is_not_read_and_they_are_not_stopped(shop, rung):
    bystander = await asyncio.create_subprocess_exec("sleep", "60", env={"KEY": "hush"})
    try:
        line = f"tr '\\0' '\\n' < /proc/{bystander.pid}/environ; kill -9 {bystander.pid} {os.getpid()}"
        finished = await sh(shop, rung, line)

        assert "hush" not in texts(finished)[0]
        if rung.program or rung.abi >= 6:
            assert bystander.returncode is None
    finally:
        bystander.kill()
        await bystander.wait()


CONNECT = (
    "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5); s.send(b'x'); print('out')"
)
DATAGRAM = (
    "import socket, sys; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(sys.argv[1])))"
)
LOCAL = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print('out')"


@each_rung
async def test_there_is_no_network_but_where_it_is_granted(shop, rung):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        closed, granted = await py(shop, rung, CONNECT, port), await py(shop, rung, CONNECT, port, network=True)

    assert closed.exit_code == 1
    assert texts(granted) == ("out\n", "")


@pytest.mark.parametrize("rung", [rung for rung in RUNGS if rung.network == "all"], ids=lambda rung: rung.name)
async def test_no_datagram_gets_out(shop, rung):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.2)
        await py(shop, rung, DATAGRAM, server.getsockname()[1])

        with pytest.raises(TimeoutError):
            server.recv(1)


@each_with_mounts
async def test_sockets_of_other_programs_are_not_reached(shop, rung, tmp_path):
    path = tmp_path / "other" / "door"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        finished = await py(shop, rung, LOCAL, path)

    assert finished.exit_code == 1


@each_rung
async def test_memory_and_processor_time_are_bounded(shop, rung):
    hungry = await py(shop, rung, "x = bytearray(1 << 31)", memory=1 << 29)
    busy = await py(shop, rung, "while True: pass", cpu=1)

    assert report(hungry, command(shop, rung, memory=1)).error.message == (
        f"exit 1; the sandbox ({rung.name}) bounds what it may use: see `capability.sandbox`"
    )
    assert busy.signal in (9, 24), busy


@each_rung
async def test_nothing_is_left_of_a_program_that_starts_many_others(shop, rung):
    line = (
        "i=0; while [ $i -lt 12 ]; do setsid sh -c 'sleep 60 & sleep 60' > /dev/null 2>&1 & i=$((i+1)); done; echo made"
    )

    finished = await sh(shop, rung, line)

    assert finished.stdout.head == b"made\n"
    assert working_in(shop) == []


def working_in(folder):
    """The processes that work in a folder."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            is_there = process.name.isdigit() and (process / "cwd").readlink() == folder
            if is_there and (process / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                found.append(process.name)
        except OSError:
            continue
    return found


FORK = """
import os, time
if not os.getuid():
    os.setuid(65534)  # the system bounds the superuser's processes nowhere
made = 0
for _ in range(60):
    try:
        if not os.fork():
            time.sleep(0.3)
            os._exit(0)
        made += 1
    except OSError:
        break
print(made)
"""


def test_processes_are_bounded(tmp_path):
    plan = limits_plan(Wall([tmp_path], processes=8), is_alone=True)
    own = {"program": sys.executable, "argv": [sys.executable, "-I", "-S", "-c", FORK], "env": {}}

    with write_plan(plan | own) as file:
        done = subprocess.run(
            launcher(file.fileno()), pass_fds=[file.fileno()], capture_output=True, timeout=30, check=True
        )

    assert int(done.stdout) <= 8


def test_where_the_system_counts_all_of_a_user_those_that_run_already_are_added(tmp_path):
    wall = Wall([tmp_path], processes=8)

    alone, added = (dict(limits_plan(wall, is_alone=how)["limits"])[resource.RLIMIT_NPROC] for how in (True, False))

    assert alone == 8
    assert added > 8


@each_with_mounts
async def test_what_leaves_its_group_and_clears_its_environment_does_not_outlive(shop, rung):
    line = "(env -i setsid sh -c 'while :; do date +%N > beat; sleep 0.02; done' > /dev/null 2>&1 &) ; sleep 0.3; test -e beat"

    finished = await sh(shop, rung, line)
    (shop / "beat").unlink()
    await asyncio.sleep(0.2)

    assert finished.exit_code == 0
    assert not (shop / "beat").exists()


@each_rung
async def test_a_program_ends_as_it_would_without(shop, rung):
    by_signal = await sh(shop, rung, "kill -SEGV $$")
    by_code = await sh(shop, rung, "exit 7")

    assert (by_signal.signal, by_signal.exit_code) == (11, 0)
    assert (by_code.signal, by_code.exit_code) == (0, 7)


@each_rung
async def test_a_program_that_is_stopped_is_asked_first(shop, rung):
    line = "trap 'echo bye > bye; exit 0' TERM; echo up; while :; do sleep 0.02; done"
    began = time.monotonic()

    finished = await run_process(command(shop, rung, "/bin/sh", "-c", line)._replace(timeout=1.0))

    assert (finished.stopped, (shop / "bye").read_text()) == ("timeout", "bye\n")
    assert time.monotonic() - began < 5


@each_rung
@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("no-such-program",), "the program `no-such-program` was not found on the PATH"),
        (("./a.txt",), "the program `./a.txt` can't be executed: permission denied"),
        (("./none",), "the program `./none` was not found"),
        (("echo", "a\0b"), "an argument of `echo` can't be passed to a program: embedded null byte"),
    ],
)
async def test_what_can_not_start_is_told_as_without(shop, rung, argv, message):
    with pytest.raises(StartFailed) as refused:
        await run_process(command(shop, rung, *argv))

    assert str(refused.value) == message


@each_rung
async def test_a_blocked_call_names_the_sandbox(shop, rung):
    finished = await sh(shop, rung, "echo x > ../other/new")

    assert report(finished, command(shop, rung)).error.message.endswith(
        f"; the sandbox ({rung.name}) lets it write below `{shop}` only, and read no file with secrets"
    )


MISSING = Rung("bubblewrap", "`bwrap` is not installed")
OLD = Rung("Landlock", abi=3)


@pytest.mark.parametrize(
    ("ladder", "why"),
    [
        (Ladder((MISSING,)), "bubblewrap: `bwrap` is not installed"),
        (
            Ladder((MISSING, OLD)),
            "bubblewrap: `bwrap` is not installed; Landlock: it can't keep programs from the network here",
        ),
        (Ladder((Rung("Landlock", "it fails here: x", abi=7),)), "Landlock: it fails here: x"),
    ],
)
def test_a_sandbox_that_is_asked_for_and_missing_starts_nothing(ladder, why):
    with pytest.raises(NoWall) as refused:
        choose(Wall([], mode="workspace"), ladder)

    assert str(refused.value) == (
        f"`capability.sandbox: workspace` asks for a sandbox, and this machine has none that holds ({why}); "
        "`agentspec doctor` tells more"
    )


def test_where_none_is_asked_for_the_strongest_is_taken_or_none():
    assert choose(Wall([]), Ladder((MISSING,))) is None
    assert choose(Wall([]), Ladder((MISSING, OLD))) == OLD
    assert choose(Wall([], mode="none"), Ladder((OLD,))) is None


def test_a_bubblewrap_in_the_working_folder_is_not_taken(tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\ntouch started\n")
    (tmp_path / "bwrap").chmod(0o755)

    rung = find_bubblewrap(str(tmp_path), tmp_path)

    assert rung.problem == f"`{tmp_path}/bwrap` lies in the working folder, where a tool may have put it"


def test_a_bubblewrap_that_fails_is_no_rung(tmp_path):
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no permission' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)

    assert find_bubblewrap(str(tmp_path), Path("/nowhere")).problem == "it fails here: bwrap: no permission"
    assert find_landlock().name == "Landlock"
