"""tools: what calls of tools cost: many at once (N7), one dispatch (N13), an output of 100 MB (N14).

`python bench/tools.py` prints a table. Nothing waits for a network: the model is a script, the journal is on disk.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from agentspec import run

SECONDS = 0.05
MEGABYTES = 100
ROUNDS = 5
WAITS = """\
import asyncio, time
SPANS = []
def blocks(n: int) -> str:
    began = time.perf_counter()
    time.sleep({seconds})
    SPANS.append((began, time.perf_counter()))
    return str(n)
async def waits(n: int) -> str:
    began = time.perf_counter()
    await asyncio.sleep({seconds})
    SPANS.append((began, time.perf_counter()))
    return str(n)
"""
PRINTS = "import sys\nfor part in range({megabytes}): sys.stdout.write(('%07d\\n' % part) * 131072)\n"
SPEC: dict[str, Any] = {
    "name": "bench",
    "task": "Work.",
    "execution": {"loop_until_done": True, "max_iterations": 1000, "max_concurrent_tools": 100, "stall": False},
    "capability": {
        "sandbox": "none",
        "tools": {
            "blocks": {"parameters": {"n": "integer"}, "python": "waiting:blocks", "effect": "read"},
            "waits": {"parameters": {"n": "integer"}, "python": "waiting:waits", "effect": "read"},
            "adds": {"parameters": {"n": "integer"}, "returns": "integer", "expr": "args.n + 1"},
            "prints": {"run": [sys.executable, "-c", PRINTS.format(megabytes=MEGABYTES)], "timeout": "120s"},
            "says": {"run": [sys.executable, "-c", "print('x')"]},
        },
    },
}


def turns(tool: str, calls: int, count: int = 1) -> list[dict[str, Any]]:
    """So many turns with so many calls each, and an end."""
    made = [
        {"tool_calls": [{"name": tool, "arguments": {"n": turn * calls + call}} for call in range(calls)]}
        for turn in range(count)
    ]
    if tool in ("prints", "says"):
        made = [{"tool_calls": [{"name": tool, "arguments": {}}]}]
    return [*made, {"text": "done"}]


async def whole(folder: Path, script: list[dict[str, Any]]) -> tuple[float, Any]:
    """The seconds of the processor that a run takes, and its result."""
    path = folder / "turns.yaml"
    path.write_text(json.dumps(script))
    began = time.process_time()
    result = await run(folder / "bench.yaml", script=path, allow_python=True, trace=True)
    assert result.status == "done", result
    return time.process_time() - began, result


def middle(measure: Callable[[], float]) -> float:
    measure()
    return median(measure() for _ in range(ROUNDS))


def at_once(folder: Path, tool: str, calls: int) -> float:
    """How much longer all calls of a turn take than a single one, from the first start to the last end."""
    return middle(lambda: asyncio.run(_span(folder, tool, calls)) / asyncio.run(_span(folder, tool, 1)))


async def _span(folder: Path, tool: str, calls: int) -> float:
    await whole(folder, turns(tool, calls))
    spans = sys.modules["waiting"].SPANS
    assert len(spans) == calls, spans
    seconds = max(end for _, end in spans) - min(start for start, _ in spans)
    spans.clear()
    return float(seconds)


def dispatch(folder: Path) -> float:
    """Microseconds of the processor that one more `expr` call of a turn costs, its journal included."""
    return middle(lambda: asyncio.run(_dispatch(folder)))


async def _dispatch(folder: Path) -> float:
    few, many, count = 1, 9, 50
    little = (await whole(folder, turns("adds", few, count)))[0]
    much = (await whole(folder, turns("adds", many, count)))[0]
    return (much - little) / (count * (many - few)) * 1e6


async def _large(folder: Path) -> None:
    """What the process grows by while it takes a large output, in MiB, and whether the whole is kept."""
    await whole(folder, turns("says", 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _, result = await whole(folder, turns("prints", 1))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    expected = hashlib.sha256()
    for part in range(MEGABYTES):
        expected.update(b"%07d\n" % part * 131072)
    kept = [path for path in (folder / ".agentspec").rglob("*") if path.is_file() and path.stat().st_size > 1 << 26]
    is_whole = [hashlib.sha256(path.read_bytes()).hexdigest() for path in kept] == [expected.hexdigest()]
    print(json.dumps({"grown": grown / 1024, "is_whole": is_whole, "status": result.status}))


def large(folder: Path) -> dict[str, Any]:
    """The same in a process of its own: the highest point of memory is never forgotten."""
    done = subprocess.run(
        [sys.executable, __file__, "--large", str(folder)], capture_output=True, check=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bench.yaml").write_text(json.dumps(SPEC))
        (folder / "waiting.py").write_text(WAITS.format(seconds=SECONDS))
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        output = large(folder)
        rows = [
            ("N7", "8 calls of 50 ms in one turn against one, blocking", f"{at_once(folder, 'blocks', 8):.2f} ×"),
            ("N7", "8 calls of 50 ms in one turn against one, async", f"{at_once(folder, 'waits', 8):.2f} ×"),
            ("", "100 calls of 50 ms in one turn against one, blocking", f"{at_once(folder, 'blocks', 100):.2f} ×"),
            ("", "100 calls of 50 ms in one turn against one, async", f"{at_once(folder, 'waits', 100):.2f} ×"),
            ("N13", "one dispatch of an `expr` call, processor", f"{dispatch(folder):.0f} µs"),
            ("N14", f"an output of {MEGABYTES} MiB: extra memory", f"{output['grown']:.1f} MiB"),
            ("N14", "the whole of it is kept", "yes" if output["is_whole"] else "no"),
        ]
    for number, title, figure in rows:
        print(f"| {number} | {title} | {figure} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--large"]:
        os.chdir(sys.argv[2])
        asyncio.run(_large(Path(sys.argv[2])))
    else:
        main()
