"""fmt and convert over texts by hand: one form, both ways, comments at their entries."""

from __future__ import annotations

import re
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


def files_of(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    return sorted(path for path in found if path.suffix in (".agent", ".yaml"))


EXAMPLES = files_of("examples", "stdlib/templates")
FILES = files_of("examples", "stdlib")


def in_yaml(text: str) -> Parsed:
    return yaml.parse(Source("x.yaml", text))


def in_dsl(text: str) -> Parsed:
    return dsl.parse(Source("x.agent", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_laws_hold_for_every_file_of_the_project(path):
    check_laws(read_file(path))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_and_templates_are_in_their_form(path):
    parsed = read_file(path)

    assert format_text(parsed) == parsed.source.text, f"run: agentspec fmt {path.relative_to(ROOT)}"


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


def test_what_is_deep_and_wide_is_looked_at_a_few_times_only():
    deep = "".join("  " * depth + f"k{depth}:\n" for depth in range(58))
    wide = "".join("  " * 58 + f"k{number}: {number}\n" for number in range(400))
    parsed = in_yaml(f"name: x\nx:\n  {(deep + wide).replace(chr(10), chr(10) + '  ').rstrip()}\n")

    assert format_text(in_dsl(convert(parsed, "dsl"))) == convert(parsed, "dsl")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x: &a {p: 1}\ny: *a\nname: n\n", "name: n\n\nx: &a\n  p: 1\n\ny: *a\n"),
        ("x: &a\n  - 1\n  - &b b\ny: [*b, *a]\nname: n\n", "name: n\nx: &a [1, &b b]\ny: [*b, *a]\n"),
        ("d: &a n\nname: *a\n", "name: n\nd: n\n"),
        (
            "name: n\nx: &a {p: 1, q: 2}\ny:\n  <<: *a\n  p: 3 # own\n",
            "name: n\n\nx: &a\n  p: 1\n  q: 2\n\ny:\n  <<: *a\n  p: 3  # own\n",
        ),
        ("name: n\nx: {<<: {p: 1}, q: 2}\n", "name: n\n\nx:\n  p: 1\n  q: 2\n"),
        ("name: n\nx:\n  - &a {p: 1, when: c}\n  - *a\n", "name: n\n\nx:\n  - &a\n    when: c\n    p: 1\n  - *a\n"),
    ],
)
def test_anchors_aliases_and_merges_stay_as_they_are_where_the_order_allows(text, expected):
    assert format_text(in_yaml(text)) == expected
    check_laws(in_yaml(text))


def test_what_an_alias_repeats_is_written_out_in_the_dsl_but_its_comments_are_not():
    parsed = in_yaml("name: n\nx: &a\n  p: 1  # one\ny: *a  # again\nz:\n  <<: *a\n")

    assert convert(parsed, "dsl") == (
        "agent n {\n  x {\n    p: 1  # one\n  }\n\n  y { p: 1 }  # again\n\n  z { p: 1 }\n}\n"
    )


@pytest.mark.parametrize(
    ("text", "to", "message"),
    [
        ('agent a { x { "$final": 1 } }', "yaml", "`x` has no form in YAML that reads back the same"),
        ('agent a { "+x": 1 }', "json", "`` has no form in JSON that reads back the same"),
        ('agent a { x { "a: b" += [1] } }', "yaml", "the file has no form in YAML that can be read"),
        ("agent a { } # c", "json", "JSON has no place for the comments of the file"),
        ("agent a { } agent b { }", "json", "JSON has no form for 2 documents in one file"),
    ],
)
def test_what_a_spelling_cannot_say_is_refused(text, to, message):
    with pytest.raises(SpecInvalid, match=re.escape(message)):
        convert(in_dsl(text), to)
