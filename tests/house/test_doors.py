"""What is public: three modules whose names are promised, documented, described and tried."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentspec import ports

ROOT = Path(__file__).parents[2]
DOORS = ("agentspec", "agentspec.ports", "agentspec.testing")
PAGE = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
NAMES = [(door, name) for door in DOORS for name in importlib.import_module(door).__all__]
# What an error or a Protocol is needs no example of its own: the root of the tree and the adapters' tests have them.
WITHOUT_EXAMPLE = {"agentspec.ports"}


def documented(door: str) -> set[str]:
    """The names of the first column of a door's table."""
    part = PAGE.split(f"### {door}\n")[1].split("###")[0]
    return {name for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


def public(door: str, name: str) -> object:
    return getattr(importlib.import_module(door), name)


def members(thing: object) -> dict[str, object]:
    """The public functions and properties that a class of ours defines itself."""
    if not inspect.isclass(thing):
        return {}
    return {
        name: member
        for name, member in vars(thing).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    }


OF_PORTS = {member for name in ports.__all__ for member in members(getattr(ports, name))}  # described there, once


@pytest.mark.parametrize("door", DOORS)
def test_a_door_opens_to_the_documented_names_only(door: str) -> None:
    names = importlib.import_module(door).__all__

    assert set(names) == documented(door)
    assert list(names) == sorted(names, key=str)


@pytest.fixture(scope="module")
def examples(tmp_path_factory) -> Path:
    """A folder with the examples in it, which those of the docstrings use."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns(".agentspec"))
    return folder


@pytest.mark.parametrize(("door", "name"), NAMES)
def test_a_public_name_and_all_it_offers_say_what_they_are(door: str, name: str) -> None:
    thing = public(door, name)

    silent = [name] if not vars(thing).get("__doc__") and not inspect.isfunction(thing) else []
    told = OF_PORTS if door == "agentspec.testing" else set()
    silent += [member for member, found in members(thing).items() if not inspect.getdoc(found) and member not in told]

    assert silent == []
    assert inspect.getdoc(thing)


@pytest.mark.parametrize(("door", "name"), NAMES)
def test_the_examples_of_a_public_name_run(door: str, name: str, examples: Path, monkeypatch) -> None:
    thing = public(door, name)
    monkeypatch.chdir(examples)
    names = dict(vars(inspect.getmodule(thing) or object()))
    tests = doctest.DocTestFinder(exclude_empty=True).find(thing, name, globs=names)

    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        runner.run(test, out=report.write)

    assert report.getvalue() == ""
    is_error = inspect.isclass(thing) and issubclass(thing, Exception)
    assert runner.summarize(verbose=False).attempted or door in WITHOUT_EXAMPLE or is_error, "it has no example"


def test_importing_the_package_loads_nothing_else() -> None:
    program = "import sys; before = set(sys.modules); import agentspec; print(sorted(set(sys.modules) - before))"

    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    ours = [name for name in eval(loaded) if name.split(".")[0] not in sys.stdlib_module_names]
    assert ours == ["agentspec"]


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    agentspec = importlib.import_module("agentspec")

    with pytest.raises(AttributeError, match="has no attribute `runn`"):
        agentspec.runn  # noqa: B018 - the access is the test
