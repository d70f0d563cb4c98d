"""What a turn of a whole run costs the shell and the kernel together, in calls and not in seconds."""

from __future__ import annotations

from pathlib import Path

from agentspec import load, run
from agentspec.api.workspace import workspace
from tests.calls import counted

CALLS = 510
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
    spec = load(path)
    async with workspace():
        assert (await run(spec)).status == "done"
        with counted() as calls:
            await run(spec)
    return calls.made


async def test_a_turn_of_a_run_costs_few_calls_and_a_late_one_as_many_as_an_early_one(tmp_path: Path) -> None:
    short, middle, long = [await calls_of(tmp_path, turns) for turns in (5, 15, 25)]

    early, late = (middle - short) / 10, (long - middle) / 10

    assert late <= early + 2
    assert early <= CALLS
