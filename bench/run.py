"""run: measures the project against the floors in one go and prints the tables of docs/performance.md.

`python bench/run.py [--rounds 5] [--only NAME]... [--stacks]`. Every figure is the median of its rounds; the
contestants take turns, so that a noisy minute hits all of them. Ratios count, not milliseconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent
CONTESTANTS = {
    "httpx floor": ["floor_httpx.py"],
    "incremental floor": ["floor_incremental.py"],
    "adapter alone": ["adapter.py"],
    "agentspec run": ["whole_run.py"],
}
STACKS = {name: ["stack.py", name] for name in ("httpx", "httpx+aiohttp", "aiohttp", "h11", "own")}


class Row(NamedTuple):
    """One line of the table: what is done and which figure of it counts."""

    title: str
    load: dict[str, int]
    figure: str
    digits: int = 3


WORK = (
    Row("10 turns, 40 bytes: ms a turn", {"turns": 10}, "cpu_ms_per_turn"),
    Row("100 turns, 40 bytes: ms a turn", {"turns": 100}, "cpu_ms_per_turn"),
    Row("300 turns, 40 bytes: ms a turn", {"turns": 300}, "cpu_ms_per_turn"),
    Row("1 000 turns, 40 bytes: ms a turn", {"turns": 1000}, "cpu_ms_per_turn"),
    Row("100 turns, 4 KiB: ms a turn", {"turns": 100, "result": 4096}, "cpu_ms_per_turn"),
    Row("300 turns, 4 KiB: ms a turn", {"turns": 300, "result": 4096}, "cpu_ms_per_turn"),
    Row("200 loops at once, 10 turns: turns a second", {"turns": 10, "loops": 200}, "turns_per_s", 0),
    Row("200 loops at once, 10 turns: ms a turn", {"turns": 10, "loops": 200}, "cpu_ms_per_turn"),
    Row("200 loops at once: KiB a loop", {"turns": 10, "loops": 200}, "kib_per_loop", 0),
    Row("stream of 2 000 pieces: µs a piece", {"chunks": 2000}, "cpu_us_per_chunk", 1),
)
NOTHING = "python -c pass"
COLD = {
    NOTHING: ["-c", "pass"],
    "import agentspec": ["-c", "import agentspec"],
    "agentspec run, one turn, script": ["-m", "agentspec", "run", "{folder}/script.yaml"],
    "agentspec run, one turn, server": ["-m", "agentspec", "run", "{folder}/server.yaml"],
    "httpx floor, one turn": ["bench/floor_httpx.py", "--port={port}", "--turns=0"],
    "import asyncio": ["-c", "import asyncio"],
    "import the project's client": ["-c", "import agentspec.adapters.models.http"],
    "import h11 over asyncio": ["-c", "import asyncio, ssl, h11"],
    "import aiohttp": ["-c", "import aiohttp"],
    "import httpx": ["-c", "import httpx"],
}
ONE_TURN = """\
name: one-turn
task: Say that you are done.
model: {model}
"""
MODELS = {
    "script": '{provider: script, options: {turns: [{text: "Done."}]}}',
    "server": '{provider: openai, model: bench-1, base_url: "http://127.0.0.1:%d/turns/0/v1"}',
}


@contextmanager
def model_server() -> Iterator[int]:
    """The scripted server in a process of its own; its port."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def figures_of(command: list[str], port: int, load: dict[str, int]) -> dict[str, float]:
    """Run one contestant once."""
    options = [f"--{name}={value}" for name, value in {"turns": 0, **load}.items()]
    program = [sys.executable, str(HERE / command[0]), *command[1:], f"--port={port}", *options]
    done = subprocess.run(program, capture_output=True, text=True, env=environment(), check=False, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "bench"}


def table(contestants: dict[str, list[str]], rows: tuple[Row, ...], port: int, rounds: int) -> None:
    """Measure and print: a line for each row, a column for each contestant."""
    print("| work | " + " | ".join(contestants) + " |")
    print("| --- |" + " ---: |" * len(contestants))
    kept: dict[tuple[str, str], list[dict[str, float]]] = {}
    for row in rows:
        shown = []
        for name in contestants:
            kept.setdefault((name, json.dumps(row.load)), [])
        for _ in range(rounds):
            for name, command in contestants.items():
                found = kept[name, json.dumps(row.load)]
                if len(found) < rounds:
                    found.append(figures_of(command, port, row.load))
        for name in contestants:
            value = median(figures[row.figure] for figures in kept[name, json.dumps(row.load)])
            shown.append(f"{value:.{row.digits}f}")
        print(f"| {row.title} | " + " | ".join(shown) + " |", flush=True)


def cold_table(port: int, rounds: int) -> None:
    """CPU of whole processes, against one that does nothing."""
    spent: dict[str, list[float]] = {name: [] for name in COLD}
    with tempfile.TemporaryDirectory() as folder:
        for name, model in MODELS.items():
            text = ONE_TURN.format(model=model.replace("%d", str(port)))
            Path(folder, f"{name}.yaml").write_text(text, encoding="utf-8")
        for _ in range(rounds + 1):
            for name, arguments in COLD.items():
                spent[name].append(cold([each.format(folder=folder, port=port) for each in arguments]))
    nothing = median(spent[NOTHING][1:])
    print("| cold start | ms | × nothing |\n| --- | ---: | ---: |")
    for name, times in spent.items():
        print(f"| {name} | {1000 * median(times[1:]):.0f} | {median(times[1:]) / nothing:.1f} |")


def cold(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment(), check=True, capture_output=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", help="a contestant; may be given more than once")
    parser.add_argument("--stacks", action="store_true", help="compare HTTP stacks instead")
    options = parser.parse_args()
    contestants = STACKS if options.stacks else CONTESTANTS
    if options.only:
        contestants = {name: command for name, command in contestants.items() if name in options.only}
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}\n")
    with model_server() as port:
        table(contestants, WORK, port, options.rounds)
        print()
        cold_table(port, options.rounds)


if __name__ == "__main__":
    main()
