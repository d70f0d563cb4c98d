"""The store keeps the journals of runs whole, in order, and for one process at a time."""

import asyncio
import contextlib
import json
import sqlite3
import subprocess
import sys

import pytest

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.errors import InternalError, JournalError, LeaseLost, NotAllowed, NotFound
from agentspec.ports import JournalRecord


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(tmp_path / "home" / "runs.db")
    yield opened
    opened.close()


def record(number, text="x"):
    return ("thing", 100.0 + number, json.dumps({"n": number, "text": text}).encode())


def test_what_is_appended_is_read_back_in_order(store):
    journal = store.create_run("r1", {"spec": "audit"})

    assert journal.append([record(1), record(2)], barrier=False) == 2
    assert journal.append([record(3, "é😀")], barrier=True) == 3

    assert journal.read() == [
        JournalRecord(seq=1, kind="thing", at=101.0, body=b'{"n": 1, "text": "x"}'),
        JournalRecord(seq=2, kind="thing", at=102.0, body=b'{"n": 2, "text": "x"}'),
        JournalRecord(seq=3, kind="thing", at=103.0, body=b'{"n": 3, "text": "\\u00e9\\ud83d\\ude00"}'),
    ]


def test_a_run_goes_on_where_it_was_left(store):
    first = store.create_run("r1", {})
    first.append([record(1)], barrier=False)
    first.close()

    second = store.open_run("r1")

    assert second.append([record(2)], barrier=False) == 2
    assert [found.seq for found in second.read()] == [1, 2]


def test_an_empty_append_changes_nothing_and_may_be_a_barrier(store):
    journal = store.create_run("r1", {})
    journal.append([record(1)], barrier=False)

    assert journal.append([], barrier=True) == 1
    assert len(journal.read()) == 1


def test_many_runs_share_a_store(store):
    journals = [store.create_run(f"r{i}", {}) for i in range(200)]

    for turn in range(3):
        for i, journal in enumerate(journals):
            journal.append([record(i * 10 + turn)], barrier=False)

    assert [[json.loads(found.body)["n"] for found in journal.read()] for journal in journals] == [
        [i * 10, i * 10 + 1, i * 10 + 2] for i in range(200)
    ]


def test_a_record_is_one_line(store):
    journal = store.create_run("r1", {})

    with pytest.raises(InternalError, match="spans lines"):
        journal.append([("thing", 1.0, b'{\n"a": 1}')], barrier=False)
    assert journal.read() == []


def test_the_line_about_a_run_tells_what_was_described(store):
    journal = store.create_run("r1", {"spec": "audit", "started_at": 5.0, "user": "ada", "model": "m"})
    journal.describe({"status": "done", "stop_reason": "natural", "finished_at": 9.0, "llm": {"iterations": 2}})

    assert store.list_runs() == [
        {
            "run_id": "r1",
            "session_id": None,
            "spec": "audit",
            "status": "done",
            "stop_reason": "natural",
            "started_at": 5.0,
            "finished_at": 9.0,
            "user": "ada",
            "tenant": None,
            "llm": {"iterations": 2},
            "model": "m",
        }
    ]
    assert store.find_run("r1")["status"] == "done"


def test_runs_are_listed_newest_first_and_filtered(store):
    for number, user in enumerate(["ada", "bob", "ada"]):
        journal = store.create_run(f"r{number}", {"user": user, "started_at": float(number), "tenant": "t"})
        journal.describe({"status": "done" if number else "failed"})

    def ids(**filters):
        return [line["run_id"] for line in store.list_runs(**filters)]

    assert ids() == ["r2", "r1", "r0"]
    assert ids(user="ada") == ["r2", "r0"]
    assert ids(status="failed") == ["r0"]
    assert ids(since=1.0, tenant="t", session_id=None) == ["r2", "r1"]
    assert ids(user="eve") == []
    with pytest.raises(NotAllowed, match="runs can't be filtered by `usr`"):
        ids(usr="ada")


def test_a_run_whose_process_left_without_a_word_has_crashed(store):
    journal = store.create_run("r1", {})
    assert store.find_run("r1")["status"] == "running"

    journal.close()

    assert [line["run_id"] for line in store.list_runs(status="crashed")] == ["r1"]


@pytest.mark.parametrize("run_id", ["", "../up", "a/b", "-x", "x" * 200, "a\nb"])
def test_an_odd_run_id_is_refused(store, run_id):
    with pytest.raises(NotAllowed, match="is no run id"):
        store.create_run(run_id, {})


def test_a_run_id_is_given_once(store):
    store.create_run("r1", {}).close()

    with pytest.raises(NotAllowed, match="there is already a run `r1`"):
        store.create_run("r1", {})
    store.open_run("r1").close()


def test_an_unknown_run_gets_a_suggestion(store):
    store.create_run("release-1", {})

    with pytest.raises(NotFound, match=r"there is no run `relaese-1` in .*; did you mean `release-1`?"):
        store.open_run("relaese-1")
    with pytest.raises(NotFound, match="there is no run `x`"):
        store.read_run("x")


def test_a_run_that_this_process_drives_is_not_opened_twice(store):
    store.create_run("r1", {})

    with pytest.raises(LeaseLost, match=r"run `r1` is driven by process \d+ since .* UTC; stop that one first"):
        store.open_run("r1")
    with pytest.raises(LeaseLost, match="is driven by"):
        store.delete_run("r1")


def test_a_run_that_another_process_drives_is_refused_and_one_that_it_left_is_taken(store, tmp_path):
    program = (
        "import sys, pathlib; from agentspec.adapters.stores.sqlite import SqliteStore; "
        f"store = SqliteStore(pathlib.Path({str(store.path)!r})); journal = store.create_run('r1', {{}}); "
        "journal.append([('thing', 1.0, b'{}')], barrier=True); print('held', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"held\n"

    with pytest.raises(LeaseLost, match=f"run `r1` is driven by process {other.pid} since"):
        store.open_run("r1")
    assert store.find_run("r1")["status"] == "running"
    assert len(store.read_run("r1")) == 1
    other.kill()
    other.communicate()

    assert store.find_run("r1")["status"] == "crashed"
    assert store.open_run("r1").append([record(2)], barrier=True) == 2


def test_whoever_lost_the_run_can_write_nothing_more(store):
    zombie = store.create_run("r1", {})
    zombie.append([record(1)], barrier=False)
    (store.path.parent / "locks" / "r1").unlink()  # as on a file system that keeps no locks between machines
    winner = store.open_run("r1")

    for attempt in (
        lambda: zombie.append([record(2)], barrier=False),
        zombie.check_lease,
        lambda: zombie.describe({"status": "done"}),
    ):
        with pytest.raises(LeaseLost, match=r"run `r1` is driven by process .* now; nothing more was written here"):
            attempt()

    winner.check_lease()
    assert winner.append([record(2)], barrier=False) == 2
    zombie.close()
    winner.check_lease()


def test_a_deleted_run_is_gone_with_the_artifacts_that_only_it_names(store):
    shared, own = store.artifacts.put(b"shared"), store.artifacts.put(b"own")
    first, second = store.create_run("r1", {}), store.create_run("r2", {})
    first.append([("thing", 1.0, json.dumps({"a": shared, "b": own}).encode())], barrier=False)
    second.append([("thing", 1.0, json.dumps({"a": shared}).encode())], barrier=False)
    first.close()

    store.delete_run("r1")

    assert [line["run_id"] for line in store.list_runs()] == ["r2"]
    assert store.artifacts.read(shared, 0, 100) == b"shared"
    with pytest.raises(NotFound):
        store.artifacts.read(own, 0, 100)
    assert len(second.read()) == 1


def test_a_store_that_has_to_exist_and_does_not_is_named(tmp_path):
    with pytest.raises(NotFound, match=r"there is no store at `.*runs.db`"):
        SqliteStore(tmp_path / "runs.db", create=False)


def test_nothing_is_left_but_the_database(store):
    journal = store.create_run("r1", {})
    journal.append([record(1)], barrier=True)
    journal.close()
    store.close()

    assert [path.name for path in store.path.parent.iterdir()] == ["runs.db"]


def test_a_newer_format_is_refused_with_its_name(store):
    store.close()
    with sqlite3.connect(store.path) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("UPDATE about SET value = 'agentspec 7.1'")
    database.close()

    with pytest.raises(JournalError) as refused:
        SqliteStore(store.path)

    assert str(refused.value) == (
        f"the store `{store.path}` was written by a newer version, `agentspec 7.1`: its format is 99, this version "
        "reads up to 1; upgrade agentspec or choose another store"
    )


def test_the_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE orders (id)")
    database.close()
    before = path.read_bytes()

    with pytest.raises(JournalError, match="is the database of another program"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    path = tmp_path / "runs.db"
    path.write_text("these are not the bytes of a database\n" * 100)

    with pytest.raises(JournalError, match="it is no SQLite database"):
        SqliteStore(path)
    assert path.read_text().startswith("these are not")


def test_the_journal_can_be_read_with_any_sqlite(store):
    journal = store.create_run("r1", {})
    journal.append([record(1)], barrier=True)

    with sqlite3.connect(store.path) as database:
        rows = database.execute("SELECT run_id, seq, kind, at, prev, body FROM journal").fetchall()
    database.close()

    assert rows == [("r1", 1, "thing", 101.0, "00" * 32, '{"n": 1, "text": "x"}')]


def test_only_its_owner_can_read_a_store(tmp_path):
    folder = tmp_path / "new" / "state"
    store = SqliteStore(folder / "runs.db")
    store.create_run("r1", {}).append([("kind", 1.0, b"{}")], barrier=True)
    store.artifacts.put(b"bytes")

    open_to_others = [path.name for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]

    assert open_to_others == []
    assert {"runs.db", "runs.db-wal", "runs.db-shm"} <= {path.name for path in folder.iterdir()}
    store.close()


def test_the_permissions_of_a_store_that_is_there_stay_its_owners_choice(tmp_path):
    path = tmp_path / "runs.db"
    SqliteStore(path).close()
    path.chmod(0o640)

    SqliteStore(path).close()

    assert path.stat().st_mode & 0o777 == 0o640


async def gathered(*journals):
    """Each journal appends one record and waits for it, all in the same turn of the loop."""

    async def write(journal):
        journal.append([record(1)], barrier=False)
        await journal.flush(durable=False)

    return await asyncio.gather(*(write(journal) for journal in journals), return_exceptions=True)


async def test_runs_of_one_loop_share_a_commit(store):
    journals = [store.create_run(f"r{n}", {}) for n in range(5)]
    await journals[-1].flush(durable=False)
    commits = []
    store._database.connection.set_trace_callback(lambda statement: commits.append(statement == "COMMIT"))

    assert await gathered(*journals) == [None] * 5

    assert sum(commits) == 1
    with contextlib.closing(SqliteStore(store.path)) as other:
        assert [len(other.read_run(f"r{n}")) for n in range(5)] == [1] * 5


async def test_a_run_that_was_lost_takes_nothing_from_those_that_share_its_commit(store):
    zombie, alive = store.create_run("zombie", {}), store.create_run("alive", {})
    store._database.execute("UPDATE heads SET epoch = epoch + 1 WHERE id = 1")

    lost, stored = await gathered(zombie, alive)

    assert isinstance(lost, LeaseLost)
    assert stored is None
    assert [len(store.read_run(name)) for name in ("zombie", "alive")] == [0, 1]


async def test_all_who_share_a_commit_hear_that_it_failed(store):
    journals = [store.create_run(f"r{n}", {}) for n in range(2)]
    started = [asyncio.create_task(gathered(journal)) for journal in journals]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    store._database.connection.execute("ROLLBACK")

    failed = [found for task in started for found in await task]

    assert [type(error) for error in failed] == [JournalError] * 2
    assert store.read_run("r0") == []


async def test_what_must_be_durable_at_once_comes_after_what_waits_for_a_commit(store):
    first, second = store.create_run("r1", {}), store.create_run("r2", {})

    first.append([record(1)], barrier=False)
    second.append([record(2)], barrier=True)

    with contextlib.closing(SqliteStore(store.path)) as other:
        assert [len(other.read_run(name)) for name in ("r1", "r2")] == [1, 1]
    await first.flush(durable=False)


def test_a_run_is_read_whole_while_another_process_writes_it(store):
    program = (
        "import pathlib, sys; from agentspec.adapters.stores.sqlite import SqliteStore;"
        "journal = SqliteStore(pathlib.Path(sys.argv[1])).create_run('busy', {});"
        "print('begun', flush=True);"
        "[journal.append([('thing', float(n), b'{}')], barrier=False) for n in range(2_000)]"
    )
    writing = subprocess.Popen([sys.executable, "-c", program, str(store.path)], stdout=subprocess.PIPE, text=True)
    assert writing.stdout is not None
    writing.stdout.readline()

    lengths = [len(store.read_run("busy"))]
    while writing.poll() is None:
        lengths.append(len(store.read_run("busy")))

    assert writing.wait() == 0
    assert lengths == sorted(lengths)
    assert len(store.read_run("busy")) == 2_000
    writing.stdout.close()


async def test_many_runs_at_once_write_few_pages(store):
    journals = [store.create_run(f"r{i}", {}) for i in range(60)]

    for turn in range(8):
        for journal in journals:
            journal.append([record(turn * 5 + each, "x" * 250) for each in range(5)], barrier=False)
        await journals[0].flush(durable=False)

    (page,) = store._database.execute("PRAGMA page_size").fetchone()
    log = store.path.with_name("runs.db-wal").stat().st_size
    assert log // page / (8 * 60) <= 1.4  # pages of an append; small ones are split again and again
