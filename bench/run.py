"""run: measures the project against the floors in one go and prints the tables of docs/performance.md.

`python bench/run.py [--rounds 5] [--only NAME]... [--stacks]`. Every figure is the median of its rounds; the
contestants take turns, so that a noisy minute hits all of them. Ratios count, not milliseconds.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
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


LONG_YAML = """\
name: long
description: A spec of two hundred lines
task: Add up.
model: {provider: openai, model: gpt-5.4-mini}
execution:
  max_iterations: 20
context:
  system: You add up.
capability:
  tools:
"""
YAML_TOOL = """\
    add_{number}:
      description: Add two numbers
      parameters: {{left: number, right: number}}
      returns: number
      expr: args.left + args.right
"""
LONG_DSL = """\
agent long {{
  description: "A spec of two hundred lines"
  task: "Add up."
  model {{ provider: openai  model: "gpt-5.4-mini" }}
  execution {{ max_iterations: 20 }}
  context {{ system: "You add up." }}
  capability {{
{tools}  }}
}}
"""
DSL_TOOL = """\
    tool add_{number}(left: number, right: number) -> number
      "Add two numbers"
      = args.left + args.right
"""


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
    "agentspec check, 200 lines of YAML": ["-m", "agentspec", "check", "{folder}/long.yaml"],
    "agentspec check, 200 lines of DSL": ["-m", "agentspec", "check", "{folder}/long.agent"],
    "agentspec run, one turn, script": ["-m", "agentspec", "run", "{folder}/script.yaml"],
    "agentspec run, one turn, server": ["-m", "agentspec", "run", "{folder}/server.yaml"],
    "httpx floor, one turn": ["bench/floor_httpx.py", "--port={port}", "--turns=0"],
    "import asyncio": ["-c", "import asyncio"],
    "import the project's client": ["-c", "import agentspec.adapters.http.client"],
    "import h11 over asyncio": ["-c", "import asyncio, ssl, h11"],
    "import aiohttp": ["-c", "import aiohttp"],
    "import httpx": ["-c", "import httpx"],
}
# Packages of candidates, which no part of the project needs.
NEEDS = {"import aiohttp": "aiohttp", "aiohttp": "aiohttp", "httpx+aiohttp": "httpx_aiohttp"}
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


Figures = dict[tuple[str, str, str], float]  # contestant, load, figure


def table(contestants: dict[str, list[str]], port: int, rounds: int) -> Figures:
    """Measure and print, a line for each row, a column for each contestant; the medians."""
    print("| work | " + " | ".join(contestants) + " |")
    print("| --- |" + " ---: |" * len(contestants))
    medians: Figures = {}
    for row in WORK:
        if (next(iter(contestants)), str(row.load), row.figure) not in medians:
            medians |= measured(contestants, row.load, port, rounds)
        shown = [f"{medians[name, str(row.load), row.figure]:.{row.digits}f}" for name in contestants]
        print(f"| {row.title} | " + " | ".join(shown) + " |", flush=True)
    return medians


def measured(contestants: dict[str, list[str]], load: dict[str, int], port: int, rounds: int) -> Figures:
    """The medians of one load; the contestants take turns."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, command in contestants.items():
            found[name].append(figures_of(command, port, load))
    return {
        (name, str(load), figure): median(each[figure] for each in rounds_of)
        for name, rounds_of in found.items()
        for figure in rounds_of[0]
    }


def here(programs: dict[str, list[str]]) -> dict[str, list[str]]:
    """Those programs whose packages are installed; a line for each that is left out."""
    missing = [name for name in programs if name in NEEDS and find_spec(NEEDS[name]) is None]
    for name in missing:
        print(f"left out: `{name}`, since `{NEEDS[name]}` is not installed", file=sys.stderr)
    return {name: words for name, words in programs.items() if name not in missing}


def cold_table(port: int, rounds: int) -> dict[str, float]:
    """CPU of whole processes, as multiples of one that does nothing."""
    programs = here(COLD)
    spent: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        write_specs(Path(folder), port)
        for _ in range(rounds + 1):  # the first round fills the caches of byte code
            for name, arguments in programs.items():
                spent[name].append(cold([each.format(folder=folder, port=port) for each in arguments]))
    times = {name: median(found[1:]) for name, found in spent.items()}
    print("| cold start | ms | × nothing |\n| --- | ---: | ---: |")
    for name, seconds in times.items():
        print(f"| {name} | {1000 * seconds:.0f} | {seconds / times[NOTHING]:.1f} |")
    return {name: seconds / times[NOTHING] for name, seconds in times.items()}


def write_specs(folder: Path, port: int) -> None:
    """The specs that the cold starts read."""
    for name, model in MODELS.items():
        text = ONE_TURN.format(model=model.replace("%d", str(port)))
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    yaml_tools = "".join(YAML_TOOL.format(number=number) for number in range(38))
    (folder / "long.yaml").write_text(LONG_YAML + yaml_tools, encoding="utf-8")
    dsl_tools = "".join(DSL_TOOL.format(number=number) for number in range(64))
    (folder / "long.agent").write_text(LONG_DSL.format(tools=dsl_tools), encoding="utf-8")


def told_by(name: str, rounds: int) -> dict[str, float]:
    """What a program beside this one measures: of the kernel without any I/O, or of the context that a model sees."""
    program = [sys.executable, str(HERE / f"{name}.py"), f"--rounds={rounds}"]
    done = subprocess.run(program, capture_output=True, text=True, env=environment(), check=True, cwd=ROOT)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def ratios(
    medians: Figures, cold_starts: dict[str, float], kernel: dict[str, float], context: dict[str, float]
) -> None:
    """The figures that are promised, beside what was measured."""

    def of(name: str, figure: str, **load: int) -> float:
        return medians[name, str(load), figure]

    def growth(name: str, fewer: int, more: int, **result: int) -> float:
        """The exponent of a whole run's cost between two lengths."""
        low, high = (of(name, "cpu_ms_per_turn", turns=turns, **result) * turns for turns in (fewer, more))
        return math.log(high / low) / math.log(more / fewer)

    ours, httpx, least = "agentspec run", "httpx floor", "incremental floor"
    at_once = {"turns": 10, "loops": 200}
    per_turn = "cpu_ms_per_turn"
    lines = [
        ("run ÷ httpx floor, 100 turns", of(ours, per_turn, turns=100) / of(httpx, per_turn, turns=100), "≤ 0.6"),
        ("growth of a run, 100 to 300 turns", growth(ours, 100, 300), "≤ 1.1"),
        ("growth of a run, 300 to 1 000 turns", growth(ours, 300, 1000), "≤ 1.1"),
        (
            "the same with 4-KiB results, less the incremental floor's",
            growth(ours, 100, 300, result=4096) - growth(least, 100, 300, result=4096),
            "≤ 0.1",
        ),
        ("stream, µs a piece", of(ours, "cpu_us_per_chunk", chunks=2000), "≤ 25"),
        (
            "200 runs at once: turns a second ÷ httpx floor",
            of(ours, "turns_per_s", **at_once) / of(httpx, "turns_per_s", **at_once),
            "≥ 4",
        ),
        ("200 runs at once: MiB a run", of(ours, "kib_per_loop", **at_once) / 1024, "≤ 0.25"),
        ("cold check of YAML ÷ nothing", cold_starts["agentspec check, 200 lines of YAML"], "≤ 10"),
        ("cold check of DSL ÷ nothing", cold_starts["agentspec check, 200 lines of DSL"], "≤ 24"),
        ("cold run of one turn ÷ nothing", cold_starts["agentspec run, one turn, server"], "≤ 30"),
        ("kernel alone, policies of `repair`: thousand events a second", kernel["events_per_s"] / 1000, "≥ 20"),
        ("kernel alone: last tenth of 10 000 turns ÷ first", kernel["last_tenth_to_first"], "≤ 1.15"),
        ("a compaction of 10 000 messages planned, ms", context["plan_10000_ms"], "≤ 30"),
        ("10 000 messages ÷ 1 000", context["plan_10000_to_1000"], "≤ 11"),
        ("estimate of the second request, worst of five kinds", context["worst_estimate"], "≤ 0.05"),
        ("import agentspec ÷ nothing", cold_starts["import agentspec"], "≤ 4"),
    ]
    print("| promised | measured | bound |\n| --- | ---: | ---: |")
    for title, value, bound in lines:
        print(f"| {title} | {value:.2f} | {bound} |")


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
    contestants = here(STACKS) if options.stacks else CONTESTANTS
    if options.only:
        contestants = {name: command for name, command in contestants.items() if name in options.only}
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}\n")
    with model_server() as port:
        medians = table(contestants, port, options.rounds)
        print()
        cold_starts = cold_table(port, options.rounds)
    if set(contestants) == set(CONTESTANTS):
        print()
        ratios(medians, cold_starts, told_by("kernel", options.rounds), told_by("context", options.rounds))


if __name__ == "__main__":
    main()
