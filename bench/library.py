"""library: what a check costs of a library of 200 files, and of a spec that uses one: for the first time, and again.

`python bench/library.py [--files=200] [--rounds=5]` prints one JSON object: CPU seconds of the whole process, the
median of the rounds, and each as a ratio to the cold check of one file of 200 lines (N9).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from folder import SPEC, TOOL, TOOLS, cpu_of

PRESET = """\
preset: part-{number}
description: Part {number} of how agents work in this house
inputs:
  folder: {{type: string, default: .}}
execution:
  max_iterations: 8
  max_nudges: 2
  stall: {{threshold: 3}}
  limits: {{tool_calls: 20, wall_clock: 5m}}
capability:
  toolkits:
    - files.read: {{root: "${{inputs.folder}}"}}
  approval:
    rules:
      - {{effect: write, decision: ask, reason: a person decides}}
context:
  system: You work on part {number}, and name the file that you go by.
"""
MANIFEST = "library: house\nversion: 1.0.0\nexports:\n  presets: [{names}]\nceiling: {{limits: {{tokens: 200000}}}}\n"
USER = 'name: user\nuse: {house: {source: ./house, version: "^1"}}\nextends: [house.part-0, house.part-1]\n'


def main() -> None:
    """Write a library and a spec, check each as often as asked, print the medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        write(project, given.files)
        rounds = [measured(project) for _ in range(given.rounds)]
    medians = {key: statistics.median(each[key] for each in rounds) / 1000 for key in rounds[0]}
    one = medians["one_file"]
    figures = {"files": given.files, **medians, **{f"{key}_ratio": value / one for key, value in medians.items()}}
    sys.stdout.write(json.dumps({key: round(value, 3) for key, value in figures.items()}) + "\n")


def write(project: Path, count: int) -> None:
    """A library of that many files, a spec that uses it, and a spec of 200 lines beside them."""
    (project / "house" / "presets").mkdir(parents=True)
    names = ", ".join(f"part-{number}" for number in range(count - 1))
    (project / "house" / "library.yaml").write_text(MANIFEST.format(names=names), encoding="utf-8")
    for number in range(count - 1):
        place = project / "house" / "presets" / f"part-{number}.yaml"
        place.write_text(PRESET.format(number=number), encoding="utf-8")
    (project / "user.yaml").write_text(USER, encoding="utf-8")
    tools = "".join(TOOL.format(number=0, index=index) for index in range(TOOLS))
    (project / "one.yaml").write_text(SPEC.format(number=0) + tools, encoding="utf-8")
    if os.spawnlp(os.P_WAIT, sys.executable, sys.executable, "-m", "agentspec", "lib", "lock", str(project)):
        sys.exit("the library cannot be locked")


def measured(project: Path) -> dict[str, float]:
    """CPU milliseconds of each check; what is kept of earlier ones is thrown away first."""
    kept = project / ".agentspec" / "check.json"
    kept.unlink(missing_ok=True)
    found = {"library_first": cpu_of(project / "house"), "library_again": cpu_of(project / "house")}
    kept.unlink()
    found |= {"user_first": cpu_of(project / "user.yaml"), "user_again": cpu_of(project / "user.yaml")}
    kept.unlink(missing_ok=True)
    return {**found, "one_file": cpu_of(project / "one.yaml")}


if __name__ == "__main__":
    main()
