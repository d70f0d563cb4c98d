"""The manual page of each finding of composition: its examples give what they say, and it agrees with the code."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import shlex
import textwrap
from pathlib import Path

import pytest

from agentspec.api.libraries.lock import lock_libraries
from agentspec.checker.rule import Rule
from agentspec.checker.rules import as4_composition
from agentspec.compose.findings import SEVERITIES
from agentspec.compose.libraries.organisation import idle_patterns
from agentspec.compose.load import load, load_all, unset_inputs
from agentspec.compose.project import parse_settings, read_settings
from agentspec.text.source import Source

TRIAGE = """\
name: triage
inputs: {branch: string, retries: {type: integer, default: 1}}
model: {stop: [x]}
"""
LOCK = "$ agentspec lib lock"
TEAM = "agent triage {}\nagent other {}\n"


def pages() -> list[type[Rule]]:
    found = []
    for module in pkgutil.iter_modules(as4_composition.__path__, f"{as4_composition.__name__}."):
        members = vars(importlib.import_module(module.name)).values()
        found += [each for each in members if inspect.isclass(each) and issubclass(each, Rule) and each is not Rule]
    return sorted(found, key=lambda page: page.code)


PAGES = pages()
EXAMPLE = re.compile(r"(Bad|Good):\n\n```(\w+)\n(.*?)\n```", re.DOTALL)
EXAMPLES = [
    pytest.param(page.code, kind, language, text, id=f"{page.code}-{kind}")
    for page in PAGES
    for kind, language, text in EXAMPLE.findall(inspect.cleandoc(page.__doc__ or ""))
]


def test_each_code_has_one_page_with_its_severity() -> None:
    assert {page.code: page.severity for page in PAGES} == SEVERITIES


def test_each_page_has_both_examples_and_a_way_out() -> None:
    wrong = [
        page.code
        for page in PAGES
        if [kind for kind, _, _ in EXAMPLE.findall(inspect.cleandoc(page.__doc__ or ""))] != ["Bad", "Good"]
        or "Why: " not in (page.__doc__ or "")
        or "Fix: " not in (page.__doc__ or "")
    ]

    assert wrong == []


@pytest.mark.parametrize(("code", "kind", "language", "text"), EXAMPLES)
def test_the_bad_example_gives_this_finding_and_the_good_one_none(folder, code, kind, language, text) -> None:
    found = READERS[language](folder, text)

    assert found == ([code] if kind == "Bad" else [])


def from_spec(folder, text: str) -> list[str]:
    folder.write("example.yaml", text)
    parsed, composed = load_all("example.yaml")
    found = [*parsed.diagnostics, *(each for one in composed for each in one.diagnostics)]
    return sorted({each.code for each in found})


def from_settings(_folder, text: str) -> list[str]:
    return [each.code for each in parse_settings(Source("agentspec.toml", text)).findings]


def from_files(folder, text: str) -> list[str]:
    """Several files, each with its name on its first line and its text indented behind it; what locks stands between."""
    refused: list[str] = []
    for part in re.split(r"\n\n(?=\S)", text):
        if part == LOCK:
            refused = sorted({each.code for each in lock_libraries(Path()).findings if each.severity == "error"})
            continue
        name, rest = re.match(r"(\S+)\s+(.*)", part, re.DOTALL).groups()
        first, _, more = rest.partition("\n")
        folder.write(name, f"{first}\n{textwrap.dedent(more)}\n")
    name = "triage.yaml" if (folder.path / "triage.yaml").exists() else "library.yaml"
    found = [*load_all(name)[1][0].diagnostics, *idle_patterns(folder.path, read_settings(folder.path))]
    return refused or [each.code for each in found if each.caused_by is None]


def from_command(folder, text: str) -> list[str]:
    """`agentspec run SPEC [--set …] [--model …] [--input …]`."""
    folder.write("triage.yaml", TRIAGE)
    folder.write("team.agent", TEAM)
    _, _, path, *options = shlex.split(text)
    given = list(zip(options[::2], options[1::2], strict=True))
    named = {name: [value for option, value in given if option == f"--{name}"] for name in ("set", "model", "input")}
    composed = load(path, sets=named["set"], inputs=named["input"], model=(named["model"] or [None])[0])
    is_about_inputs = not given or named["input"] == ["branch=main"]
    missing = unset_inputs(composed) if is_about_inputs else []
    return [each.code for each in [*composed.diagnostics, *missing]]


READERS = {"yaml": from_spec, "toml": from_settings, "text": from_files, "sh": from_command}
