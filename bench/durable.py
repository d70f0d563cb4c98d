"""durable: what the journal costs: its share of a run's CPU, the fsyncs of a turn, and the time to resume a long run.

`python bench/durable.py [--rounds 5] [--turns 100] [--long 1000]`. The share is taken from a run against a server in
a process of its own, and from one whose model is a script, where it is as large as it can be. The fsyncs are counted by
strace where it is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from agentspec.adapters.stores.journal import SqliteJournal
from agentspec.api.options import RunOptions
from agentspec.api.resume import reopen
from agentspec.api.run import start
from agentspec.api.running import Running
from agentspec.api.spec import load
from agentspec.api.workspace import workspace

ROOT = Path(__file__).parents[1]
TOOLS = {
    "look": {"parameters": {"n": "integer"}, "expr": "string(args.n)"},
    "act": {"parameters": {"n": "integer"}, "run": ["true"]},
}


def write_served_spec(folder: Path, port: int, turns: int) -> None:
    """As the other benches have it: a tool in CEL, a model behind HTTP."""
    lookup = {"parameters": {"key": "string"}, "expr": "args.key + ' is here'"}
    base = f"http://127.0.0.1:{port}/turns/{turns}/v1"
    model = {"provider": "openai", "model": "bench-1", "base_url": base}
    values = {"name": "durable", "task": "go", "model": model, "execution": {"max_iterations": turns + 10}}
    (folder / "spec.json").write_text(json.dumps({**values, "capability": {"tools": {"lookup": lookup}}}))


@contextmanager
def server() -> Iterator[int]:
    """The port of a scripted model server."""
    command = [sys.executable, str(ROOT / "bench" / "server.py")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.communicate()


def write_spec(folder: Path, tool: str, turns: int) -> None:
    script: list[Any] = [{"tool_calls": [{"name": tool, "arguments": {"n": n}}]} for n in range(turns)]
    values = {
        "name": "durable",
        "task": "go",
        "model": {"provider": "script", "options": {"turns": [*script, "done"]}},
        "execution": {"max_iterations": turns + 10},
        "capability": {"tools": TOOLS},
    }
    (folder / "spec.json").write_text(json.dumps(values))


class Timed:
    """A journal whose CPU seconds are added up."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.journal, self.run_id, self.seconds, self.barriers = journal, journal.run_id, 0.0, 0

    def append(self, records: Any, *, barrier: bool, line: Any = None) -> int:
        began = time.process_time()
        last = self.journal.append(records, barrier=barrier, line=line)
        self.seconds += time.process_time() - began
        self.barriers += barrier
        return last

    async def flush(self, *, durable: bool) -> None:
        """Its CPU is that of the loop and of a thread; other work of the run may fall into it, so it counts high."""
        began = time.process_time()
        await self.journal.flush(durable=durable)
        self.seconds += time.process_time() - began
        self.barriers += durable

    def __getattr__(self, name: str) -> Any:
        return getattr(self.journal, name)


async def whole_run(folder: Path) -> None:
    """One run; prints the CPU seconds of all of it and of the journal, and its barriers."""
    async with workspace() as shared:
        running = await start(load(folder / "spec.json"), "go", RunOptions(), shared)
        timed = running.ports.journal = Timed(running.ports.journal)
        began = time.process_time()
        await running.go()
        print(json.dumps([time.process_time() - began, timed.seconds, timed.barriers]))


class FirstRequest:
    """A model that tells the process's CPU seconds at the first request, and ends it."""

    provider = name = "script"

    async def answer(self, *_: Any) -> Any:
        print(json.dumps([time.process_time()]), flush=True)
        os._exit(0)


async def first_request(folder: Path, run_id: str | None) -> None:
    """The time of a process from its start to its first request, of a new run or of one that is gone on with."""
    async with workspace() as shared:
        running: Running
        if run_id is None:
            running = await start(load(folder / "spec.json"), "go", RunOptions(), shared)
        else:
            running = await reopen(run_id, folder, RunOptions(), shared, lambda _: "ask")
        running.ports.model = FirstRequest()
        await running.go()


async def long_run(folder: Path, turns: int) -> None:
    """A run that dies at the request after its last tool call; prints its id."""
    async with workspace() as shared:
        running = await start(load(folder / "spec.json"), "go", RunOptions(), shared)
        answer, left = running.ports.model.answer, [turns]

        async def die_at_the_end(*given: Any) -> Any:
            if not left[0]:
                print(json.dumps([running.run_id]), flush=True)
                os._exit(0)
            left[0] -= 1
            return await answer(*given)

        running.ports.model.answer = die_at_the_end
        await running.go()


def child(*words: str, prefix: tuple[str, ...] = ()) -> list[Any]:
    command = [*prefix, sys.executable, __file__, *words]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "bench"},
    )
    return list(json.loads(done.stdout.splitlines()[-1]))


def measure(rounds: int, turns: int, long: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with server() as port:
            write_served_spec(folder, port, turns)
            print_share("server", [child("run", str(folder)) for _ in range(rounds)], turns)
        write_spec(folder, "look", turns)
        print_share("script", [child("run", str(folder)) for _ in range(rounds)], turns)
        for tool, acts in (("look", 0), ("act", 1)):
            write_spec(folder, tool, turns)
            syncs = fsyncs(folder) if shutil.which("strace") else None
            barriers = child("run", str(folder))[2]
            told = f"fsyncs of a turn with {acts} calls that act: {syncs / turns:.2f}" if syncs is not None else ""
            print(f"{told} (promised: {1 + 2 * acts}); barriers of a turn: {barriers / turns:.2f}")
        write_spec(folder, "look", long)
        new = median(child("first", str(folder))[0] for _ in range(rounds))
        (run_id,) = child("long", str(folder), str(long))
        again = median(child("first", str(folder), run_id)[0] for _ in range(rounds))
        print(
            f"CPU to the first request: {new:.3f} s new, {again:.3f} s resumed after {long} turns: {again / new:.2f} ×"
        )


def print_share(model: str, runs: list[list[Any]], turns: int) -> None:
    share = median(journal / whole for whole, journal, _ in runs)
    whole, part = (median(run[index] for run in runs) / turns * 1000 for index in (0, 1))
    print(f"journal's share of a run's CPU, {model}: {share:.0%} ({part:.2f} of {whole:.2f} ms a turn; promised: 25 %)")


def fsyncs(folder: Path) -> int:
    """The calls of fsync and fdatasync in a whole run."""
    log = folder / "strace"
    child("run", str(folder), prefix=("strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(log)))
    return len(re.findall(r"f(?:data)?sync\(", log.read_text()))


def main() -> None:
    match sys.argv[1:]:
        case ["run", folder]:
            asyncio.run(whole_run(Path(folder)))
        case ["long", folder, turns]:
            asyncio.run(long_run(Path(folder), int(turns)))
        case ["first", folder, *run_id]:
            asyncio.run(first_request(Path(folder), run_id[0] if run_id else None))
        case _:
            parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
            parser.add_argument("--rounds", type=int, default=5)
            parser.add_argument("--turns", type=int, default=100)
            parser.add_argument("--long", type=int, default=1000)
            given = parser.parse_args()
            measure(given.rounds, given.turns, given.long)


if __name__ == "__main__":
    main()
