"""Versions are ordered as SemVer 11 says, and ranges admit what npm's do."""

from __future__ import annotations

import pytest

from agentspec import __version__
from agentspec.compose.libraries.versions import LANGUAGE, read_range, read_version

RANGES = {
    "^1.4": ("1.4.0 1.4.7 1.99.0", "1.3.9 2.0.0 1.5.0-beta 2.0.0-rc.1"),
    "^0.2.3": ("0.2.3 0.2.9", "0.2.2 0.3.0 1.0.0"),
    "^0.0.3": ("0.0.3", "0.0.4 0.0.2"),
    "^0": ("0.0.0 0.9.9", "1.0.0"),
    "~1.2.3": ("1.2.3 1.2.9", "1.2.2 1.3.0"),
    "~1": ("1.0.0 1.9.0", "2.0.0"),
    "1.2": ("1.2.0 1.2.9", "1.3.0 1.1.9"),
    "1.2.3": ("1.2.3", "1.2.4 1.2.2"),
    "=1": ("1.0.0 1.9.9", "2.0.0"),
    ">1.2": ("1.3.0", "1.2.9"),
    "<=1.2": ("1.2.9", "1.3.0"),
    ">=1.4 <3": ("1.4.0 2.9.9", "1.3.0 3.0.0"),
    ">=1.4, <1.6": ("1.5.0", "1.6.0"),
    "^1.5.0-beta": ("1.5.0-beta 1.5.0-beta.2 1.5.0 1.6.0", "1.5.0-alpha 1.6.0-beta 2.0.0"),
    "*": ("0.0.0 7.1.0", "1.0.0-beta"),
    "nonsense": ("", "0.0.0 1.0.0"),
}


@pytest.mark.parametrize(("text", "admitted", "refused"), [(text, *both) for text, both in RANGES.items()])
def test_a_range_admits_what_it_says(text: str, admitted: str, refused: str) -> None:
    wanted = read_range(text)

    assert [each for each in admitted.split() if not wanted.admits(_version(each))] == []
    assert [each for each in refused.split() if wanted.admits(_version(each))] == []


def test_versions_are_ordered_as_semver_says() -> None:
    ordered = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1"

    assert [str(each) for each in sorted(map(_version, ordered.split()))] == ordered.split()
    assert _version("1.0.0+build.7") == _version("1.0.0")


@pytest.mark.parametrize("text", ["1.0", "01.0.0", "v1.0.0", "1.0.0.0", ""])
def test_what_is_no_version_is_none(text: str) -> None:
    assert read_version(text) is None


def test_the_language_has_the_version_of_the_program() -> None:
    assert __version__ == LANGUAGE


def _version(text: str):
    found = read_version(text)
    assert found is not None
    return found
