"""All that lies in a library's folder is locked, or told: nothing in it can change unseen."""

from __future__ import annotations

import os

import pytest

USE = "triage.yaml:2:26"
LOOP = "`platform` cannot be read: `platform/x` cannot be read: too many levels of symbolic links"
SPECIAL = {
    "a link to itself": (lambda path: path.symlink_to("x"), LOOP),
    "a link to nothing": (
        lambda path: path.symlink_to("nowhere"),
        "`platform` cannot be read: no such file: `platform/x`",
    ),
    "a pipe": (os.mkfifo, "`platform` cannot be read: `platform/x` is not a plain file"),
}


@pytest.mark.parametrize(("make", "message"), SPECIAL.values(), ids=SPECIAL)
def test_what_cannot_be_read_is_told_at_its_place_before_and_after_a_lock(project, make, message) -> None:
    make(project.path / "platform/x")

    told = f"AS442 {USE} {message} (this file: platform/x:1:1)"
    assert project.findings() == [told]
    assert project.lock() == [told]


def test_a_name_that_no_lock_can_hold_is_told(project) -> None:
    (project.path / os.fsdecode(b"platform/\xff.md")).write_text("")

    told = f"AS442 {USE} `?.md` of `platform` has a name that is not UTF-8"
    assert project.findings() == [told]
    assert project.lock() == [told]


READS = {
    "a preset": "extends: ./.b.yaml\n",
    "a preset in a hidden folder": "extends: ./.more/b.yaml\n",
    "a preset in what Python makes": "extends: ./__pycache__/b.yaml\n",
    "a system text": "context: {system: {file: prompts/.tone.md}}\n",
    "a wording": "context: {prompts: {reply: {file: prompts/.tone.md}}}\n",
    "a skill": "capability: {skills: {s: skills/.s}}\n",
    "an agent": "capability: {tools: {ask: {description: Asks, agent: ./.agent.yaml}}}\n",
}


@pytest.mark.parametrize("text", READS.values(), ids=READS)
def test_nothing_is_read_of_a_library_that_is_not_locked(project, text) -> None:
    for name in (".b.yaml", ".more/b.yaml", "__pycache__/b.yaml"):
        project.put(f"platform/presets/{name}", "preset: b\n")
    project.put("platform/presets/.agent.yaml", "name: a\ntask: hi\n")
    project.put("platform/prompts/.tone.md", "Calm.\n")
    project.put("platform/skills/.s/SKILL.md", "---\nname: s\ndescription: S\n---\n")
    project.put("platform/presets/safe.yaml", f"preset: safe\n{text}")

    told = project.findings()

    assert [found for found in told if found.startswith("AS454") and "is hidden, and no part of the library" in found]
    assert [found.split()[0] for found in project.lock(accept_changed=True)] == ["AS454"]
