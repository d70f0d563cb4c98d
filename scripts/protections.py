"""protections: write `docs/protections.md`, what the protections of a loop do for models with known bad habits.

`python scripts/protections.py` writes it; a test compares what stands there with what this would write.
"""

from __future__ import annotations

from pathlib import Path

from agentspec.testing.weak import HABITS, LONGEST, SETTINGS, Row, rows

PAGE = Path(__file__).parents[1] / "docs" / "protections.md"
SEEDS = 30

HEAD = f"""# What the protections of a loop do

<!-- Written by scripts/protections.py: change what it reads, not this page. -->

A small model repeats itself, answers nothing, announces what it does not do, or says that it is done when it is
not. This page shows what becomes of such models in a loop (`loop_until_done`, at most {LONGEST} turns): simulated
ones (`agentspec/testing/weak.py`), each with one bad habit and {SEEDS} seeds, whose task needs five calls and then
an answer. A model that is told something listens three times out of five, so none of this is a promise about a real
one; the point is the comparison of the lines of one habit.

- **done**: runs that ended as `done` with the work done. **untrue**: runs that ended as `done` without it. All
  other runs said that they did not get there, and why.
- **turns** and **tokens**: the mean of a run, whatever its end.

The settings: *as it comes* is every protection with its defaults (`max_nudges: 8`); `stall` sees repetition,
`recover` sees calls that are only spoken of, nudges ask for more after a reply that neither acts nor finishes, and
ask once about an answer that was given without a call. The last line of each habit requires the tool that the task
needs (`require_successful_tools`): what only a gate can know, no watching of the loop can replace.
"""
TAIL = """## What it costs, and where

- A model without a bad habit, and one that asks for a status that changes, are left alone: their lines are the same
  under every setting.
- Repetition ends a run after about seven turns that would have gone on to its limit. The price is paid by a model
  that asks for the same thing again and again between steps that do get it further: some of its runs end as `stuck`
  that would have arrived. `stall: {exempt_tools: [...]}` or a higher `threshold` is for those.
- Without nudges an empty reply ends the run at once; without `recover` a call that was only announced is taken for
  the answer.
"""


def page(seeds: int = SEEDS) -> str:
    """The whole page."""
    found: dict[str, dict[str, Row]] = {habit.name: {} for habit in HABITS}
    for habit, setting, row in rows(seeds):
        found[habit.name][setting] = row
    return "\n".join([HEAD, *(_section(habit.title, found[habit.name]) for habit in HABITS), TAIL])


def _section(title: str, by_setting: dict[str, Row]) -> str:
    lines = [f"## It {title}", "", "| | done | untrue | turns | tokens |", "| --- | --- | --- | --- | --- |"]
    for name in SETTINGS:
        row = by_setting[name]
        lines.append(f"| {name} | {row.done} % | {row.lies} % | {row.turns} | {row.tokens} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
