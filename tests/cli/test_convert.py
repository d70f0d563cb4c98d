"""`agentspec convert`: a spec in the other spelling."""

import io
import sys

YAML = "# Says hello\nname: x\nmodel:\n  provider: openai  # ours\n"
DSL = "# Says hello\nagent x {\n  model {\n    provider: openai  # ours\n  }\n}\n"
SPACED = "# Says hello\nname: x\n\nmodel:\n  provider: openai  # ours\n"


def test_a_spec_is_printed_in_the_other_spelling(agentspec, tmp_path):
    (tmp_path / "a.yaml").write_text(YAML)
    (tmp_path / "a.agent").write_text(DSL)

    assert agentspec("convert", "a.yaml", "--to", "dsl") == (0, DSL, "")
    assert agentspec("convert", "a.agent", "--to", "yaml") == (0, SPACED, "")
    assert agentspec("convert", "a.agent", "--to", "json") == (
        0,
        '{\n  "name": "x",\n  "model": {\n    "provider": "openai"\n  }\n}\n',
        "agentspec: JSON has no comments; those of the file are left out\n",
    )


def test_a_spec_is_written_to_a_file_of_the_right_name(agentspec, tmp_path):
    (tmp_path / "a.yaml").write_text(YAML)

    assert agentspec("convert", "a.yaml", "--to", "dsl", "-o", "b.agent") == (0, "", "")
    assert (tmp_path / "b.agent").read_text() == DSL
    wrong = agentspec("convert", "a.yaml", "--to", "dsl", "-o", "b.yaml")
    assert (wrong.code, wrong.out) == (2, "")
    assert "`b.yaml` would not be read as what is written to it\n  name it `*.agent`\n" in wrong.err


def test_a_spec_on_standard_input_is_converted(agentspec, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DSL.encode())))

    assert agentspec("convert", "-", "--to", "yaml") == (0, SPACED, "")


def test_what_has_no_other_spelling_is_refused_and_nothing_is_written(agentspec, tmp_path):
    (tmp_path / "a.yaml").write_text("description: x\n")
    (tmp_path / "b.yaml").write_text("name: a\n---\nname: b\n")
    (tmp_path / "c.yaml").write_text("name: [a\n")

    assert agentspec("convert", "a.yaml", "--to", "dsl", "-o", "a.agent") == (
        2,
        "",
        "agentspec: a document without a name has no DSL form; give it a `name:`, or a `preset:`\n",
    )
    assert agentspec("convert", "b.yaml", "--to", "json") == (
        2,
        "",
        "agentspec: JSON has no form for 2 documents in one file; convert it to YAML\n",
    )
    broken = agentspec("convert", "c.yaml", "--to", "dsl")
    assert (broken.code, broken.out) == (2, "")
    assert broken.err.startswith(
        "agentspec: `c.yaml` can't be read whole; nothing was changed\nerror[AS012]: this `[` is never closed\n --> c.yaml:1:7\n"
    )
    assert not (tmp_path / "a.agent").exists()
