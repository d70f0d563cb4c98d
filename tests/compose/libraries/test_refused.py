"""What no check would take is not locked: it is told by `lib lock` and `lib upgrade` as by a check."""

from __future__ import annotations

import pytest

USE = "triage.yaml:2:26"
MANIFEST = "library: platform\nversion: 1.4.2\nexports: {presets: [safe]}\n"
NEEDS_BASE = MANIFEST + "requires: {libraries: {base: {source: ../base}}}\n"
BASE = "library: base\nversion: 1.0.0\nrequires: {libraries: {platform: '1'}}\n"
REFUSED = {
    "yanked": (
        {"platform/library.yaml": MANIFEST + "yanked: no ceiling\n"},
        f"AS453 {USE} `platform` 1.4.2 is yanked: no ceiling (its manifest says so: platform/library.yaml:4:9)",
    ),
    "for another agentspec": (
        {"platform/library.yaml": MANIFEST + "requires: {agentspec: '^9'}\n"},
        f"AS448 {USE} `platform` needs agentspec `^9`, and this is 0.1.0 (it says so here: platform/library.yaml:4:23)",
    ),
    "in a circle": (
        {"platform/library.yaml": NEEDS_BASE, "base/library.yaml": BASE},
        f"AS450 {USE} libraries need each other in a circle: `platform` → `base` → `platform`",
    ),
    "with a path out of it": (
        {"secret.yaml": "preset: secret\n", "platform/presets/safe.yaml": "preset: safe\nextends: ../../secret.yaml\n"},
        (
            "AS454 triage.yaml:3:10 `../secret.yaml` leads out of the library `platform` "
            "(this is inherited: platform/presets/safe.yaml:2:10)"
        ),
    ),
}


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(("files", "finding"), REFUSED.values(), ids=REFUSED)
def test_what_no_check_would_take_is_not_locked_and_told_at_the_same_place(project, files, finding, is_known) -> None:
    lock = project.path / "agentspec.lock"
    before = lock.read_text()
    for name, text in files.items():
        project.put(name, text)
    if not is_known:
        lock.unlink()

    told = project.lock(accept_changed=True)
    upgraded = project.upgrade() if is_known else [finding]

    assert [each for each in told if "triage.yaml" in each.partition("(")[0]] == [finding]
    assert finding in upgraded
    assert lock.exists() == is_known
    assert not is_known or lock.read_text() == before
    assert finding in project.checked() or not is_known


def test_a_deprecated_library_is_locked_and_told(project) -> None:
    project.put("platform/library.yaml", f"{MANIFEST}deprecated: use `guard`\n")

    assert project.lock() == []
    assert project.findings() == [
        f"AS452 {USE} `platform` 1.4.2 is deprecated: use `guard` (its manifest says so: platform/library.yaml:4:13)"
    ]


def test_a_manifest_with_errors_is_not_locked(project) -> None:
    project.put("platform/library.yaml", f"{MANIFEST}ceilling: {{effects: [none]}}\n")

    assert project.lock() == ["AS102 platform/library.yaml:4:1 unknown key `ceilling` in a library"]


def test_both_sides_of_a_merge_are_remembered_when_it_is_locked_anew(project) -> None:
    lock = project.path / "agentspec.lock"
    ours = lock.read_text()
    project.put("platform/library.yaml", MANIFEST.replace("1.4.2", "1.5.0"))
    project.lock()
    theirs = lock.read_text()
    lock.write_text(f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> theirs\n")
    project.put("platform/presets/safe.yaml", "preset: safe\n")

    assert [found.partition(" means")[0] for found in project.lock()] == ["AS444 agentspec.lock:1:1 `platform` 1.5.0"]
    assert [found.partition(": it")[2] for found in project.lock(is_frozen=True)] == [" holds the marks of a merge"]
