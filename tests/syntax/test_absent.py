"""A file that isn't there: what is said of it, and which one was meant."""

from __future__ import annotations

import pytest

from agentspec.syntax.absent import no_such_file


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("triage.yml", "no such file: `triage.yml`; did you mean `triage.yaml`?"),
        ("triage.json", "no such file: `triage.json`; did you mean `triage.yaml`?"),
        ("tirage.yaml", "no such file: `tirage.yaml`; did you mean `triage.yaml`?"),
        ("b.yaml", "no such file: `b.yaml`"),
        ("notes", "no such file: `notes`; did you mean `notes.txt`?"),
        ("other", "no such file: `other`"),
        ("specs/triage.yaml", "no such file: `specs/triage.yaml`; there is no folder `specs`"),
        ("a.yaml/triage.yaml", "no such file: `a.yaml/triage.yaml`; there is no folder `a.yaml`"),
    ],
)
def test_the_file_or_the_folder_that_was_meant_is_named(tmp_path, monkeypatch, name, said):
    monkeypatch.chdir(tmp_path)
    for beside in ("a.yaml", "triage.yaml", "triage.md", "notes.txt"):
        (tmp_path / beside).write_text("")

    assert no_such_file(name) == said
