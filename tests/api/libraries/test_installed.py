"""Libraries that installed packages offer: found by their entry point, read without importing anything."""

from __future__ import annotations

import sys
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest

from agentspec.api.libraries.lock import list_libraries, lock_libraries, verify_libraries
from agentspec.compose.load import load
from agentspec.syntax.tree import plain

SPEC = 'name: a\nuse: {acme: {source: "installed:acme", version: "^2"}}\nextends: acme.safe\n'


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that offers a library, and ends the program when it is imported; gives the library's folder."""
    site = tmp_path / "site"
    folder = site / "acme_agents_of_test" / "house"
    (folder / "presets").mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise SystemExit('imported')\n")
    (folder / "library.yaml").write_text("library: acme\nversion: 2.1.0\nexports: {presets: [safe]}\n")
    (folder / "presets" / "safe.yaml").write_text("preset: safe\nexecution: {max_nudges: 4}\n")
    about = site / "acme_agents_of_test-2.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-agents-of-test\nVersion: 2.1.0\n")
    (about / "entry_points.txt").write_text("[agentspec.libraries]\nacme = acme_agents_of_test:house\n")
    monkeypatch.syspath_prepend(str(site))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    Path("a.yaml").write_text(SPEC)
    return folder


def test_an_installed_library_is_used_and_never_imported(package) -> None:
    assert lock_libraries(Path()).findings == []

    composed = load("a.yaml")

    assert [str(found) for found in composed.diagnostics] == []
    assert plain(composed.tree)["execution"]["max_nudges"] == 4
    assert [(each["version"], each["source"]) for each in list_libraries(Path())] == [("2.1.0", "installed:acme")]
    assert "acme_agents_of_test" not in sys.modules


def test_a_package_that_only_a_finder_of_an_editable_install_knows_is_found(package, tmp_path, monkeypatch) -> None:
    package.parent.rename(tmp_path / "sources")
    place = str(tmp_path / "sources")

    class Mapped:
        """As setuptools makes one for an editable install whose folder has another name than its package."""

        @staticmethod
        def find_spec(name, _path=None, _target=None):
            own = name == "acme_agents_of_test"
            return (
                spec_from_file_location(name, f"{place}/__init__.py", submodule_search_locations=[place])
                if own
                else None
            )

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Mapped])

    assert lock_libraries(Path()).findings == []
    assert [str(found) for found in load("a.yaml").diagnostics] == []
    assert "acme_agents_of_test" not in sys.modules


def test_another_version_of_the_package_is_told(package) -> None:
    lock_libraries(Path())
    (package / "library.yaml").write_text("library: acme\nversion: 2.2.0\nexports: {presets: [safe]}\n")

    assert [found.code for found in load("a.yaml").diagnostics] == ["AS443"]


def test_a_package_that_is_gone_is_told(package, monkeypatch) -> None:
    lock_libraries(Path())
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(package.parents[1])])

    assert [found.message for found in verify_libraries(Path())] == [
        "`acme` is not installed: no package offers the library `acme`"
    ]


def test_a_library_that_no_package_offers_is_told(package) -> None:
    Path("a.yaml").write_text(SPEC.replace("installed:acme", "installed:acne"))

    assert [found.message for found in lock_libraries(Path()).findings] == [
        "`acme` is not installed: no package offers the library `acne`"
    ]
