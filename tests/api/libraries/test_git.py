"""Libraries from git: a local bare repository, at a tag, at a commit, and where the version decides."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentspec.api.libraries.lock import list_libraries, lock_libraries, verify_libraries
from agentspec.api.libraries.upgrade import upgrade_libraries
from agentspec.compose.load import load
from agentspec.syntax.tree import plain


def spec(source: str, version: str = "", name: str = "triage") -> None:
    wanted = f', version: "{version}"' if version else ""
    Path(f"{name}.yaml").write_text(
        f'name: {name}\nuse: {{platform: {{source: "{source}"{wanted}}}}}\nextends: platform.safe\n'
    )


def nudges(name: str = "triage") -> object:
    composed = load(f"{name}.yaml")
    assert [str(found) for found in composed.diagnostics] == []
    return plain(composed.tree)["execution"]["max_nudges"]


def lock(**options: bool) -> list[str]:
    return [f"{one.code} {one.message}" for one in lock_libraries(Path(), **options).findings]


def versions() -> list[str]:
    return [each["version"] for each in list_libraries(Path())]


def test_a_tag_is_locked_with_its_commit_and_read_without_the_repository(published) -> None:
    spec(f"{published.address}@v1.5.0")

    assert lock() == []
    shutil.rmtree(published.bare)

    assert nudges() == 2
    assert verify_libraries(Path()) == []
    assert list_libraries(Path())[0]["commit"] == published.git("rev-parse", "v1.5.0^{commit}")
    assert lock() == [], "what is locked and fetched needs no repository"


def test_a_commit_is_as_good_as_a_tag(published) -> None:
    commit = published.git("rev-parse", "v1.4.0^{commit}")
    spec(f"{published.address}@{commit}")

    assert lock() == []
    assert nudges() == 1


def test_the_lowest_version_that_all_accept_is_taken(published) -> None:
    spec(published.address, "^1.4")
    assert lock() == []
    assert versions() == ["1.4.0"]

    spec(published.address, ">=1.5 <2", name="other")
    assert lock() == []
    assert versions() == ["1.5.0"]
    assert (nudges(), nudges("other")) == (2, 2)


def test_every_major_has_a_version_of_its_own(published) -> None:
    spec(published.address, "^1.6")
    spec(published.address, "^2", name="other")

    assert lock() == []
    assert versions() == ["1.6.0", "2.0.0"]
    assert (nudges(), nudges("other")) == (3, 4)


def test_ranges_that_do_not_meet_are_told(published) -> None:
    spec(published.address, "~1.4")
    spec(published.address, "^1.5", name="other")
    assert lock() == ["AS448 `~1.4` of `platform` does not go with `^1.5`, which `other.yaml` asks for"]

    spec(published.address, "^3", name="other")
    assert lock() == [f"AS448 no tag of `platform` (`file://{published.bare}`) will do"]


def test_a_lock_is_the_same_wherever_and_whenever_it_is_written(published) -> None:
    spec(published.address, "^1.4")
    lock()
    before = Path("agentspec.lock").read_bytes()
    shutil.rmtree(".agentspec")

    assert lock(is_frozen=True) == []
    assert Path("agentspec.lock").read_bytes() == before
    assert nudges() == 1


def test_a_frozen_lock_refuses_to_become_another(published) -> None:
    spec(published.address, "^1.4")
    lock()
    spec(published.address, "^1.5")

    assert lock(is_frozen=True) == ["AS440 `agentspec.lock` is not what the specs of this project ask for"]
    assert versions() == ["1.4.0"]


def test_what_was_locked_and_is_not_fetched_is_told_by_a_check(published) -> None:
    spec(published.address, "^1.4")
    lock()
    shutil.rmtree(".agentspec")

    told = [f"{found.code} {found.message}" for found in load("triage.yaml").diagnostics if found.caused_by is None]
    assert told == ["AS442 `platform` is locked, and not fetched yet"]


def test_a_repository_that_vanished_is_told(published) -> None:
    spec(f"{published.address}@v1.4.0")
    shutil.rmtree(published.bare)

    [found] = lock()
    assert found.startswith(f"AS442 `platform`: `file://{published.bare}` ")
    assert not Path("agentspec.lock").exists()


def test_a_tag_that_was_moved_does_not_change_what_is_locked(published) -> None:
    spec(f"{published.address}@v1.4.0")
    lock()
    published.release("1.4.0", 9)
    shutil.rmtree(".agentspec")

    assert lock() == []
    assert nudges() == 1


def test_a_link_in_a_repository_is_refused(published) -> None:
    (published.copy / "notes.md").symlink_to("/etc/passwd")
    published.release("1.7.0", 5)
    spec(f"{published.address}@v1.7.0")

    address = published.address.removeprefix("git+")
    assert lock() == [f"AS442 `platform`: `notes.md` of `{address}` is a link, and no library from git may have one"]


def test_a_folder_of_a_repository_can_be_the_library(published) -> None:
    (published.copy / "lib").mkdir()
    published.git("mv", "library.yaml", "presets", "lib")
    published.git("commit", "--quiet", "-m", "moved")
    published.git("tag", "v9")
    published.git("push", "--quiet", "--tags")
    spec(f"{published.address}@v9#lib")

    assert lock() == []
    assert nudges() == 4


def test_two_tags_of_one_major_are_told(published) -> None:
    spec(f"{published.address}@v1.4.0")
    spec(f"{published.address}@v1.5.0", name="other")

    assert lock() == [
        "AS448 `@v1.4.0` of `platform` is asked for here, and `@v1.5.0` elsewhere: a project has one version of each major"
    ]
    assert not Path("agentspec.lock").exists()


def damaged(name: str, text: str | None) -> None:
    """What is fetched, with a file of it changed, or taken away."""
    [copy] = Path(".agentspec/libraries").iterdir()
    (copy / name).unlink()
    if text is not None:
        (copy / name).write_text(text)


DAMAGES = {
    "other bytes": ("presets/safe.yaml", "preset: safe\nexecution: {max_nudges: 1} # more\n", "AS443"),
    "another meaning": ("presets/safe.yaml", "preset: safe\n", "AS444"),
    "another version": ("library.yaml", "library: platform\nversion: 1.9.0\nexports: {presets: [safe]}\n", "AS443"),
    "no file": ("presets/safe.yaml", None, "AS444"),
    "no manifest": ("library.yaml", None, "AS442"),
    "a manifest that is none": ("library.yaml", "library: platform\nversion: one\n", "AS442"),
}


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        pytest.param(*row, id=name, marks=[] if name in ("another meaning", "no manifest") else pytest.mark.slow)
        for name, row in DAMAGES.items()
    ],
)
def test_what_was_fetched_and_is_damaged_is_fetched_anew(published, name, text, code) -> None:
    spec(f"{published.address}@v1.4.0")
    lock()
    damaged(name, text)

    checked = [one for one in load("triage.yaml").diagnostics if one.caused_by is None and one.code != "AS447"]
    verified = verify_libraries(Path())
    assert {(one.code, one.help) for one in (*checked, *verified)} == {(code, "`agentspec lib lock` fetches it anew")}

    assert lock(is_frozen=True) == []
    assert nudges() == 1
    assert verify_libraries(Path()) == []


def test_a_branch_is_no_tag_and_the_commit_to_write_is_named(published) -> None:
    published.git("branch", "-f", "next", "v1.5.0")
    published.git("push", "--quiet", "origin", "next")
    spec(f"{published.address}@next")
    address, commit = published.address.removeprefix("git+"), published.git("rev-parse", "next")

    [found] = lock_libraries(Path()).findings

    assert (found.code, found.message) == (
        "AS459",
        f"`next` of `{address}` is a branch, and a branch moves",
    )
    assert found.help == f"write the commit that it is at now: `@{commit}`"
    spec(f"{published.address}@{commit}")
    assert lock() == []
    assert nudges() == 2


def test_a_tag_goes_before_a_branch_of_its_name(published) -> None:
    published.git("branch", "-f", "v1.4.0", "v1.6.0")
    published.git("push", "--quiet", "origin", "refs/heads/v1.4.0")
    spec(f"{published.address}@v1.4.0")

    assert lock() == []
    assert nudges() == 1


NOT_THERE = {
    "a near tag": ("@v1.4", "did you mean `@v1.4.0`?"),
    "another word": ("@stable", "a tag or a commit is written behind `@`"),
}


@pytest.mark.parametrize(("ref", "way_out"), NOT_THERE.values(), ids=NOT_THERE)
def test_a_tag_that_is_not_there_is_told_where_a_check_tells_it(published, ref, way_out) -> None:
    spec(f"{published.address}{ref}")

    [found] = lock_libraries(Path()).findings

    address = published.address.removeprefix("git+")
    assert found.code == "AS442"
    assert found.message == f"`platform`: `{address}` has no tag and no commit `{ref[1:]}`"
    assert found.help == way_out
    assert found.span.text.strip("\"'") == f"{published.address}{ref}"


def test_a_major_that_nobody_asked_for_is_named_and_taken(published) -> None:
    published.git("tag", "-d", "v1.4.0", "v1.5.0", "v1.6.0")
    published.git("push", "--quiet", "origin", ":v1.4.0", ":v1.5.0", ":v1.6.0")
    spec(published.address, "^1.4")

    [found] = lock_libraries(Path()).findings
    report = upgrade_libraries(Path(), ("platform",), across_majors=True, accept_wider=True)

    assert (found.code, found.help) == (
        "AS448",
        "its versions: `v2.0.0`; `agentspec lib upgrade --major platform` takes it",
    )
    assert (report.is_done, versions(), nudges()) == (True, ["2.0.0"], 4)
