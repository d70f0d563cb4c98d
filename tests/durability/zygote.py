"""zygote: starts processes of agentspec quickly, by forking one that has imported everything.

Told what to do by JSON lines: `start` answers with a pid, `wait` with the exit code (negative for a signal). A process
is either the program itself (`argv`), or a run through the API with a journal and tools that die at a chosen moment.
"""

import asyncio
import json
import os
import resource
import signal
import sqlite3
import sys
import time
from pathlib import Path

import agentspec.adapters.models.script_file
import agentspec.cli.resume
import agentspec.cli.run
import agentspec.cli.runs  # noqa: F401 - imported before the fork, so that each process need not
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.options import RunOptions
from agentspec.api.resume import reopen
from agentspec.api.run import start
from agentspec.api.running import Running
from agentspec.api.spec import load
from agentspec.api.workspace import workspace
from agentspec.cli.main import main
from agentspec.cli.terminal.stopping import end_on_signals
from agentspec.errors import AgentSpecError
from agentspec.ports import Invocation, Output, Tool
from agentspec.runtime.resume import compare


class Moments:
    """Counts what goes by and dies at the chosen moment: `["append 7", "inside"]`."""

    def __init__(self, chosen: list[str] | None) -> None:
        self.chosen = chosen
        self.counts: dict[str, int] = {}

    def begin(self, what: str) -> str:
        self.counts[what] = self.counts.get(what, 0) + 1
        return f"{what} {self.counts[what]}"

    def pass_by(self, what: str, moment: str) -> None:
        if self.chosen == [what, moment]:
            os.kill(os.getpid(), signal.SIGKILL)


class MortalJournal:
    """A journal whose process may die before, inside or after each of its writes, or whose store fails at one."""

    def __init__(self, journal, moments: Moments, failure: list[str] | None = None) -> None:
        self._failure = failure
        self._journal = journal
        self._moments = moments
        self._writing = ""
        self.run_id = journal.run_id
        journal._database.connection.set_trace_callback(self._traced)

    def _traced(self, statement: str) -> None:
        if statement == "COMMIT" and self._writing:
            self._moments.pass_by(self._writing, "inside")

    def _write(self, what: str, write):
        self._writing = self._moments.begin(what)
        self._moments.pass_by(self._writing, "before")
        if self._failure is not None and self._failure[0] == self._writing:
            break_store(self._journal._database, self._failure[1])
        done = write()
        self._moments.pass_by(self._writing, "after")
        self._writing = ""
        return done

    def append(self, records, *, barrier, line=None):
        return self._write("append", lambda: self._journal.append(records, barrier=barrier, line=line))

    async def flush(self, *, durable):
        if not durable:
            await self._journal.flush(durable=False)
            return
        what = self._moments.begin("flush")
        self._moments.pass_by(what, "before")
        await self._journal.flush(durable=True)
        self._moments.pass_by(what, "after")

    def describe(self, fields):
        self._write("describe", lambda: self._journal.describe(fields))

    def close(self):
        self._write("close", self._journal.close)

    def check_lease(self):
        self._journal.check_lease()

    def read(self):
        return self._journal.read()


def break_store(database, kind: str) -> None:
    """Make SQLite refuse to write from now on, as a disk, a person or another process would."""
    match kind:
        case "full":
            database.execute("PRAGMA max_page_count = 1")  # not less than there are
        case "read-only":
            database.execute("PRAGMA query_only = ON")
        case "locked":
            database.execute("PRAGMA busy_timeout = 50")
            HELD.append(sqlite3.connect(database.path, isolation_level=None))
            HELD[-1].execute("BEGIN IMMEDIATE")
        case "limited":
            size = database.path.with_name("runs.db-wal").stat().st_size
            limit_files(size)


HELD: list[sqlite3.Connection] = []


def limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class MortalTool:
    """A tool whose process may die before it acts, and after it has acted but before anybody knows."""

    def __init__(self, tool: Tool, moments: Moments, log: Path) -> None:
        self._tool = tool
        self._moments = moments
        self._log = log

    async def call(self, invocation: Invocation) -> Output:
        what = self._moments.begin("tool")
        self._moments.pass_by(what, "before")
        with self._log.open("a") as log:
            log.write(json.dumps({"name": invocation.name, "call": invocation.call_id, "key": invocation.key}) + "\n")
        output = await self._tool.call(invocation)
        self._moments.pass_by(what, "after")
        return output

    async def close(self) -> None:
        await self._tool.close()


def mortal(running: Running, moments: Moments, folder: Path, failure: list[str] | None) -> Running:
    running.journal = running.ports.journal = MortalJournal(running.ports.journal, moments, failure)
    running.ports.tools = {
        name: MortalTool(tool, moments, folder / "calls.jsonl") for name, tool in running.ports.tools.items()
    }
    return running


async def drive(job: dict) -> dict:
    """Start or resume a run; what it came to, and how often each moment went by."""
    folder = Path.cwd()
    moments = Moments(job.get("die"))
    async with workspace() as shared:
        if job["api"] == "start":
            running = await start(load(job["spec"]), "go", RunOptions(), shared)
        else:
            running = await reopen(
                job["run_id"], folder, RunOptions(), shared, lambda _: job.get("tool_outcome", "ask")
            )
        mortal(running, moments, folder, job.get("fail"))
        result = await running.go()
    records = recorded(running)
    told = {"status": result.status, "run_id": result.run_id, "counts": moments.counts}
    return told | {"steps": compare(running.plan, records), "records": len(records)}


def recorded(running: Running) -> list:
    store = SqliteStore(Path.cwd() / ".agentspec" / "runs.db")
    try:
        return store.read_run(running.run_id)
    finally:
        store.close()


def tell(answer: object) -> None:
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()


def work(job: dict) -> int:
    end_on_signals()
    os.setpgid(0, 0)
    os.chdir(job["cwd"])
    while time.monotonic() < job.get("at", 0):
        pass  # so that several begin at the same moment
    if "limit_fsize" in job:
        limit_files(job["limit_fsize"])
    os.environ.update(job.get("env", {}))
    for number, name in ((0, os.devnull), (1, job["out"]), (2, job["err"])):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(name, flags, 0o644), number)
    if "argv" in job:
        sys.argv = ["agentspec", *job["argv"]]
        return main()
    try:
        tell(json.dumps(asyncio.run(drive(job))))
    except AgentSpecError as error:
        sys.stderr.write(f"{type(error).__name__} {error}\n")
        return 2
    return 0


def serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        job = json.loads(line)
        if job["do"] == "wait":
            _, status = os.waitpid(job["pid"], 0)
            tell(os.waitstatus_to_exitcode(status))
            continue
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                code = work(job)
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        tell(pid)


if __name__ == "__main__":
    serve()
