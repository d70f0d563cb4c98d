"""What a spec gets of a library that it uses, and what is told of one that is not as it should be."""

from __future__ import annotations

import pytest

from agentspec.compose.load import load
from agentspec.syntax.tree import plain

USE = "triage.yaml:2:26"
SAFE = "preset: safe\nextends: base\nexecution: {max_nudges: 2}\n"


def test_an_export_is_extended_with_what_it_keeps_to_itself(project) -> None:
    composed = load("triage.yaml")

    assert project.findings() == []
    assert [layer.name for layer in composed.layers] == [
        "profile:tool_using",
        "library:platform.base",
        "library:platform.safe",
        "spec",
    ]
    assert plain(composed.tree)["execution"] == {"max_iterations": 7, "max_nudges": 2}


def test_both_spellings_use_libraries_alike(project) -> None:
    project.put("platform/library.yaml", "")
    (project.path / "platform/library.yaml").unlink()
    project.put(
        "platform/library.agent",
        'library platform "1.4.2" { exports { presets: [safe] } }\n\npreset safe extends base { execution { max_nudges: 2 } }\n',
    )
    (project.path / "platform/presets/safe.yaml").unlink()
    project.put(
        "triage.agent",
        'agent triage extends platform.safe {\n  use { platform { source: "./platform"  version: "^1.4" } }\n}\n',
    )
    assert project.lock(accept_changed=True) == []

    assert project.findings("triage.agent") == []
    assert plain(load("triage.agent").tree)["execution"] == {"max_iterations": 7, "max_nudges": 2}


def test_what_is_not_exported_is_refused(project) -> None:
    project.put(
        "triage.yaml", 'name: triage\nuse: {p: {source: ./platform, version: "1"}}\nextends: [p.base, p.saef]\n'
    )

    assert project.findings() == [
        "AS445 triage.yaml:3:11 `platform` keeps `base` to itself (its manifest: platform/library.yaml:1:1)",
        (
            "AS445 triage.yaml:3:19 `platform` exports no `saef`; did you mean `safe`? "
            "(its manifest: platform/library.yaml:1:1)"
        ),
    ]


CHANGES = {
    "a comment": (
        {"platform/presets/safe.yaml": SAFE + "# more\n"},
        (
            f"AS443 {USE} `platform` is not what was locked as 1.4.2: `presets/safe.yaml` is changed "
            "(this file: platform/presets/safe.yaml:1:1)"
        ),
    ),
    "another meaning": (
        {"platform/presets/base.yaml": "preset: base\nexecution: {max_iterations: 8}\n"},
        (
            f"AS444 {USE} `safe` of `platform` means something else than was locked as 1.4.2 "
            "(this file: platform/presets/base.yaml:1:1)"
        ),
    ),
    "a new file": (
        {"platform/presets/more.yaml": "preset: more\n"},
        (
            f"AS443 {USE} `platform` is not what was locked as 1.4.2: `presets/more.yaml` is new "
            "(this file: platform/presets/more.yaml:1:1)"
        ),
    ),
    "a new version": (
        {"platform/library.yaml": "library: platform\nversion: 1.5.0\nexports: {presets: [safe]}\n"},
        (
            f"AS443 {USE} `platform` is not what was locked as 1.4.2: `library.yaml` is changed "
            "(this file: platform/library.yaml:1:1)"
        ),
    ),
}


@pytest.mark.parametrize(("files", "finding"), CHANGES.values(), ids=CHANGES)
def test_a_library_that_is_not_what_was_locked_is_told(project, files, finding) -> None:
    for name, text in files.items():
        project.put(name, text)

    assert project.findings() == [finding]


def test_a_file_that_is_missing_is_told(project) -> None:
    project.put("platform/notes.md", "x\n")
    project.lock()
    (project.path / "platform/notes.md").unlink()

    assert project.findings() == [
        (
            f"AS443 {USE} `platform` is not what was locked as 1.4.2: `notes.md` is missing "
            "(this file: platform/notes.md:1:1)"
        )
    ]


def test_another_spelling_of_the_same_is_another_text_and_no_other_meaning(project) -> None:
    project.put("platform/presets/safe.yaml", "# house\nexecution:\n  max_nudges: 2.0\nextends: [base]\npreset: safe\n")

    assert [found[:5] for found in project.findings()] == ["AS443"]


def test_without_a_lock_nothing_is_certain(project) -> None:
    (project.path / "agentspec.lock").unlink()

    assert project.findings() == [f"AS440 {USE} `platform` (`platform`) is not locked"]


LOCKS = {
    "torn": (lambda text: text[: len(text) // 2], "it is damaged"),
    "cut at a line": (lambda text: text.partition("# end")[0], "its end is missing"),
    "of a merge": (lambda text: "<<<<<<< HEAD\n" + text, "it holds the marks of a merge"),
    "newer": (
        lambda text: text.replace("version = 1\n", "version = 2\n", 1),
        "it is of version 2, and this agentspec reads 1: upgrade agentspec",
    ),
    "of another form": (lambda text: "kind = 1\n" + text, "it has no key `kind`"),
    "of another block": (
        lambda text: text.replace("digest = ", 'owner = "x"\ndigest = '),
        "what it says of `platform` was changed by hand, or is not all there",
    ),
    "changed by hand": (
        lambda text: text.replace('"presets/safe.yaml" = "', '"presets/safe.yaml" = "0'),
        "what it says of `platform` was changed by hand, or is not all there",
    ),
}


@pytest.mark.parametrize(("change", "reason"), LOCKS.values(), ids=LOCKS)
def test_a_lock_that_cannot_be_believed_is_refused(project, change, reason) -> None:
    lock = project.path / "agentspec.lock"
    lock.write_text(change(lock.read_text()))

    assert [found.partition(" (")[0] for found in project.findings()] == [
        f"AS441 {USE} cannot read `agentspec.lock`: {reason}"
    ]


def test_a_version_that_does_not_fit_is_told_at_the_range(project) -> None:
    project.put(
        "triage.yaml", 'name: triage\nuse: {platform: {source: ./platform, version: "^2"}}\nextends: platform.safe\n'
    )

    assert project.findings() == ["AS448 triage.yaml:2:47 `platform` is of version 1.4.2, and `^2` is asked for"]


def test_a_library_that_is_gone_is_told_once(project) -> None:
    (project.path / "platform").rename(project.path / "elsewhere")

    assert project.findings() == [f"AS442 {USE} `platform` is not there: no folder `platform`"]


def test_a_link_out_of_a_library_is_refused(project) -> None:
    project.put("secret.md", "x\n")
    (project.path / "platform/notes.md").symlink_to(project.path / "secret.md")
    (project.path / "platform/all").symlink_to(project.path)
    links = [
        f"AS454 {USE} `all` leads out of the library `platform` (this file: platform/all:1:1)",
        f"AS454 {USE} `notes.md` leads out of the library `platform` (this file: platform/notes.md:1:1)",
    ]

    assert project.findings() == links
    assert project.lock() == links


def test_the_ceiling_of_a_library_binds_what_extends_it(project) -> None:
    project.put(
        "platform/library.yaml",
        "library: platform\nversion: 1.4.3\nexports: {presets: [safe]}\nceiling: {limits: {tokens: 1000}}\n",
    )
    project.put(
        "triage.yaml",
        'name: triage\nuse: {platform: {source: ./platform, version: "^1.4"}}\nextends: platform.safe\n'
        "execution: {limits: {tokens: 5000}}\n",
    )
    project.lock()

    assert project.findings() == [
        (
            "AS412 triage.yaml:4:30 `5000` is more than the ceiling of `1000` "
            "(the ceiling stands here: platform/library.yaml:4:28)"
        )
    ]


def test_a_library_that_nothing_is_extended_of_is_told(project) -> None:
    project.put("triage.yaml", 'name: triage\nuse: {platform: {source: ./platform, version: "1"}}\n')

    assert project.findings() == ["AS451 triage.yaml:2:7 nothing here is of `platform`"]


def test_a_library_with_the_name_of_a_built_in_preset_is_told(project) -> None:
    project.put("triage.yaml", 'name: triage\nuse: {audit: {source: ./platform, version: "1"}}\nextends: audit.safe\n')

    assert project.findings() == [
        "AS460 triage.yaml:2:7 `audit` is also a built-in preset: `extends: audit` means that one"
    ]


def test_a_name_that_two_libraries_export_is_said_with_one_of_them(project) -> None:
    project.put("other/library.yaml", "library: other\nversion: 1.0.0\nexports: {presets: [safe]}\n")
    project.put("other/presets/safe.yaml", "preset: safe\n")
    use = 'use: {p: {source: ./platform, version: "1"}, o: {source: ./other, version: "1"}}'
    project.put("triage.yaml", f"name: triage\n{use}\nextends: [safe, p.safe, o.safe]\n")
    assert project.lock() == []

    assert project.findings() == ["AS401 triage.yaml:3:11 unknown preset `safe`; did you mean `p.safe` or `o.safe`?"]


@pytest.mark.parametrize("name", ["torn", "of a merge", "changed by hand"])
def test_a_lock_that_cannot_be_believed_is_written_anew(project, name) -> None:
    lock = project.path / "agentspec.lock"
    before = lock.read_text()
    lock.write_text(LOCKS[name][0](before))

    assert project.lock() == []
    assert lock.read_text() == before


def test_a_lock_of_a_newer_version_is_not_written_over(project) -> None:
    lock = project.path / "agentspec.lock"
    newer = LOCKS["newer"][0](lock.read_text())
    lock.write_text(newer)

    assert [found.split()[0] for found in project.lock()] == ["AS441"]
    assert lock.read_text() == newer
