"""work: what every contestant does, how it is told to, and how it is measured.

A contestant is a program that takes `--port --turns --result --loops --chunks` and prints one JSON line. The figures
are CPU time of its own process (user and system); `turns_per_s` alone is wall time.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

SYSTEM = "You look things up, one at a time, and then you say that you are done."
TASK = "Look all items up."
MODEL = "bench-1"
TOOL = {
    "type": "function",
    "function": {
        "name": "lookup",
        "description": "Look an item up by its key.",
        "parameters": {
            "type": "object",
            "properties": {"key": {"type": "string"}},
            "required": ["key"],
            "additionalProperties": False,
        },
    },
}
WARM_UP = 5
STREAMS = 5


class Load(argparse.Namespace):
    """What is to be done."""

    port: int
    turns: int
    result: int
    loops: int
    chunks: int

    @property
    def turns_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/turns/{self.turns}/v1"

    @property
    def warm_up_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/turns/{WARM_UP}/v1"

    @property
    def chunks_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/chunks/{self.chunks}/v1"


class Contestant(Protocol):
    """Who does the work. `loop` is one whole run and gives its number of turns; `stream` gives its number of pieces."""

    async def open(self) -> None: ...

    async def loop(self, base_url: str, result: int) -> int: ...

    async def stream(self, base_url: str) -> int: ...

    async def close(self) -> None: ...


def lookup(key: str, size: int) -> str:
    """The tool: a text of `size` characters."""
    return (f"{key}: " + "found it. " * (size // 10 + 1))[:size]


def read_load() -> Load:
    parser = argparse.ArgumentParser()
    for name, default in (("port", 0), ("turns", 100), ("result", 40), ("loops", 0), ("chunks", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args(namespace=Load())


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def memory() -> int:
    """Resident bytes now."""
    with open("/proc/self/statm") as statm:  # noqa: PTH123  (read while measuring)
        return int(statm.read().split()[1]) * resource.getpagesize()


def main(contestant: Contestant) -> None:
    """Do the work, measure it, print the figures."""
    print(json.dumps(asyncio.run(measure(contestant, read_load()))))


async def measure(contestant: Contestant, load: Load) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    await contestant.open()
    await contestant.loop(load.warm_up_url, load.result)
    if load.turns and not load.loops and not load.chunks:
        spent, turns = await timed(lambda: contestant.loop(load.turns_url, load.result))
        figures["cpu_ms_per_turn"] = 1000 * spent / turns
    if load.loops:
        gc.set_threshold(50_000)  # as docs/guide/python.md tells a program with many runs; for every contestant
        before, began = memory(), time.perf_counter()
        spent, turns = await timed(lambda: at_once(contestant, load))
        figures["turns_per_s"] = turns / (time.perf_counter() - began)
        figures["cpu_ms_per_turn"] = 1000 * spent / turns
        figures["kib_per_loop"] = (memory() - before) / 1024 / load.loops
    if load.chunks:
        await contestant.stream(load.chunks_url)
        spent, pieces = await timed(lambda: streams(contestant, load))
        figures["cpu_us_per_chunk"] = 1_000_000 * spent / pieces
    await contestant.close()
    return figures


async def timed(work: Callable[[], Awaitable[int]]) -> tuple[float, int]:
    gc.collect()  # what the start left behind is not part of the work, neither as garbage
    gc.freeze()  # nor as what the collector looks at
    before = cpu()
    done = await work()
    return cpu() - before, done


async def at_once(contestant: Contestant, load: Load) -> int:
    return sum(await asyncio.gather(*(contestant.loop(load.turns_url, load.result) for _ in range(load.loops))))


async def streams(contestant: Contestant, load: Load) -> int:
    return sum([await contestant.stream(load.chunks_url) for _ in range(STREAMS)])


async def lines(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines of a body: the least that a reader of events has to do."""
    rest = b""
    async for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            yield line
