"""A store that was cut, flipped, tampered with or starved gives an exact prefix or a plain refusal, never a lie."""

import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import pytest

from agentspec.adapters.stores import database
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.errors import JournalError, NotFound

COUNT = 60


def records():
    return [
        ("thing", 100.0 + n, json.dumps({"n": n, "text": "x" * (n * 7 % 300)}).encode()) for n in range(1, COUNT + 1)
    ]


def bodies(found):
    return [(record.kind, record.at, record.body) for record in found]


def filled(path):
    store = SqliteStore(path)
    journal = store.create_run("r1", {"spec": "audit"})
    for record in records():
        journal.append([record], barrier=False)
    return store, journal


@pytest.fixture(scope="module")
def open_store(tmp_path_factory):
    """A store as a killed process leaves it: everything in the write-ahead log, nothing in the database."""
    folder = tmp_path_factory.mktemp("open")
    store, journal = filled(folder / "live" / "runs.db")
    shutil.copytree(folder / "live", folder / "dead", ignore=shutil.ignore_patterns("locks"))
    journal.close()
    store.close()
    return folder / "dead"


@pytest.fixture(scope="module")
def closed_store(tmp_path_factory):
    """A store that was closed: everything in the database."""
    folder = tmp_path_factory.mktemp("closed")
    store, journal = filled(folder / "runs.db")
    journal.close()
    store.close()
    return folder


def survivors(folder):
    """What can be read of the run: its records, or None where the store refuses."""
    try:
        store = SqliteStore(folder / "runs.db", create=False)
    except (JournalError, NotFound):
        return None
    try:
        found = bodies(store.read_run("r1"))
    except (JournalError, NotFound):
        found = None
    with contextlib.suppress(JournalError, NotFound):
        store.list_runs(status="crashed")
        journal = store.open_run("r1")
        journal.append([("thing", 1.0, b"{}")], barrier=False)
        journal.close()
    store.close()
    return found


def check_prefix(source, tmp_path, damage, rounds):
    """Damage copies of a store in many ways; count how many were read whole, in part, and not at all."""
    outcomes = {"whole": 0, "part": 0, "refused": 0}
    for number in range(rounds):
        folder = tmp_path / str(number)
        shutil.copytree(source, folder)
        damage(folder, random.Random(number))
        found = survivors(folder)
        shutil.rmtree(folder)
        if found is None:
            outcomes["refused"] += 1
            continue
        assert found == records()[: len(found)]
        outcomes["whole" if len(found) == COUNT else "part"] += 1
    return outcomes


def cut(name):
    def damage(folder, chance):
        path = folder / name
        os.truncate(path, chance.randrange(path.stat().st_size))

    return damage


def flip(name):
    def damage(folder, chance):
        path = folder / name
        content = bytearray(path.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)

    return damage


def zero_page(name):
    def damage(folder, chance):
        path = folder / name
        content = bytearray(path.read_bytes())
        start = chance.randrange(len(content) // 4096) * 4096
        content[start : start + 4096] = bytes(4096)
        path.write_bytes(content)

    return damage


def remove(name):
    return lambda folder, chance: (folder / name).unlink()


WAYS = [
    ("open_store", cut("runs.db-wal"), 60, 1000),
    ("open_store", flip("runs.db-wal"), 60, 1000),
    ("open_store", zero_page("runs.db-wal"), 20, 200),
    ("open_store", remove("runs.db-shm"), 2, 50),
    ("closed_store", cut("runs.db"), 20, 100),
    ("closed_store", flip("runs.db"), 100, 1000),
    ("closed_store", zero_page("runs.db"), 20, 200),
]
NAMES = ["log cut", "log flipped", "log page zeroed", "index gone", "database cut", "database flipped", "page zeroed"]


@pytest.mark.parametrize(("source", "damage", "rounds", "_many"), WAYS, ids=NAMES)
def test_a_damaged_file_gives_a_prefix_or_a_refusal(request, tmp_path, source, damage, rounds, _many):
    outcomes = check_prefix(request.getfixturevalue(source), tmp_path, damage, rounds)

    assert sum(outcomes.values()) == rounds


@pytest.mark.slow
@pytest.mark.parametrize(("source", "damage", "_few", "rounds"), WAYS, ids=NAMES)
def test_many_damaged_files_give_a_prefix_or_a_refusal(request, tmp_path, source, damage, _few, rounds):
    outcomes = check_prefix(request.getfixturevalue(source), tmp_path, damage, rounds)

    assert sum(outcomes.values()) == rounds


def test_a_killed_process_loses_nothing_that_was_written(open_store, tmp_path):
    shutil.copytree(open_store, tmp_path / "copy")

    assert survivors(tmp_path / "copy") == records()


# --- tampering


@contextlib.contextmanager
def tampered(source, tmp_path, statements):
    folder = tmp_path / "t"
    shutil.copytree(source, folder)
    database = sqlite3.connect(folder / "runs.db")
    with database:
        for statement in statements:
            database.execute(statement)
    database.close()
    store = SqliteStore(folder / "runs.db")
    try:
        yield store
    finally:
        store.close()
        shutil.rmtree(folder)


def place(seq):
    return 1 << 32 | seq


@pytest.mark.parametrize("seq", [1, 2, 17, COUNT - 1, COUNT])
def test_a_deleted_record_is_named(closed_store, tmp_path, seq):
    statements = [f"DELETE FROM records WHERE place = {place(seq)}"]

    with tampered(closed_store, tmp_path, statements) as store, pytest.raises(JournalError) as damage:
        store.read_run("r1")

    assert str(damage.value) == f"record {seq} of run `r1` is missing"


@pytest.mark.parametrize("seq", [1, 2, 17, COUNT - 1, COUNT])
@pytest.mark.parametrize("change", ["body = replace(body, 'x', 'y') || ' '", "kind = 'thong'", "at = at + 1"])
def test_an_edited_record_is_named(closed_store, tmp_path, seq, change):
    statements = [f"UPDATE records SET {change} WHERE place = {place(seq)}"]
    words = rf"record {seq} \(`th.ng`\) of run `r1` was changed after it was written"

    with tampered(closed_store, tmp_path, statements) as store, pytest.raises(JournalError, match=words):
        store.read_run("r1")


@pytest.mark.parametrize("seq", [1, 2, 17, COUNT - 1])
def test_swapped_records_are_seen(closed_store, tmp_path, seq):
    swap = [
        f"UPDATE records SET place = -1 WHERE place = {place(seq)}",
        f"UPDATE records SET place = {place(seq)} WHERE place = {place(seq + 1)}",
        f"UPDATE records SET place = {place(seq + 1)} WHERE place = -1",
    ]

    with tampered(closed_store, tmp_path, swap) as store, pytest.raises(JournalError, match="was changed"):
        store.read_run("r1")


@pytest.mark.slow
def test_every_deletion_edit_and_swap_is_seen(closed_store, tmp_path):
    seen = 0
    for seq in range(1, COUNT + 1):
        here = f"WHERE place = {place(seq)}"
        for statements in (
            [f"DELETE FROM records {here}"],
            [f"UPDATE records SET body = body || ' ' {here}"],
            [f"UPDATE records SET prev = zeroblob(32) || prev {here}"],
            [f"UPDATE heads SET seq = {seq - 1}"],
            [f"UPDATE records SET place = place + 1000 {here}"],
        ):
            with tampered(closed_store, tmp_path, statements) as store, pytest.raises(JournalError):
                store.read_run("r1")
            seen += 1

    assert seen == 300


def test_a_journal_of_another_run_is_no_substitute(closed_store, tmp_path):
    statements = ["UPDATE runs SET run_id = 'r2'"]
    words = r"record 1 \(`thing`\) of run `r2` was changed"

    with tampered(closed_store, tmp_path, statements) as store, pytest.raises(JournalError, match=words):
        store.read_run("r2")


# --- a store that can't be written


def test_a_locked_database_is_said_and_nothing_is_half_written(tmp_path):
    store = SqliteStore(tmp_path / "runs.db", patience=0.05)
    journal = store.create_run("r1", {})
    other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    for barrier in (False, True):
        with pytest.raises(JournalError) as refusal:
            journal.append(records()[:2], barrier=barrier)
        assert str(refusal.value) == (
            f"the store `{tmp_path / 'runs.db'}` failed: another process holds it for too long (SQLITE_BUSY)"
        )

    other.execute("ROLLBACK")
    other.close()
    assert journal.read() == []
    assert journal.append(records()[:2], barrier=True) == 2
    assert bodies(journal.read()) == records()[:2]
    journal.close()
    store.close()


def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_room(tmp_path):
    store = SqliteStore(tmp_path / "runs.db")
    journal = store.create_run("r1", {})
    journal.append(records()[:1], barrier=True)
    (pages,) = store._database.execute("PRAGMA page_count").fetchone()
    store._database.execute(f"PRAGMA max_page_count = {pages}")
    large = ("thing", 1.0, json.dumps("x" * 100_000).encode())

    with pytest.raises(JournalError, match=r"the store `.*runs.db` failed: the disk is full \(SQLITE_FULL\)"):
        journal.append([records()[1], large], barrier=True)

    assert bodies(journal.read()) == records()[:1]
    store._database.execute("PRAGMA max_page_count = 1000000")
    assert journal.append([records()[1]], barrier=True) == 2
    assert bodies(journal.read()) == records()[:2]
    journal.close()
    store.close()


LIMITED = """
import json, pathlib, resource, sys
from agentspec.adapters.stores import database
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.errors import JournalError
store = SqliteStore(pathlib.Path(sys.argv[1]))
journal = store.create_run("r1", {})
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
written = 0
try:
    for n in range(1000):
        written = journal.append([("thing", float(n), json.dumps({"n": n, "text": "x" * 200}).encode())], barrier=n % 3 == 0)
except JournalError as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    again = journal.append([("thing", 0.0, b"{}")], barrier=True)
    print(json.dumps([written, again, str(error)]))
"""


@pytest.mark.parametrize("limit", [100_000, 123_456, 200_000, 400_001])
def test_a_limit_on_files_stops_at_a_whole_record_and_later_it_goes_on(tmp_path, limit):
    path = tmp_path / "runs.db"

    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), str(limit)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    written, again, message = json.loads(done.stdout)
    assert message.startswith(f"the store `{path}` failed: the disk ")
    assert again == written + 1
    store = SqliteStore(path)
    assert len(store.read_run("r1")) == again
    store.close()


AS_NOBODY = """
import os, pathlib, sys
from agentspec.adapters.stores import database
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.errors import JournalError
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    SqliteStore(pathlib.Path(sys.argv[1])).create_run("r1", {})
except JournalError as error:
    print(error)
"""


@pytest.fixture
def public_folder():
    """A folder that other users can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def as_nobody(path):
    program = [sys.executable, "-c", AS_NOBODY, str(path)]
    return subprocess.run(program, capture_output=True, text=True, check=False).stdout


def test_a_folder_that_is_read_only_is_said(public_folder):
    public_folder.chmod(0o555)

    assert as_nobody(public_folder / "runs.db") == (
        f"the store `{public_folder}/runs.db` failed: it can't be opened: the folder is missing or not to be written to "
        "(SQLITE_CANTOPEN)\n"
    )
    assert as_nobody(public_folder / "home" / "runs.db") == (
        f"the folder of the store can't be made: `{public_folder}/home`: Permission denied\n"
    )


def test_a_database_that_is_read_only_is_said(public_folder):
    SqliteStore(public_folder / "runs.db").close()
    (public_folder / "runs.db").chmod(0o444)
    public_folder.chmod(0o555)

    assert as_nobody(public_folder / "runs.db").startswith(f"the store `{public_folder}/runs.db` failed: it can't be ")


def test_a_folder_where_a_file_stands_is_said(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(JournalError, match=r"the folder of the store can't be made: `.*/file`"):
        SqliteStore(tmp_path / "file" / "runs.db")


# --- two processes


RACER = """
import pathlib, sys
from agentspec.adapters.stores import database
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.errors import LeaseLost
store = SqliteStore(pathlib.Path(sys.argv[1]))
print("ready", flush=True)
held = {}
for line in sys.stdin:
    word, run_id = line.split()
    if word == "open":
        try:
            held[run_id] = store.open_run(run_id)
            held[run_id].append([("thing", 1.0, b"{}")], barrier=False)
            print("won", flush=True)
        except LeaseLost as error:
            print("lost" if "is driven by" in str(error) else error, flush=True)
    elif run_id in held:
        held.pop(run_id).close()
        print("closed", flush=True)
    else:
        print("closed", flush=True)
"""


def test_of_two_processes_that_resume_a_run_exactly_one_proceeds(tmp_path):
    path = tmp_path / "runs.db"
    store = SqliteStore(path)
    for number in range(5):
        store.create_run(f"r{number}", {}).close()
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for _ in range(2)
    ]  # fmt: skip

    def tell(word):
        for racer in racers:
            racer.stdin.write(word + "\n")
        return sorted(racer.stdout.readline().strip() for racer in racers)

    assert sorted(racer.stdout.readline() for racer in racers) == ["ready\n", "ready\n"]
    outcomes = []
    for number in range(100):
        outcomes.append(tell(f"open r{number % 5}"))
        tell(f"close r{number % 5}")
    for racer in racers:
        racer.communicate()

    assert outcomes == [["lost", "won"]] * 100
    assert [len(store.read_run(f"r{number}")) for number in range(5)] == [20] * 5
    store.close()


def test_two_processes_may_make_one_store_at_once(tmp_path):
    program = (
        "import pathlib, sys; from agentspec.adapters.stores.sqlite import SqliteStore; sys.stdin.readline(); "
        "store = SqliteStore(pathlib.Path(sys.argv[1])); store.create_run(sys.argv[2], {}).append([('t', 1.0, b'{}')], barrier=True)"
    )
    makers = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "runs.db"), f"r{n}"], stdin=subprocess.PIPE)
        for n in range(4)
    ]
    for maker in makers:
        maker.stdin.write(b"go\n")
        maker.stdin.flush()
    for maker in makers:
        maker.communicate()

    assert [maker.returncode for maker in makers] == [0] * 4
    store = SqliteStore(tmp_path / "runs.db")
    assert sorted(line["run_id"] for line in store.list_runs()) == ["r0", "r1", "r2", "r3"]
    store.close()


class Interrupted:
    """A connection after whose n-th statement another process makes the tables, unless it finds the file in use."""

    def __init__(self, path, after):
        self._path = path
        self._left = after
        self._connection = sqlite3.connect(path, timeout=5, isolation_level=None)

    def execute(self, *words):
        found = self._connection.execute(*words).fetchall()
        self._left -= 1
        if self._left == 0:
            with contextlib.suppress(JournalError):
                SqliteStore(self._path, patience=0).close()
        return answer_of(found)

    def __getattr__(self, name):
        return getattr(self._connection, name)


def answer_of(rows):
    return types.SimpleNamespace(fetchone=lambda: rows[0] if rows else None)


@pytest.mark.parametrize("after", range(1, 12))
def test_a_store_that_another_process_is_making_is_not_taken_for_a_foreign_file(tmp_path, after):
    path = tmp_path / "runs.db"
    connection = Interrupted(path, after)

    database._prepare(connection, path, 5, "a test")

    assert connection.execute("PRAGMA application_id").fetchone() == (database.APPLICATION,)
    connection.close()
