"""Texts for models that stand in files are checked as those of the spec itself, at their places in the file."""

import pytest

from agentspec.checker.check import check_paths

SPEC = "name: a\ninputs: {branch: {type: string, default: main}}\ncontext:\n  system: {file: prompts/system.md}\n"


@pytest.fixture
def found(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "a.yaml").write_text(SPEC)

    def check(text: str) -> list[tuple[str, str, str]]:
        (tmp_path / "prompts" / "system.md").write_text(text, newline="")
        found = check_paths([tmp_path / "a.yaml"]).diagnostics
        return [(one.code, one.span.source.name.rpartition("/")[2], one.span.text) for one in found]

    return check


def test_an_input_that_a_file_uses_is_used(found):
    assert found("You audit ${inputs.branch}.") == []


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("On ${inputs.branch}: ${inputs.brnch}", "AS303", "brnch"),
        ("On ${inputs.branch}:\r\nlook at ${inputs.branch", "AS330", "${"),
        ("Schön 🎉 ${inputs.branch}\n${1 +}", "AS301", "+"),
        ("On ${inputs.branch}, use `read_file` first.", "AS710", "read_file"),
        ("On ${inputs.branch} or {{branch}}", "AS709", "{{branch}}"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_there(found, text, code, place):
    assert found(text) == [(code, "system.md", place)]


def test_a_secret_in_a_file_is_told_at_the_key_that_names_it(found):
    assert found("${inputs.branch} " + "sk-" + "a1B2c3D4" * 4) == [("AS701", "a.yaml", "prompts/system.md")]


def test_a_text_in_a_file_counts_among_what_is_fixed(tmp_path):
    (tmp_path / "long.md").write_text("word " * 30_000)
    (tmp_path / "a.yaml").write_text("name: a\nmodel: {context_window: 8192}\ncontext: {system: {file: long.md}}\n")

    assert [one.code for one in check_paths([tmp_path / "a.yaml"]).diagnostics] == ["AS707"]
