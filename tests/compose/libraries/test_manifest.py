"""What is missing in a manifest is told with what to write, and nothing is guessed of whoever uses the library."""

from __future__ import annotations

import pytest

MANIFESTS = {
    "no name": ("library: 3\nversion: 1.4.2\n", "does not say the name of the library: `library: NAME`"),
    "a name that leads out": (
        "library: ../x\nversion: 1.4.2\n",
        "does not say the name of the library: `library: NAME`",
    ),
    "no version": ("library: platform\n", "says no version: `version: 1.0.0`"),
    "a word for a version": (
        "library: platform\nversion: one\n",
        "says `one`, which is no version: `version: 1.0.0`",
    ),
    "a number for a version": (
        "library: platform\nversion: 1.4\n",
        "says `1.4`, which is no version: `version: 1.0.0`",
    ),
}


@pytest.mark.parametrize(("text", "words"), MANIFESTS.values(), ids=MANIFESTS)
def test_a_manifest_that_says_too_little_is_told_with_what_to_write(project, text, words) -> None:
    project.put("platform/library.yaml", text)
    project.put(
        "triage.yaml",
        'name: triage\nuse: {p: {source: ./platform, version: "^1.4"}}\nextends: p.safe\ntrust: [platform]\n',
    )
    told = [f"AS442 triage.yaml:2:19 `platform/library.yaml` {words}"]

    assert project.findings() == told
    assert project.lock() == told
