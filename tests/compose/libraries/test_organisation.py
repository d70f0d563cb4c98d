"""What `[libraries] organisation` says counts however it is spelt, and what no library is of is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.compose.files import Files
from agentspec.compose.libraries.manifest import Manifest, read_manifest
from agentspec.compose.libraries.opened import Library
from agentspec.compose.libraries.organisation import is_own
from agentspec.compose.libraries.source import read_source

GIT = "git+https://git.example.org/house.git"
SAME = [
    ("./platform", "platform"),
    ("./platform", "./platform"),
    ("./platform", "platform/"),
    ("./platform", "a/../platform"),
    ("./platform", "{here}/platform"),
    ("./platform", "./*"),
    ("./platform", "*"),
    ("../house", "../*"),
    ("{here}/platform", "./platform"),
    (f"{GIT}@v1.0.0#libs/one", GIT),
    (f"{GIT}@v1.0.0", GIT.removeprefix("git+")),
    (GIT, "git+https://git.example.org/*"),
    ("installed:house", "installed:house"),
]
OTHER = [
    ("./platform", "nomatch"),
    ("./platform", "./platfrom"),
    ("./platform/inner", "./platform"),
    ("../house", "./*"),
    (GIT, "git+https://git.example.com/*"),
    (GIT, "git+https://git.example.org/"),
    ("installed:house", "house"),
]


@pytest.mark.parametrize(
    ("source", "pattern", "expected"), [(*each, True) for each in SAME] + [(*each, False) for each in OTHER]
)
def test_a_source_is_the_organisations_however_it_is_spelt(project, source, pattern, expected) -> None:
    here = str(project.path)
    project.put("agentspec.toml", f'[libraries]\norganisation = ["{pattern.format(here=here)}"]\n')
    manifest, read = read_manifest("platform", Files()), read_source(source.format(here=here), ".", ".")
    assert isinstance(manifest, Manifest)
    assert not isinstance(read, str)

    assert is_own(Library("platform", manifest, read, Path(here))) is expected


def test_a_pattern_that_no_library_is_of_is_told_at_its_place(project) -> None:
    project.put("agentspec.toml", '[libraries]\norganisation = ["./platform", "platfrom"]\n')

    [found] = project.checked()
    message = "`platfrom` is the organisation's, and no locked library comes from there; did you mean `platform`?"
    assert found == f"AS463 agentspec.toml:2:32 {message}"


def test_nothing_is_told_where_nothing_is_locked(project) -> None:
    project.put("agentspec.toml", '[libraries]\norganisation = ["nomatch"]\n')
    (project.path / "agentspec.lock").unlink()

    assert not [found for found in project.checked() if found.startswith("AS463")]
