"""Comments that silence findings."""

from pathlib import Path

import pytest

from agentspec.checker.check import Options, check_paths

SLOW = "execution:\n  limits: {wall_clock: 5m}\n"


def found(tmp_path: Path, text: str, name: str = "a.yaml", **options: tuple[str, ...]) -> list[tuple[str, int]]:
    path = tmp_path / name
    path.write_text(text)
    report = check_paths([path], Options(**options))
    return [(one.code, one.span.first.line) for one in report.diagnostics]


@pytest.mark.parametrize(
    "timeout",
    [
        "  tool_timeout: 10m  # agentspec: ignore[AS509]\n",
        "  tool_timeout: 10m  # agentspec: ignore[AS701, AS509] the server is slow\n",
        "  tool_timeout: 10m  #agentspec:ignore[AS5]\n",
        "  # agentspec: ignore[AS509]\n  tool_timeout: 10m\n",
        "  # agentspec: ignore[AS509]\n\n  # the server is slow\n  tool_timeout: 10m\n",
        "  # agentspec: ignore-file[AS509]\n\n  max_iterations: 3\n  tool_timeout: 10m\n",
    ],
)
def test_a_comment_silences_on_its_line_above_it_or_in_its_file(tmp_path, timeout):
    assert found(tmp_path, "name: a\n" + SLOW + timeout) == []


@pytest.mark.parametrize(
    ("timeout", "expected"),
    [
        ("  tool_timeout: 10m  # agentspec: ignore[AS508]\n", [("AS509", 4), ("AS901", 4)]),
        ("  # agentspec: ignore[AS509]\n  max_iterations: 3\n  tool_timeout: 10m\n", [("AS901", 4), ("AS509", 6)]),
        ("  tool_timeout: 10m\n# agentspec: ignore-file[AS508]\n", [("AS509", 4), ("AS901", 5)]),
        ("  tool_timeout: 10m  # agentspec: ignore[]\n", [("AS509", 4), ("AS901", 4)]),
    ],
)
def test_a_comment_that_silences_nothing_is_a_note(tmp_path, timeout, expected):
    assert found(tmp_path, "name: a\n" + SLOW + timeout) == expected


@pytest.mark.parametrize(
    "text",
    [
        "name: a\ndescription: |\n  Say # agentspec: ignore-file[AS102]\nmax_nudgs: 3\n",
        "name: a\ndescription: >\n  # agentspec: ignore-file[AS102]\nmax_nudgs: 3\n",
        'name: a\ndescription: "x # agentspec: ignore-file[AS102]"\nmax_nudgs: 3\n',
        "name: a\ndescription: 'x # agentspec: ignore-file[AS102]'\nmax_nudgs: 3\n",
    ],
)
def test_text_inside_a_string_is_no_comment(tmp_path, text):
    assert [code for code, _ in found(tmp_path, text)] == ["AS102"]


def test_a_comment_in_the_dsl_is_one_and_text_is_not(tmp_path):
    silenced = "agent a {\n  max_nudgs: 3  # agentspec: ignore[AS102]\n}\n"
    text = 'agent a {\n  description: """\n    # agentspec: ignore-file[AS102]\n    """\n  max_nudgs: 3\n}\n'

    assert found(tmp_path, silenced, "a.agent") == []
    assert [code for code, _ in found(tmp_path, text, "b.agent")] == ["AS102"]


def test_selecting_codes_does_not_make_comments_useless(tmp_path):
    text = "name: a\n" + SLOW + "  tool_timeout: 10m  # agentspec: ignore[AS509]\n"

    assert found(tmp_path, text, select=("AS9",)) == []
    assert found(tmp_path, text, ignore=("AS509",)) == []


def test_nothing_is_said_of_comments_in_a_file_that_is_partly_unreadable(tmp_path):
    text = "name: a\n" + SLOW + "  tool_timeout: 10s  # agentspec: ignore[AS509]\n  bad: [\n"

    assert "AS901" not in [code for code, _ in found(tmp_path, text)]


def test_a_comment_in_a_shared_file_silences_for_all_that_build_on_it(tmp_path):
    (tmp_path / "base.yaml").write_text("preset: base\nexecution:\n  tool_timeout: 10m  # agentspec: ignore[AS509]\n")
    text = "name: a\nextends: ./base.yaml\n" + SLOW

    assert found(tmp_path, text) == []
