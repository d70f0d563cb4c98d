"""A library is written into a spec as whoever wrote the spec would, in both spellings, and locked."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.api.libraries.add import add_library
from agentspec.checker.check import check_paths
from agentspec.errors import NotAllowed, NotFound, SpecInvalid
from agentspec.syntax.format.rewrite import format_text
from agentspec.syntax.read import parse
from agentspec.text.source import Source

ENTRY = "platform: {source: ../platform, version: ^1.4}"
DSL = 'platform { source: "../platform"  version: "^1.4" }'
JSON = '"platform": {"source": "../platform", "version": "^1.4"}'
OWN = 'own: {source: "../own", version: "1"}'
FILES = {
    "nothing yet": (
        "a.yaml",
        "# mine\nname: a\ndescription: A\nexecution: {max_nudges: 1}\n",
        f"# mine\nname: a\ndescription: A\nuse:\n  {ENTRY}\nexecution: {{max_nudges: 1}}\n",
    ),
    "a name alone": ("a.yaml", "name: a\n", f"name: a\n\nuse:\n  {ENTRY}\n"),
    "no end of a line": ("a.yaml", "name: a # mine", f"name: a # mine\nuse:\n  {ENTRY}"),
    "lines of Windows": ("a.yaml", "name: a # x\r\ntask: go\r\n", f"name: a # x\r\nuse:\r\n  {ENTRY}\r\ntask: go\r\n"),
    "the name at the end": (
        "a.yaml",
        "# how long\nexecution: {max_nudges: 1}\nname: a\n---\npreset: b\n",
        f"# how long\nexecution: {{max_nudges: 1}}\nname: a\nuse:\n  {ENTRY}\n---\npreset: b\n",
    ),
    "a text at the end": (
        "a.yaml",
        "name: a\ndescription: >\n  Long\n  text\n\n# the end\n",
        f"name: a\ndescription: >\n  Long\n  text\nuse:\n  {ENTRY}\n\n# the end\n",
    ),
    "a comment above the next key": (
        "a.yaml",
        "name: a\n# how long\n# at most\nexecution: {max_nudges: 1}\n",
        f"name: a\nuse:\n  {ENTRY}\n# how long\n# at most\nexecution: {{max_nudges: 1}}\n",
    ),
    "a canonical file": (
        "a.yaml",
        "name: a\n\n# how long\nexecution:\n  max_nudges: 1\n",
        f"name: a\n\nuse:\n  {ENTRY}\n\n# how long\nexecution:\n  max_nudges: 1\n",
    ),
    "a block": (
        "a.yaml",
        f"name: a\nuse:\n    {OWN} # ours\n    # no more\ntask: go\n",
        f"name: a\nuse:\n    {OWN} # ours\n    {ENTRY}\n    # no more\ntask: go\n",
    ),
    "a block of blocks": (
        "a.yaml",
        'name: a\nuse:\n  own:\n    source: ../own\n    version: "1" # ours\ntask: go\n',
        f'name: a\nuse:\n  own:\n    source: ../own\n    version: "1" # ours\n  {ENTRY}\ntask: go\n',
    ),
    "a flow": (
        "a.yaml",
        f"name: a\nuse: {{{OWN}}}\ntask: go\n",
        f"name: a\nuse: {{{OWN}, {ENTRY}}}\ntask: go\n",
    ),
    "an empty flow": ("a.yaml", "name: a\nuse: {}\ntask: go\n", f"name: a\n\nuse:\n  {ENTRY}\n\ntask: go\n"),
    "a flow of everything": ("a.yaml", "{name: a, task: go}\n", f"{{name: a, use: {{{ENTRY}}}, task: go}}\n"),
    "keys from elsewhere": (
        "a.yaml",
        "x-b: &b {task: go}\nname: a\n<<: *b\n# end\n",
        f"x-b: &b {{task: go}}\nname: a\nuse:\n  {ENTRY}\n<<: *b\n# end\n",
    ),
    "JSON in a line": (
        "a.json",
        '{"name": "a", "task": "go"}\n',
        f'{{"name": "a", "use": {{{JSON}}}, "task": "go"}}\n',
    ),
    "JSON in lines": (
        "a.json",
        '{\n\t"name": "a",\n\t"use": {\n\t\t"own": {"source": "../own", "version": "1"}\n\t}\n}\n',
        f'{{\n\t"name": "a",\n\t"use": {{\n\t\t"own": {{"source": "../own", "version": "1"}},\n\t\t{JSON}\n\t}}\n}}\n',
    ),
    "the DSL": (
        "a.agent",
        'agent a {\n  description: "A"\n  # how long\n  execution { max_nudges: 1 }\n}\n',
        f'agent a {{\n  description: "A"\n  use {{ {DSL} }}\n  # how long\n  execution {{ max_nudges: 1 }}\n}}\n',
    ),
    "the DSL in a line": (
        "a.agent",
        'agent a extends audit { description: "A {"  task: go }\n',
        f'agent a extends audit {{ description: "A {{"  use {{ {DSL} }}  task: go }}\n',
    ),
    "a last key before a brace": (
        "a.agent",
        'agent a {\n  description: "A" }\n',
        f'agent a {{\n  description: "A"  use {{ {DSL} }} }}\n',
    ),
    "an empty agent": ("a.agent", "agent a {}\n", f"agent a {{ use {{ {DSL} }} }}\n"),
    "a canonical agent": (
        "a.agent",
        "agent a {\n  # how long\n  execution { max_nudges: 1 }\n}\n",
        f"agent a {{\n  use {{ {DSL} }}\n\n  # how long\n  execution {{ max_nudges: 1 }}\n}}\n",
    ),
    "a block of the DSL": (
        "a.agent",
        'agent a {\n  use {\n    own { source: "../own"  version: "1" } # ours\n  }\n}\n',
        f'agent a {{\n  use {{\n    own {{ source: "../own"  version: "1" }} # ours\n    {DSL}\n  }}\n}}\n',
    ),
    "a line of the DSL": (
        "a.agent",
        'agent a {\n  use { own { source: "../own"  version: "1" } }\n  task: go\n}\n',
        f'agent a {{\n  use {{ own {{ source: "../own"  version: "1" }}  {DSL} }}\n  task: go\n}}\n',
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
    Path("team", file).write_bytes(before.encode())

    added = add_library(f"team/{file}" + "#a" * ("---" in before), "platform")

    assert Path("team", file).read_bytes().decode() == after
    assert (added.alias, added.version, [str(each) for each in added.lock.findings]) == ("platform", "^1.4", [])
    told = [found.code for found in check_paths([Path("team", file)]).diagnostics if found.severity == "error"]
    assert told == []
    assert (format_text(parse(Source(file, after))) == after) is (format_text(parse(Source(file, before))) == before)


def test_a_name_and_a_range_can_be_given(workspace) -> None:
    Path("team/a.yaml").write_text("name: a\n")

    add_library("team/a.yaml", "./platform", alias="house", version="1")

    assert Path("team/a.yaml").read_text() == 'name: a\n\nuse:\n  house: {source: ../platform, version: "1"}\n'


def test_a_long_source_is_written_whole(workspace) -> None:
    long = "far/" + "x" * 90 + ",y"
    Path(long).mkdir(parents=True)
    Path(long, "library.yaml").write_text("library: far\nversion: 1.0.0\n")
    Path("team/a.yaml").write_text("name: a\n")
    Path("team/b.yaml").write_text("name: b # mine\ntask: go\n")

    added = [add_library(f"team/{name}.yaml", long) for name in "ab"]

    assert Path("team/a.yaml").read_text() == f"name: a\n\nuse:\n  far:\n    source: ../{long}\n    version: ^1.0\n"
    assert Path("team/b.yaml").read_text() == (
        f'name: b # mine\nuse:\n  far: {{source: "../{long}", version: ^1.0}}\ntask: go\n'
    )
    assert [each.lock.findings for each in added] == [[], []]


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
    "a flow that is not closed": (
        "name: a\nexecution: {max_nudges: 1\n",
        "platform",
        SpecInvalid("`team/a.yaml` can't be read whole; nothing was changed", []),
    ),
    "an error beside it": (
        "name: a\nexecution:\n  max_nudges: 1\n bad: 1\n",
        "platform",
        SpecInvalid("`team/a.yaml` can't be read whole; nothing was changed", []),
    ),
    "a list for `use`": (
        "name: a\nuse: [x]\n",
        "platform",
        NotAllowed(
            'write it by hand into `team/a.yaml`: `use: {platform: {"source": "../platform", "version": "^1.4"}}`'
        ),
    ),
    "a shared `use`": (
        "name: a\nx-all: &all {}\nuse: *all\n",
        "platform",
        NotAllowed(
            'write it by hand into `team/a.yaml`: `use: {platform: {"source": "../platform", "version": "^1.4"}}`'
        ),
    ),
    "no name": (
        "{}\n",
        "platform",
        NotAllowed("`team/a.yaml` is not among the specs that are locked: it has no `name`, or lies where none are"),
    ),
    "no spec": ("[1, 2]\n", "platform", NotAllowed("`team/a.yaml` holds no spec that a library can be added to")),
}


@pytest.mark.parametrize(("text", "source", "problem"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_added_is_told_and_nothing_changes(workspace, text, source, problem) -> None:
    Path("team/a.yaml").write_text(text)

    with pytest.raises(type(problem)) as raised:
        add_library("team/a.yaml", source)

    assert str(raised.value).replace(str(workspace) + "/", "").partition("\n")[0] == str(problem)
    assert Path("team/a.yaml").read_text() == text


def test_what_cannot_be_locked_leaves_the_spec_as_it_was(workspace) -> None:
    Path("team/a.yaml").write_text("name: a\n")
    Path("team/b.yaml").write_text('name: b\nextends: audit\nuse: {own: {source: "../nowhere"}}\n')

    added = add_library("team/a.yaml", "platform")

    assert [found.code for found in added.lock.findings] == ["AS442"]
    assert Path("team/a.yaml").read_text() == "name: a\n"
