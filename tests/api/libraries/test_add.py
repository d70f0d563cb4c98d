"""A library is written into a spec as whoever wrote the spec would, in both spellings, and locked."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.api.libraries.add import add_library
from agentspec.compose.load import load
from agentspec.errors import NotAllowed, NotFound

ENTRY = 'platform: {source: "../platform", version: "^1.4"}'
DSL = 'platform { source: "../platform"  version: "^1.4" }'
FILES = {
    "nothing yet": (
        "a.yaml",
        "# mine\nname: a\ndescription: A\nexecution: {max_nudges: 1}\n",
        f"# mine\nname: a\ndescription: A\nuse:\n  {ENTRY}\nexecution: {{max_nudges: 1}}\n",
    ),
    "a name alone": ("a.yaml", "name: a\n", f"name: a\nuse:\n  {ENTRY}\n"),
    "a block": (
        "a.yaml",
        'name: a\nuse:\n    own: {source: "../own"} # ours\ntask: go\n',
        f'name: a\nuse:\n    own: {{source: "../own"}}\n    {ENTRY} # ours\ntask: go\n',
    ),
    "a flow": (
        "a.yaml",
        'name: a\nuse: {own: {source: "../own"}}\ntask: go\n',
        f'name: a\nuse: {{own: {{source: "../own"}}, {ENTRY}}}\ntask: go\n',
    ),
    "an empty flow": ("a.yaml", "name: a\nuse: {}\ntask: go\n", f"name: a\nuse: {{{ENTRY}}}\ntask: go\n"),
    "the DSL": (
        "a.agent",
        'agent a {\n  description: "A"\n  execution { max_nudges: 1 }\n}\n',
        f'agent a {{\n  description: "A"\n  use {{\n    {DSL}\n  }}\n  execution {{ max_nudges: 1 }}\n}}\n',
    ),
    "an empty agent": ("a.agent", "agent a {}\n", f"agent a {{\n  use {{\n    {DSL}\n  }}\n}}\n"),
    "a block of the DSL": (
        "a.agent",
        'agent a {\n  use {\n    own { source: "../own" }\n  }\n}\n',
        f'agent a {{\n  use {{\n    own {{ source: "../own" }}\n    {DSL}\n  }}\n}}\n',
    ),
    "a line of the DSL": (
        "a.agent",
        'agent a {\n  use { own { source: "../own" } }\n}\n',
        f'agent a {{\n  use {{ own {{ source: "../own" }}  {DSL} }}\n}}\n',
    ),
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("platform", "own"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "library.yaml").write_text(f"library: {name}\nversion: 1.4.2\n")
    (tmp_path / "team").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("file", "before", "after"), FILES.values(), ids=FILES)
def test_a_library_is_written_beside_what_is_there(workspace, file, before, after) -> None:
    Path("team", file).write_text(before)

    added = add_library(f"team/{file}", "platform")

    assert Path("team", file).read_text() == after
    assert (added.alias, added.version, [str(each) for each in added.lock.findings]) == ("platform", "^1.4", [])
    told = [found.code for found in load(f"team/{file}").diagnostics if found.severity == "error"]
    assert told == []


def test_a_name_and_a_range_can_be_given(workspace) -> None:
    Path("team/a.yaml").write_text("name: a\n")

    add_library("team/a.yaml", "./platform", alias="house", version="1")

    assert Path("team/a.yaml").read_text() == 'name: a\nuse:\n  house: {source: "../platform", version: "1"}\n'


REFUSED = {
    "it is there already": (
        'name: a\nuse: {platform: {source: "../platform"}}\n',
        "platform",
        NotAllowed("`team/a.yaml` has a library `platform` already: `agentspec lib upgrade` takes a newer one"),
    ),
    "no library": ("name: a\n", "team", NotFound("there is no library in `team`: it has no `library.yaml`")),
    "no source": (
        "name: a\n",
        "svn://x",
        NotAllowed(
            "`svn://x` is no source of a library: a path (`../platform`), `git+https://…@TAG`, or `installed:NAME`"
        ),
    ),
    "no spec": ("[1, 2]\n", "platform", NotAllowed("`team/a.yaml` holds no spec that a library can be added to")),
}


@pytest.mark.parametrize(("text", "source", "problem"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_added_is_told_and_nothing_changes(workspace, text, source, problem) -> None:
    Path("team/a.yaml").write_text(text)

    with pytest.raises(type(problem)) as raised:
        add_library("team/a.yaml", source)

    assert str(raised.value).replace(str(workspace) + "/", "") == str(problem)
    assert Path("team/a.yaml").read_text() == text


def test_what_cannot_be_locked_leaves_the_spec_as_it_was(workspace) -> None:
    Path("team/a.yaml").write_text("name: a\n")
    Path("team/b.yaml").write_text('name: b\nextends: audit\nuse: {own: {source: "../nowhere"}}\n')

    added = add_library("team/a.yaml", "platform")

    assert [found.code for found in added.lock.findings] == ["AS442"]
    assert Path("team/a.yaml").read_text() == "name: a\n"
