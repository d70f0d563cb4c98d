"""Where a project begins, where its state is, and what its settings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.compose.load import load
from agentspec.compose.project import parse_settings, project_folder, read_settings, state_folder
from agentspec.text.source import Source
from tests.odd_files import make_file


@pytest.mark.parametrize("mark", ["agentspec.toml", ".agentspec/keep"])
def test_the_project_is_the_nearest_folder_upward_that_says_so(folder, mark: str) -> None:
    folder.write(f"team/{mark}", "")
    folder.write("team/specs/deep/a.yaml", "name: a\n")

    assert project_folder("team/specs/deep/a.yaml") == folder.path / "team"
    assert project_folder(Path("team/specs")) == folder.path / "team"
    assert load("team/specs/deep/a.yaml").project == folder.path / "team"


def test_without_a_mark_it_is_the_folder_of_the_spec(folder) -> None:
    folder.write("specs/a.yaml", "name: a\n")

    assert project_folder("specs/a.yaml") == folder.path / "specs"


def test_the_state_stands_in_the_project_unless_the_environment_says_otherwise(folder) -> None:
    project = folder.path / "team"

    assert state_folder(project, {}) == project / ".agentspec"
    assert state_folder(project, {"AGENTSPEC_HOME": ""}) == project / ".agentspec"
    assert state_folder(project, {"AGENTSPEC_HOME": "/srv/state"}) == Path("/srv/state")
    assert state_folder(project, {"AGENTSPEC_HOME": "state"}) == folder.path / "state"


def test_settings_say_what_check_leaves_out_and_how_strict_it_is(folder) -> None:
    folder.write(
        "agentspec.toml", '[check]\nignore = ["AS414", "AS9"]\nstrict = true\n[check.severities]\nAS512 = "error"\n'
    )

    settings = read_settings(folder.path)

    assert (settings.ignore, settings.severities, settings.strict, settings.findings) == (
        ("AS414", "AS9"),
        (("AS512", "error"),),
        True,
        (),
    )


def test_a_project_without_settings_has_the_usual_ones(folder) -> None:
    settings = read_settings(folder.path)

    assert (settings.ignore, settings.severities, settings.strict, settings.findings) == ((), (), False, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[check\n", "AS430 1:7 cannot read `agentspec.toml`: Expected ']' at the end of a table declaration"),
        ("a = 1\na = 2\n", "AS430 2:6 cannot read `agentspec.toml`: Cannot overwrite a value"),
        ("[chek]\nstrict = true\n", "AS431 1:2 unknown key `chek` of `agentspec.toml`; did you mean `check`?"),
        ("# ignor\n[check]\nignor = []\n", "AS431 3:1 unknown key `ignor` in `[check]` of `agentspec.toml`; did you mean `ignore`?"),
        ('check = "x"\n', "AS432 1:1 `check` in `agentspec.toml` does not fit: it is a table: `[check]`"),
        ('[check]\nstrict = "yes"\n', "AS432 2:1 `strict` in `agentspec.toml` does not fit: it is `true` or `false`"),
        ('[check]\nignore = "AS1"\n', 'AS432 2:1 `ignore` in `agentspec.toml` does not fit: it is a list of codes: `["AS512"]`'),
        ('[check]\nignore = ["X1"]\n', "AS432 2:12 `X1` in `agentspec.toml` does not fit: a code is written like `AS512`"),
        ("[check]\nignore = [5]\n", "AS432 2:11 `5` in `agentspec.toml` does not fit: a code is written like `AS512`"),
        ('[check]\nseverities = "x"\n', 'AS432 2:1 `severities` in `agentspec.toml` does not fit: it is a table of codes: `AS512 = "note"`'),
        ('[check.severities]\nAS512 = "info"\n', "AS432 2:1 `AS512` in `agentspec.toml` does not fit: its severity is one of `error`, `warning`, `note`"),
        ('[check.severities]\nx = "note"\n', "AS432 2:1 `x` in `agentspec.toml` does not fit: a code is written like `AS512`"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_settings_is_found_at_its_place(text: str, expected: str) -> None:
    [found] = parse_settings(Source("agentspec.toml", text)).findings

    line, column = found.span.first
    assert f"{found.code} {line}:{column} {found.message}" == expected


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("utf-16", "the file is UTF-16, not UTF-8"),
        ("bytes", "the file is not UTF-8: byte 0xFF at offset 4 belongs to no character"),
        ("huge", "the file is larger than 4 MiB"),
        ("pipe", "`PATH` is not a plain file"),
        ("device", "`PATH` is not a plain file"),
        ("folder", "`PATH` is a folder; name a file in it"),
        ("circle", "`PATH` cannot be read: too many levels of symbolic links"),
        ("gone", "no such file: `PATH`"),
    ],
)
def test_settings_that_cannot_be_read_are_a_finding_that_says_why(folder, kind: str, reason: str) -> None:
    path = folder.path / "agentspec.toml"
    make_file(path, kind)

    found = read_settings(folder.path).findings

    assert [one.message for one in found] == [f"cannot read `agentspec.toml`: {reason.replace('PATH', str(path))}"]


def test_a_project_names_the_packages_whose_functions_may_be_rules() -> None:
    settings = parse_settings(
        Source("agentspec.toml", '[python]\ntrust = ["acme_rules", "acme.loops", "not one", 3]\n')
    )

    assert settings.trust == ("acme_rules", "acme.loops")
    assert [found.message for found in settings.findings] == [
        "`not one` in `agentspec.toml` does not fit: a package is written like `acme_rules`",
        "`3` in `agentspec.toml` does not fit: a package is written like `acme_rules`",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python = 3", "`python` in `agentspec.toml` does not fit: it is a table: `[python]`"),
        ("[python]\ntrusts = []", "unknown key `trusts` in `[python]` of `agentspec.toml`; did you mean `trust`?"),
        (
            '[python]\ntrust = "acme"',
            '`trust` in `agentspec.toml` does not fit: it is a list of packages: `["acme_rules"]`',
        ),
    ],
)
def test_trust_that_is_written_wrong_is_none(text: str, message: str) -> None:
    settings = parse_settings(Source("agentspec.toml", text))

    assert (settings.trust, [found.message for found in settings.findings]) == ((), [message])
