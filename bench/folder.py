"""folder: what `agentspec check` of a whole folder costs a file: of files that it sees for the first time, and again.

`python bench/folder.py [--files=1000]` prints one JSON object: CPU milliseconds a file of the whole process, and the
same of a process that does nothing, which is not taken off.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
SPEC = """\
name: audit-{number}
description: Read-only audit number {number} of a release branch
extends: audit
inputs:
  branch: {{type: string, default: main}}
model:
  provider: openai
  model: gpt-5.4-mini
execution:
  iteration_budget: {{mode: adaptive, initial: 4, max: 12, extend_by: 2}}
  loop_control:
    - when: completion.vetoed
      extend: 2
      reason: completion gate vetoed
    - when: progress.turns_since_progressing > {number}
      stop: incomplete
      reason: nothing new for a while
  limits: {{tool_calls: 40, wall_clock: 20m}}
  require_successful_tools: [read_file, [search_files, list_directory]]
context:
  system: |
    You audit the branch ${{inputs.branch}}, part {number}. You never edit.
capability:
  toolkits: [files.read]
  tools:
"""
TOOL = """\
    tool_{number}_{index}:
      description: Adds the number {index} to what it is given
      parameters: {{lhs: number, rhs: number}}
      returns: number
      expr: args.lhs * {index}.0 + args.rhs
"""
TOOLS = 35  # 25 lines and five a tool: 200


def main() -> None:
    """Write the folder, check it twice, print what each check cost a file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=1000)
    count = parser.parse_args().files
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agentspec.toml").write_text("[check]\nstrict = false\n", encoding="utf-8")
        for number in range(count):
            tools = "".join(TOOL.format(number=number, index=index) for index in range(TOOLS))
            (folder / f"audit-{number}.yaml").write_text(SPEC.format(number=number) + tools, encoding="utf-8")
        first, again = cpu_of(folder), cpu_of(folder)
        (folder / "audit-0.yaml").write_text("name: audit-0\n", encoding="utf-8")
        one_changed = cpu_of(folder)
    figures = {
        "files": count,
        "first_ms_per_file": first / count,
        "unchanged_ms_per_file": again / count,
        "one_changed_ms_per_file": one_changed / count,
    }
    sys.stdout.write(json.dumps({name: round(value, 3) for name, value in figures.items()}) + "\n")


def cpu_of(folder: Path) -> float:
    """The CPU time of one check of a folder, in milliseconds, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-m", "agentspec", "check", str(folder), "--format", "json"]
    done = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stdout[-3000:] + done.stderr)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


if __name__ == "__main__":
    main()
