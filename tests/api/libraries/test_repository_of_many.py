"""Libraries of one repository need each other by path: the folder beside them, at the same commit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentspec.api.libraries.lock import list_libraries, lock_libraries, verify_libraries
from agentspec.compose.load import load
from agentspec.syntax.tree import plain

ONE = 'library: one\nversion: {}\nexports: {{presets: [safe]}}\nrequires: {{libraries: {{two: {{source: {}, version: "^1"}}}}}}\n'
TWO = "library: two\nversion: 1.0.{}\nexports: {{presets: [base]}}\n"


def release(published, version: str, nudges: int, source: str = "../two") -> str:
    for name, text in {
        "libs/one/library.yaml": ONE.format(version, source),
        "libs/one/presets/safe.yaml": "preset: safe\nextends: two.base\n",
        "libs/two/library.yaml": TWO.format(nudges),
        "libs/two/presets/base.yaml": f"preset: base\nexecution: {{max_nudges: {nudges}}}\n",
    }.items():
        place = published.copy / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return published.release(version, None)


def use(published, wanted: str) -> None:
    Path("t.yaml").write_text(
        f'name: t\nuse: {{one: {{source: "{published.address}#libs/one", version: "{wanted}"}}}}\nextends: one.safe\n'
    )


def lock() -> list[str]:
    return [f"{one.code} {one.message}" for one in lock_libraries(Path()).findings]


def test_the_folder_beside_it_is_taken_at_the_same_commit(published) -> None:
    first = release(published, "3.0.0", 5)
    release(published, "3.1.0", 6)
    use(published, "^3")

    assert lock() == []
    shutil.rmtree(published.bare)

    assert [(each["name"], each["source"]) for each in list_libraries(Path())] == [
        ("one", f"{published.address}#libs/one"),
        ("two", f"{published.address}@{first}#libs/two"),
    ]
    composed = load("t.yaml")
    assert [str(found) for found in composed.diagnostics] == []
    assert plain(composed.tree)["execution"]["max_nudges"] == 5
    assert verify_libraries(Path()) == []


def test_a_later_version_takes_what_lies_beside_it_then(published) -> None:
    release(published, "3.0.0", 5)
    use(published, "^3")
    lock()
    second = release(published, "3.1.0", 6)
    use(published, "^3.1")

    assert lock() == []
    assert list_libraries(Path())[1]["source"] == f"{published.address}@{second}#libs/two"


REFUSED = {
    "an absolute path": (
        "/srv/two",
        "`/srv/two` is a path of one machine, and `{}#libs/one` comes from a repository: name a folder of that",
    ),
    "a path out of the repository": ("../../../two", "`#../two` leads out of the repository"),
}


@pytest.mark.parametrize(("source", "message"), REFUSED.values(), ids=REFUSED)
def test_no_library_of_a_repository_needs_one_of_a_machine(published, source, message) -> None:
    release(published, "3.0.0", 5, source)
    use(published, "^3")

    assert lock() == [f"AS459 {message.format(published.address)}"]
    assert not Path("agentspec.lock").exists()


def test_a_folder_that_holds_no_library_is_named_as_it_is_written(published) -> None:
    commit = release(published, "3.0.0", 5, "../none")
    use(published, "^3")

    assert lock() == [f"AS442 `two`: `file://{published.bare}` has no folder `libs/none` at `{commit}`"]
