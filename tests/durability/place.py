"""place: a project folder whose tools leave traces that can be counted, and processes that run specs in it."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.core.events import ToolReturned
from agentspec.core.orders import CallTool, Note
from agentspec.runtime.journal import decode

ROOT = Path(__file__).parents[2]
MARK = ["sh", "-c", 'echo "$1" >> effects', "mark", "${args.n}"]
TOOLS = {
    "look": {"parameters": {"n": "string"}, "expr": "args.n + '!'"},
    "mark": {"parameters": {"n": "string"}, "run": MARK},
    "put": {"parameters": {"n": "string"}, "run": MARK, "idempotent": True},
    "both": {"parameters": {"n": "string"}, "run": MARK, "effect": "read"},  # two of these run at once
    "wait": {
        "parameters": {"n": "string"},
        "run": ["sh", "-c", 'echo "$1" >> effects; exec sleep 30', "w", "${args.n}"],
    },
    "stubborn": {
        "parameters": {"n": "string"},
        "run": ["sh", "-c", "trap '' TERM; echo \"$1\" >> effects; while :; do sleep 0.05; done", "s", "${args.n}"],
    },
}


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Process(NamedTuple):
    """A process of a zygote."""

    zygote: "Zygote"
    pid: int
    out: Path
    err: Path

    def wait(self) -> Done:
        return Done(self.zygote.ask(do="wait", pid=self.pid), self.out.read_text(), self.err.read_text())

    def has_ended(self) -> bool:
        """Whether it has ended, though nobody has waited for it."""
        return self._state() == "Z"

    def is_stopped(self) -> bool:
        return self._state() == "T"

    def _state(self) -> str:
        """Z for a zombie, T for a stopped process (proc(5))."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def stop_and_wait(self, number: int) -> tuple[Done, float]:
        """How it ended after a signal, and how many seconds that took."""
        began = time.monotonic()
        self.signal(number)
        done = self.wait()
        return done, time.monotonic() - began


class Cold:
    """A process of the program that nothing was prepared for; as `Process`."""

    def __init__(self, folder: Path, argv: tuple[str, ...], err_to: int | None, under: tuple[str, ...]) -> None:
        self.out, self.err = folder / "cold-out", folder / "cold-err"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                [*under, sys.executable, "-m", "agentspec", *argv],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err if err_to is None else err_to,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )

    def stop_and_wait(self, number: int) -> tuple[Done, float]:
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait()
        return Done(code, self.out.read_text(), self.err.read_text()), time.monotonic() - began


class Zygote:
    """Forks processes of agentspec on demand (see `zygote.py`)."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "zygote.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.started = 0

    def ask(self, **job: Any) -> int:
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def start(self, folder: Path, **job: Any) -> Process:
        self.started += 1
        out, err = folder / f"out{self.started}", folder / f"err{self.started}"
        out.touch()  # a process may die before it opens them
        err.touch()
        pid = self.ask(do="start", cwd=str(folder), out=str(out), err=str(err), **job)
        return Process(self, pid, out, err)

    def close(self) -> None:
        self.process.communicate()


class Place:
    """A project folder: a spec whose model is scripted, the store beside it, and what its tools have done."""

    def __init__(self, folder: Path, zygote: Zygote) -> None:
        self.folder = folder
        self.zygote = zygote
        self.database = folder / ".agentspec" / "runs.db"

    def spec(self, *turns: Any, **sections: Any) -> None:
        """Write `spec.json`: a turn is a text, or the calls `"tool n"` that it asks for, or a turn of a script."""
        values = {
            "name": "durable",
            "task": "go",
            "model": {"provider": "script", "options": {"turns": [_turn(turn) for turn in turns]}},
            "capability": {"tools": TOOLS},
            "execution": {"max_iterations": 2000},
            **sections,
        }
        (self.folder / "spec.json").write_text(json.dumps(values))

    def start(self, *argv: str, **job: Any) -> Process:
        """The program with these words, going on beside the test."""
        return self.zygote.start(self.folder, argv=list(argv), **job)

    def run(self, *argv: str, **job: Any) -> Done:
        return self.start(*argv, **job).wait()

    def python(self, *argv: str, err: int | None = None, under: tuple[str, ...] = ()) -> "Cold":
        """The program from a cold start, as a person's shell does it; `err` is what its stderr goes to.

        `under` is a program that becomes it, such as `nohup`.
        """
        return Cold(self.folder, argv, err, under)

    def drive(self, api: str, **job: Any) -> Done:
        """A run through the API, which may `die` at a moment."""
        return self.zygote.start(self.folder, api=api, spec="spec.json", **job).wait()

    def started_effect(self, text: str = "") -> None:
        """Wait until a tool has begun to act."""
        wait_until(lambda: text in self.effects() if text else self.effects())

    def effects(self) -> list[str]:
        path = self.folder / "effects"
        return path.read_text().split() if path.exists() else []

    def calls(self) -> list[dict[str, str]]:
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def run_id(self) -> str:
        return self.runs()[0]["run_id"]

    def runs(self, **filters: Any) -> list[dict[str, Any]]:
        store = SqliteStore(self.database)
        try:
            return store.list_runs(**filters)
        finally:
            store.close()

    def records(self, run_id: str | None = None) -> list[Any]:
        """The records of a run (the newest), checked and decoded."""
        store = SqliteStore(self.database)
        try:
            chosen = run_id or store.list_runs()[0]["run_id"]
            return [decode(record) for record in store.read_run(chosen)]
        finally:
            store.close()

    def results(self, run_id: str | None = None) -> Counter:
        """How many results of each status the journal's calls have."""
        return Counter(record.result.status for record in self.records(run_id) if isinstance(record, ToolReturned))

    def take_over(self) -> None:
        """Raise the epoch of the newest run, as a process on another machine does that believes its holder dead."""
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            connection.execute("UPDATE heads SET epoch = epoch + 1, holder = NULL")
            connection.commit()

    def tool_messages(self) -> list[str]:
        """What the model was shown of its calls: the texts of the last request, by the journal's events."""
        texts = []
        for record in self.records():
            if isinstance(record, ToolReturned):
                texts.append(record.result.text)
            elif isinstance(record, Note) and record.event == "tool_result":
                texts.append(record.fields["text"])
        return texts

    def unanswered(self) -> list[CallTool]:
        """The calls that the journal ordered and has no result of."""
        records = self.records()
        answered = {record.order for record in records if isinstance(record, ToolReturned)}
        return [record for record in records if isinstance(record, CallTool) and record.id not in answered]


def wait_until(is_so, seconds: float = 20.0) -> None:
    """Look again and again until it is so; that takes as long as it takes, and not for ever."""
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it never came to be so"
        time.sleep(0.005)


def crash(process: Process) -> Done:
    process.signal(signal.SIGKILL)
    return process.wait()


def _turn(turn: Any) -> Any:
    if isinstance(turn, dict) or (isinstance(turn, str) and turn.split()[0] not in TOOLS):
        return turn
    calls = [turn] if isinstance(turn, str) else turn
    return {"tool_calls": [{"name": call.split()[0], "arguments": {"n": call.split()[1]}} for call in calls]}
