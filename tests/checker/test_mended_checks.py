"""What is fixed checks: every fix of every example leaves its file with fewer findings, none of them new, and stays."""

from __future__ import annotations

import inspect
import random
import re
from pathlib import Path

import pytest

from agentspec.checker.check import check_paths
from agentspec.checker.discover import all_rules
from agentspec.checker.fixes import ALLOWED
from agentspec.checker.mend import mend_paths
from agentspec.checker.report import Report
from tests.checker.test_peers import ROWS as PEERS
from tests.checker.test_peers import unmarked
from tests.checker.test_tricky_inputs import ROWS as TRICKY
from tests.sample import fast_first

BAD = re.compile(r"^Bad:\n\n```(yaml|json|agent)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {
    **{
        code: (f"a.{language}", text)
        for code, rule in all_rules().items()
        for language, text in BAD.findall(inspect.getdoc(rule) or "")
    },
    **{row.defect: (row.file, unmarked(row)[0]) for row in PEERS},
    **{row.what: (row.file, row.text) for row in TRICKY},
}

PARTS = 4  # of the examples, the first of which the fast part looks at


def badness(report: Report) -> tuple[int, int, int]:
    return report.count("error"), report.count("warning"), len(report.diagnostics) + report.hidden


def counted(report: Report) -> dict[str, int]:
    codes = [one.code for one in report.diagnostics]
    return {code: codes.count(code) for code in codes}


@pytest.mark.parametrize("part", fast_first(range(PARTS)))
def test_a_mended_example_has_fewer_findings_and_no_new_ones(tmp_path: Path, part: int):
    for what in [*EXAMPLES][part::PARTS]:
        name, text = EXAMPLES[what]
        folder = tmp_path / re.sub(r"\W+", "-", what)
        folder.mkdir()

        require_mended(folder / name, text)


def require_mended(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
    before = check_paths([path])
    reach = "surface" if any(one.fix and not one.fix.is_safe for one in before.diagnostics) else "safe"

    if all(one.fix is None for one in before.diagnostics):
        return  # nothing to mend

    mended = mend_paths([path], ALLOWED[reach])

    after = check_paths([path])
    assert after.diagnostics == mended.report.diagnostics or counted(after) == counted(mended.report)
    assert after.count("error") <= before.count("error")
    if mended.applied:
        assert badness(after) < badness(before)
    else:
        assert path.read_bytes() == text.encode()
    assert mend_paths([path], ALLOWED[reach]).applied == 0


@pytest.mark.slow
def test_most_of_the_examples_that_have_a_safe_fix_are_mended_whole(tmp_path: Path):
    left = []
    fixable = 0
    for what, (name, text) in EXAMPLES.items():
        path = tmp_path / name
        path.write_bytes(text.encode())
        found = [one for one in check_paths([path]).diagnostics if one.severity == "error"]
        if found and all(one.fix is not None and one.fix.is_safe for one in found):
            fixable += 1
            if mend_paths([path], ALLOWED["safe"]).report.count("error"):
                left.append(what)

    assert fixable > 50
    assert left == []


SPECS = [path for path in sorted((Path(__file__).parents[2] / "examples").rglob("*.yaml")) if "script" not in path.stem]


@pytest.mark.parametrize("seed", range(12))
def test_specs_with_several_slips_check_after_the_fixes(tmp_path: Path, seed: int):
    draw = random.Random(seed)
    original = draw.choice(SPECS)
    for script in original.parent.glob("script*.yaml"):
        (tmp_path / script.name).write_bytes(script.read_bytes())
    path = tmp_path / original.name
    lines = original.read_text().splitlines(keepends=True)
    keys = [number for number, line in enumerate(lines) if re.match(r"\s*[a-z_]{6,}:", line)]
    for number in draw.sample(keys, min(4, len(keys))):
        start = re.match(r"\s*", lines[number]).end()
        lines[number] = lines[number][: start + 2] + lines[number][start + 3 :]
    path.write_text("".join(lines))
    before = check_paths([path])

    mended = mend_paths([path], ALLOWED["safe"])

    assert before.count("error") > 0
    assert mended.report.count("error") < before.count("error")
    assert [one.code for one in mended.report.diagnostics if one.fix is not None and one.fix.is_safe] == []
