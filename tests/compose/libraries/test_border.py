"""No path leads into a library from outside of it: what it exports is extended by name, and its ceiling binds."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.compose.load import load

MANIFEST = "library: platform\nversion: 1.4.2\nexports: {presets: [safe]}\nceiling: {limits: {tokens: 100}}\n"
INTO = {
    "what it keeps to itself": "./platform/presets/base.yaml",
    "what it exports": "./platform/presets/safe.yaml",
    "a document of a file": "./platform/presets/safe.yaml#safe",
    "the file of its manifest": "./platform/library.yaml#own",
    "its full path": "{here}/platform/presets/safe.yaml",
    "a link to its folder": "./link/presets/safe.yaml",
    "a link to its file": "./safe.yaml",
    "a folder of a library in it": "./platform/inner/presets/x.yaml",
    "a kept copy": "./{kept}/presets/safe.yaml",
}


@pytest.fixture
def nested(project):
    """A project with a library, in which another one lies."""
    project.put("platform/library.yaml", f"{MANIFEST}---\npreset: own\n")
    project.put("platform/inner/library.yaml", MANIFEST.replace("platform", "inner").replace("safe", "x"))
    project.put("platform/inner/presets/x.yaml", "preset: x\n")
    Path("link").symlink_to("platform")
    return project


@pytest.mark.parametrize("path", INTO.values(), ids=INTO)
def test_no_path_leads_into_a_library(nested, path) -> None:
    kept = next(Path(".agentspec/libraries").iterdir())
    Path("safe.yaml").symlink_to("platform/presets/safe.yaml")
    nested.put("t.yaml", f"name: t\nextends: {path.format(here=nested.path, kept=kept)}\n")

    found = load("t.yaml").diagnostics

    assert [each.code for each in found] == ["AS462"]
    assert found[0].message.endswith(", past its exports and its ceiling")


def test_a_library_needs_the_one_in_its_folder_by_name(nested) -> None:
    nested.put("platform/presets/safe.yaml", "preset: safe\nextends: ../inner/presets/x.yaml\n")

    found = next(each for each in load("triage.yaml").diagnostics if each.code == "AS462")

    assert found.help == (
        'write `requires: {libraries: {inner: {source: ./inner, version: "^1.4.2"}}}`, and extend `inner.NAME`'
    )


WITHIN = {
    "a file of the library itself": ("platform/specs/t.yaml", "../presets/safe.yaml"),
    "a file of the project": ("specs/t.yaml", "../house/safe.yaml"),
    "a folder whose `library.yaml` is no manifest": ("t.yaml", "./house/safe.yaml"),
}


@pytest.mark.parametrize(("spec", "path"), WITHIN.values(), ids=WITHIN)
def test_paths_that_cross_no_border_are_followed(nested, spec, path) -> None:
    nested.put("house/safe.yaml", "preset: safe\n")
    nested.put("house/library.yaml", "name: library\ntask: hi\n")
    nested.put(spec, f"name: t\nextends: {path}\n")

    assert load(spec).diagnostics == []
