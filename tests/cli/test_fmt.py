"""`agentspec fmt`: specs in their one form."""

import io
import sys

import pytest

MESSY = "\ufeffmodel: {provider: openai}\r\nname:   x # who\r\n"
NEAT = "name: x  # who\n\nmodel:\n  provider: openai\n"
DIFF = """\
--- a.yaml
+++ a.yaml (formatted)
@@ -1,2 +1,4 @@
-model: {provider: openai}
-name:   x
+name: x
+
+model:
+  provider: openai
"""


def test_a_file_is_formatted_in_place_and_named(agentspec, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes(MESSY.encode())
    path.chmod(0o640)

    done = agentspec("fmt", "a.yaml")

    assert (done.code, done.out, done.err) == (0, "a.yaml\n", "")
    assert path.read_bytes() == NEAT.encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert agentspec("fmt", "a.yaml") == (0, "", "")
    assert [each.name for each in tmp_path.iterdir()] == ["a.yaml"]


def test_check_writes_nothing_and_tells_by_its_code(agentspec, tmp_path):
    (tmp_path / "a.yaml").write_text(MESSY, newline="")
    (tmp_path / "b.yaml").write_text(NEAT)

    assert agentspec("fmt", "--check", ".") == (1, "a.yaml\n", "")
    assert agentspec("fmt", "--check", "b.yaml") == (0, "", "")
    assert (tmp_path / "a.yaml").read_bytes() == MESSY.encode()


def test_diff_shows_what_would_change(agentspec, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("model: {provider: openai}\nname:   x\n")

    assert agentspec("fmt", "--diff", "a.yaml") == (0, DIFF, "")
    assert agentspec("fmt", "--diff", "--check", "a.yaml") == (1, DIFF, "")
    assert path.read_text() == "model: {provider: openai}\nname:   x\n"


def test_a_file_that_cannot_be_read_whole_is_left_alone_and_the_others_are_formatted(agentspec, tmp_path):
    (tmp_path / "a.agent").write_text("agent a { model { provider: } }")
    (tmp_path / "b.agent").write_text("agent b{}")

    done = agentspec("fmt", "a.agent", "b.agent", "c.agent")

    assert (done.code, done.out) == (2, "b.agent\n")
    assert done.err.startswith("agentspec: no such file: `c.agent`\nagentspec: `a.agent` can't be read whole")
    assert " --> a.agent:1:28\n" in done.err
    assert (tmp_path / "a.agent").read_text() == "agent a { model { provider: } }"
    assert (tmp_path / "b.agent").read_text() == "agent b { }\n"


def test_a_folder_without_specs_is_told(agentspec):
    done = agentspec("fmt", ".")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("agentspec: no spec found\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model: {}\nname: x\n", "name: x\nmodel: {}\n"),
        ("# who\nagent x{}\n", "# who\nagent x { }\n"),
        ("name: a\r\nmodel:\r\n  a: 5  # c\r\n  b: 2\r\n", "name: a\n\nmodel:\n  a: 5  # c\n  b: 2\n"),
        ('{"model": {}, "name": "x"}', '{\n  "name": "x",\n  "model": {}\n}\n'),
    ],
)
def test_standard_input_is_formatted_to_standard_output(agentspec, monkeypatch, text, expected):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    assert agentspec("fmt", "-") == (0, expected, "")
