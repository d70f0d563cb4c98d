"""fmt and convert over texts by hand: one form, both ways, comments at their entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.errors import SpecInvalid
from agentspec.syntax import dsl, yaml
from agentspec.syntax.format import convert, format_text
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import Parsed
from agentspec.text.source import Source
from tests.syntax.format.laws import check_laws

ROOT = Path(__file__).parents[3]
FOLDERS = ("examples", "stdlib/presets", "stdlib/templates")
FILES = sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*.*") if path.suffix in (".agent", ".yaml")
)


def in_yaml(text: str) -> Parsed:
    return yaml.parse(Source("x.yaml", text))


def in_dsl(text: str) -> Parsed:
    return dsl.parse(Source("x.agent", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_of_the_project_is_in_its_form_and_keeps_the_laws(path):
    parsed = read_file(path)

    assert format_text(parsed) == parsed.source.text, f"run: agentspec fmt {path.relative_to(ROOT)}"
    check_laws(parsed)


def test_what_cannot_be_read_whole_is_refused_with_its_errors():
    with pytest.raises(SpecInvalid, match=r"`x.yaml` can't be read whole; nothing was changed") as refused:
        format_text(in_yaml("name: x\nmodel: [a\n"))

    assert [found.code for found in refused.value.diagnostics] == ["AS012"]


def test_a_file_without_a_document_is_refused():
    with pytest.raises(SpecInvalid, match=r"`x.agent` can't be read whole; nothing was changed\n.*the file is empty"):
        format_text(in_dsl("# only a comment\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("description: x\n", "a document without a name has no DSL form"),
        ("- a\n", "a document without a name has no DSL form"),
        ("name: 3\n", "its `name` is no plain text"),
        ("name: !final x\n", "its `name` is no plain text"),
    ],
)
def test_what_has_no_form_in_the_dsl_is_refused(text, message):
    with pytest.raises(SpecInvalid, match=message):
        convert(in_yaml(text), "dsl")
