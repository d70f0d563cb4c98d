"""Odd manifests, locks and words: each is told by name, and nothing is raised."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.api.libraries.lock import lock_libraries, verify_libraries
from agentspec.checker.check import check_paths

MANIFEST = "library: platform\nversion: 1.4.0\nexports: {presets: [safe]}\n"
SPEC = 'name: t\nuse: {platform: {source: ./platform, version: "^1"}}\nextends: platform.safe\n'
FILES = {
    "platform/library.yaml": MANIFEST,
    "platform/presets/safe.yaml": "preset: safe\nexecution: {max_nudges: 2}\n",
    "t.yaml": SPEC,
    "agentspec.toml": "",
}
MANIFESTS, PRESET, SOURCE = "platform/library.yaml", "platform/presets/safe.yaml", "./platform"
# Each: a file and its text, the codes of a check before anything is locked, and those of the lock.
ODD: dict[str, tuple[str, str, str, str]] = {
    "a list of libraries": ("t.yaml", SPEC.replace("{platform: {", "[{").replace("}}", "}]"), "AS201 AS401", ""),
    "a number for a library": ("t.yaml", "name: t\nuse: {platform: 3}\nextends: platform.safe\n", "AS201 AS401", ""),
    "a number for a source": ("t.yaml", SPEC.replace(SOURCE, "3"), "AS209 AS401", ""),
    "an empty source": ("t.yaml", SPEC.replace(SOURCE, "''"), "AS206 AS401", ""),
    "a source with a NUL": ("t.yaml", SPEC.replace(SOURCE, '"a\\0b"'), "AS459", "AS459"),
    "a source with a slot": ("t.yaml", SPEC.replace(SOURCE, '"${env.X}"'), "AS459", "AS459"),
    "a source that is a file": ("t.yaml", SPEC.replace(SOURCE, "./t.yaml"), "AS442", "AS442"),
    "a source without a library": ("t.yaml", SPEC.replace(SOURCE, "."), "AS442", "AS442"),
    "a range that is none": ("t.yaml", SPEC.replace('"^1"', "latest"), "AS207 AS440", ""),
    "a manifest that is broken": (MANIFESTS, "library: [\n", "AS012 AS442", "AS442"),
    "a manifest that is a list": (MANIFESTS, "- 1\n", "AS442", "AS442"),
    "a manifest that is empty": (MANIFESTS, "", "AS442", "AS442"),
    "a manifest without a version": (MANIFESTS, "library: platform\n", "AS101 AS442", "AS442"),
    "a version that is none": (MANIFESTS, MANIFEST.replace("1.4.0", "v1"), "AS207 AS442", "AS442"),
    "a name that leads out": (MANIFESTS, MANIFEST.replace("platform", '"../../up"'), "AS107 AS442", "AS442"),
    "exports that lead out": (MANIFESTS, MANIFEST.replace("safe", '"../../x", "a/b"'), "AS107 AS440 AS445", "AS107"),
    "two manifests": ("platform/library.agent", 'library platform "1.4.0" {}\n', "AS442", "AS442"),
    "a library that needs itself": (
        MANIFESTS,
        MANIFEST + 'requires: {libraries: {platform: "^1"}}\n',
        "AS440",
        "AS450",
    ),
    "a need without a place": (MANIFESTS, MANIFEST + 'requires: {libraries: {base: "1"}}\n', "AS440", "AS442"),
    "a need from nowhere": (
        MANIFESTS,
        MANIFEST + 'requires: {libraries: {base: {source: "svn://x", version: "1"}}}\n',
        "AS440",
        "AS459",
    ),
    "a preset that is broken": (PRESET, "preset: safe\nexecution: {", "AS012 AS404 AS440", "AS404"),
    "a preset of another name": (PRESET, "preset: other\n", "AS440 AS447", "AS447"),
    "an agent for a preset": (PRESET, "name: safe\n", "AS440 AS447", "AS447"),
    "two presets of one name": ("platform/tools/safe.yaml", "preset: safe\n", "AS440 AS446", "AS446"),
    "a text with secrets": (PRESET, "preset: safe\ncontext: {system: {file: .env}}\n", "AS440 AS454", "AS454"),
    "a text of credentials": (
        PRESET,
        "preset: safe\ncontext: {system: {file: credentials.json}}\n",
        "AS440 AS442",
        "AS442",
    ),
    "no export of that name": ("t.yaml", SPEC.replace("platform.safe", "'platform.'"), "AS440 AS445", ""),
    "a lock that is none": ("agentspec.lock", "\0\1", "AS441", ""),
    "a lock of something else": ("agentspec.lock", "version = 1\nlibrary = 3\n# end\n", "AS441", ""),
    "a lock of a strange block": ("agentspec.lock", "version = 1\nlibrary = [1]\n# end\n", "AS441", ""),
}


def codes(found) -> str:
    return " ".join(sorted({each.code for each in found if each.code != "AS027"}))


@pytest.mark.parametrize(("name", "text", "checked", "locked"), ODD.values(), ids=ODD)
def test_what_is_odd_is_told(tmp_path, monkeypatch, name, text, checked, locked) -> None:
    monkeypatch.chdir(tmp_path)
    for file, content in {**FILES, name: text}.items():
        place = Path(file)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)

    found = codes(check_paths([Path()]).diagnostics), codes(lock_libraries(Path()).findings)

    assert found == (checked, locked)
    assert codes(verify_libraries(Path())) in ("", "AS440")


def test_a_library_that_is_not_there_is_told_by_verify(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file, content in FILES.items():
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(content)
    lock_libraries(Path())

    Path("platform").rename("elsewhere")

    assert [(each.code, each.message) for each in verify_libraries(Path())] == [
        ("AS442", "`platform` is not there: no folder `platform`")
    ]
