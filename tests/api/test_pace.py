"""What a turn of a whole run costs the shell and the kernel together, in calls and not in seconds."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

from agentspec import load, run
from agentspec.api.workspace import workspace

CALLS = 535
SCRIPT = "adapters/models/script.py"  # it stands for a server, and looks at the whole conversation
SPEC = """\
name: adder
task: Add up.
execution: {{loop_until_done: true, max_iterations: 99}}
model:
  provider: script
  options:
    turns:
{turns}
      - text: Done.
capability:
  tools:
    add: {{description: Add., parameters: {{left: number}}, returns: number, expr: args.left + 1.0}}
"""
TURN = "      - tool_calls: [{{name: add, arguments: {{left: {number}}}}}]"


async def calls_of(folder: Path, turns: int) -> int:
    """The calls of the second run of a spec with so many turns."""
    path = folder / f"adder{turns}.yaml"
    path.write_text(SPEC.format(turns="\n".join(TURN.format(number=each) for each in range(turns))), encoding="utf-8")
    spec, made = load(path), 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal made
        made += event == "call" and not frame.f_code.co_filename.endswith(SCRIPT)

    async with workspace():
        assert (await run(spec)).status == "done"
        sys.setprofile(count)
        try:
            await run(spec)
        finally:
            sys.setprofile(None)
    return made


async def test_a_turn_of_a_run_costs_few_calls_and_a_late_one_as_many_as_an_early_one(tmp_path: Path) -> None:
    short, middle, long = [await calls_of(tmp_path, turns) for turns in (5, 15, 25)]

    early, late = (middle - short) / 10, (long - middle) / 10

    assert late <= early + 2
    assert early <= CALLS
