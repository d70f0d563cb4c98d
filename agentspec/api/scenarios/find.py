"""find: find the scenarios that paths stand for, each with what is wrong with it. Nothing is played."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.api.scenarios.exported import retargeted
from agentspec.checker.check import check_found
from agentspec.checker.walk import Found as Walked
from agentspec.checker.walk import find_specs
from agentspec.compose.documents import kind_of, looks_like_file, name_of
from agentspec.compose.files import Files
from agentspec.syntax.tree import Node, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Span

OUTDATED = ("AS204", "AS601")  # a word or a tool that is not there any more
NAMED = ".scenario."  # in the name of a file: it means to hold one


class ScenarioFound(NamedTuple):
    """One scenario: where it stands, what it says, and why it can't be played, where it can't."""

    path: Path
    line: int
    title: str
    values: Mapping[str, Any]
    root: Node | None
    problem: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.path}:{self.line}"

    @property
    def spec(self) -> str:
        """The spec that it tries, as a path or `FILE#NAME`."""
        target = str(self.values.get("for") or "")
        return os.path.join(self.path.parent, target) if looks_like_file(target) else f"{self.path}#{target}"  # noqa: PTH118


class Found(NamedTuple):
    """The scenarios in order of file and place, and the paths that do not exist."""

    scenarios: tuple[ScenarioFound, ...]
    missing: tuple[Path, ...]


def find_scenarios(
    paths: Iterable[Path], words: str = "", *, is_updated: bool = False, spec: str | None = None
) -> Found:
    """The scenarios of files and folders whose title or file has `words` in it; case does not matter.

    With `spec` they are for this one, whatever they say themselves. Where they are to be updated, an
    expectation that can't come true is no obstacle: it may be written anew.
    """
    found = find_specs(list(paths))
    named = (path for path in found.skipped if NAMED in path.name)
    files = sorted([*found.files, *named])
    scenarios = (one for file in files for one in _of_file(file, spec, is_updated=is_updated))
    wanted = words.lower()
    fitting = tuple(one for one in scenarios if wanted in one.title.lower() or wanted in str(one.path).lower())
    return Found(fitting, tuple(found.missing))


def _of_file(path: Path, spec: str | None, *, is_updated: bool) -> Iterator[ScenarioFound]:
    place, files = (str(path), Files()) if spec is None else retargeted(path, spec)
    parsed = files.read(place)
    scenarios = [document for document in parsed.documents if kind_of(document) == "scenario"]
    if not scenarios and NAMED in path.name:
        yield ScenarioFound(path, 1, path.name, {}, None, "it holds no scenario: none has the key `scenario`")
    if not scenarios:
        return
    walked = Walked([Path(place)], [], [], has_folder=False)  # a draft is on no disk
    errors = [one for one in check_found(walked, files=files).diagnostics if one.severity == "error"]
    if is_updated:
        errors = [one for one in errors if not (one.code in OUTDATED and one.path.startswith("expect."))]
    for document in scenarios:
        others = [each.span for each in parsed.documents if each is not document]
        own = [f"  {one}".replace(place, str(path)) for one in errors if not any(_holds(span, one) for span in others)]
        values = plain(document.root)
        title = name_of(document) or path.name
        line = document.span.first.line
        problem = "\n".join(["it does not check:", *own]) if own else ""
        yield ScenarioFound(path, line, title, values if isinstance(values, dict) else {}, document.root, problem)


def _holds(span: Span, finding: Diagnostic) -> bool:
    """Whether a finding stands in another document of the file."""
    return finding.span.source.name == span.source.name and span.start <= finding.span.start < span.end
