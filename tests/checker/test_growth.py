"""Twice the text costs about twice the work: counted in executed lines of agentspec, so that no clock is asked."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from agentspec.checker.check import check_paths
from agentspec.checker.fixes import ALLOWED, apply, choose
from agentspec.checker.formats import github, sarif, text
from agentspec.checker.formats import json as json_format
from agentspec.checker.report import Report
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.render import excerpt_of
from agentspec.text.source import Source, Span

HOUSE = str(Path(__file__).parents[2] / "agentspec")
MOST = 2.6
LINES = 120


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of agentspec one piece of work executes, those of its comprehensions included."""
    count = 0

    def local(frame: FrameType, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return local

    def trace(frame: FrameType, event: str, argument: object) -> object:
        return local if frame.f_code.co_filename.startswith(HOUSE) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


TEXTS: dict[str, Callable[[int], str]] = {
    "unknown keys.yaml": lambda n: "name: a\nmodel:\n" + "".join(f"  kqz{i}: 1\n" for i in range(4 * n)),
    "slips of one key.yaml": lambda n: "name: a\nexecution:\n" + "".join(f"  max_nudg{i}: 1\n" for i in range(4 * n)),
    "unknown keys.agent": lambda n: "agent a { model {\n" + "".join(f"  kqz{i}: 1\n" for i in range(4 * n)) + "}}\n",
    "one line.yaml": lambda n: "{name: a, model: {" + ", ".join(f"kqz{i}: 1" for i in range(4 * n)) + "}}\n",
    "duplicates.yaml": lambda n: "name: a\nmodel:\n" + "  seed: 1\n" * n,
    "open slots.yaml": lambda n: "name: a\ncontext:\n  system: '" + "${" * 20 * n + "'\n",
    "open slots in lines.yaml": lambda n: "name: a\ncontext:\n  system: |\n" + "    ${ a\n" * n,
    "slots.yaml": lambda n: "name: a\ncontext:\n  system: '" + "${inputs.x} {{inputs.y}} " * n + "'\n",
    "unknown tools.yaml": lambda n: (
        "name: a\nexecution:\n  require_successful_tools: [" + ", ".join(f"tool{i}" for i in range(n)) + "]\n"
    ),
    "tools.yaml": lambda n: (
        "name: a\ncapability:\n  tools:\n"
        + "".join(f"    t{i}: {{description: d, parameters: {{a: strng}}, run: [a]}}\n" for i in range(n))
    ),
    "rules.yaml": lambda n: (
        "name: a\nexecution:\n  loop_control:\n"
        + "".join(f"    - {{when: iteratoin > {n}{i}, stop: x}}\n" for i in range(n))
    ),
    "rules of their own.yaml": lambda n: (
        "name: a\nexecution:\n  loop_control:\n"
        + "".join(f"    - {{when: iteration == {n}{i}, stop: x}}\n" for i in range(n))
    ),
    "ignores.yaml": lambda n: (
        "name: a\nmodel:\n" + "".join(f"  kqz{i}: 1 # agentspec: ignore[AS102]\n" for i in range(4 * n))
    ),
    "ignores below each other.yaml": lambda n: "name: a\n" + "# agentspec: ignore[AS102]\n" * n + "model: {}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_a_check_grows_with_its_text(tmp_path, name):
    def work(size: int) -> int:
        path = tmp_path / f"{size}.{name}"
        path.write_text(TEXTS[name](size))
        return lines_run(lambda: check_paths([path]))

    work(1)  # what is read once for all
    assert work(2 * LINES) / work(LINES) < MOST


def report_of(size: int) -> Report:
    """A file in one line with many findings, each with a fix and another place."""
    source = Source("a.yaml", "ab: 'sk-x' " * size)
    found = [
        Diagnostic(
            f"AS1{number % 90:02}",
            "error",
            "wrong",
            Span(source, 11 * number, 11 * number + 2),
            fix=Fix("mend", (Edit(Span(source, 11 * number, 11 * number + 2), "cd"),)),
        )
        for number in range(size)
    ]
    return Report(found, ("a.yaml",))


@pytest.mark.parametrize("render", [text.render, json_format.render, sarif.render, github.render])
def test_a_report_grows_with_its_findings(render):
    small, large = report_of(LINES), report_of(2 * LINES)
    render(small)

    assert lines_run(lambda: render(large)) / lines_run(lambda: render(small)) < MOST


def test_choosing_and_applying_fixes_grows_with_them():
    def work(size: int) -> int:
        found = report_of(size).diagnostics
        source = found[0].span.source

        def mend() -> None:
            fixes = choose(found, ALLOWED["safe"], {"a.yaml"})
            assert apply(source.text, "a.yaml", fixes) == "cd: 'sk-x' " * size

        return lines_run(mend)

    assert work(2 * LINES) / work(LINES) < MOST


class Read(str):
    """A text that remembers the longest stretch that was taken of it."""

    __slots__ = ()
    longest = 0

    def __getitem__(self, at):
        if isinstance(at, slice):
            Read.longest = max(Read.longest, at.stop - at.start)
        return super().__getitem__(at)


def test_an_excerpt_never_reads_the_whole_of_a_long_line():
    source = Source("a.yaml", Read("x" * 100_000))

    excerpt_of(Span(source, 50_000, 50_005))

    assert 0 < Read.longest < 1000
