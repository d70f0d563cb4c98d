"""junit: played scenarios as a report that CI systems read.

Source: the format of Apache Ant's JUnit task, as CI systems read it: suites, cases, failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from agentspec.api.scenarios.play import Played
from agentspec.errors import NotAllowed
from agentspec.text.visible import visible


def write_junit(path: Path, played: Sequence[Played]) -> None:
    """Write the report, a suite a file. Raises `NotAllowed` where it can't be written."""
    try:
        path.write_text("\n".join(_report(played)) + "\n", encoding="utf-8")
    except OSError as error:
        raise NotAllowed(f"can't write `{path}`: {error.strerror}") from None


def _report(played: Sequence[Played]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites {_counts(played)}>"
    for path, group in groupby(played, key=lambda one: one.scenario.path):
        cases = list(group)
        yield f"  <testsuite name={_quoted(str(path))} {_counts(cases)}>"
        for case in cases:
            yield from _case(case, str(path))
        yield "  </testsuite>"
    yield "</testsuites>"


def _counts(played: Sequence[Played]) -> str:
    failed = sum(not one.has_passed for one in played)
    return f'tests="{len(played)}" failures="{failed}" time="{sum(one.seconds for one in played):.3f}"'


def _case(played: Played, path: str) -> Iterator[str]:
    name, time = _quoted(played.scenario.title), f"{played.seconds:.3f}"
    head = f'    <testcase name={name} classname={_quoted(path)} time="{time}"'
    if played.has_passed:
        yield f"{head}/>"
        return
    lines = played.reasons()
    yield f"{head}>"
    yield f"      <failure message={_quoted(lines[0])}>{_text(lines)}</failure>"
    yield "    </testcase>"


def _quoted(text: str) -> str:
    return quoteattr(visible(text))


def _text(lines: Sequence[str]) -> str:
    return escape("\n".join(visible(line) for line in lines))
