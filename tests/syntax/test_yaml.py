"""YAML documents: values, spans, anchors, merges, marks."""

from __future__ import annotations

import pytest

from agentspec.syntax.tree import Mapping, Parsed, Scalar, Sequence, dotted, find, plain, walk
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source


def read(text: str, name: str = "x.yaml") -> Parsed:
    return parse(Source(name, text))


def value(text: str) -> object:
    parsed = read(text)
    assert parsed.diagnostics == []
    [document] = parsed.documents
    return plain(document.root)


def findings(text: str, name: str = "x.yaml") -> list[tuple[str, str, str]]:
    """Code, message and the text that is marked, of every finding."""
    return [(each.code, each.message, each.span.text) for each in read(text, name).diagnostics]


def spans(text: str) -> dict[str, str]:
    """The text of every node's span by path."""
    [document] = read(text).documents
    return {dotted(path): node.span.text for path, node in walk(document.root)}


def test_every_node_knows_exactly_where_it_stands() -> None:
    text = "name: café 😀\nlist:\n  - one\n  - {b: 2, c: [x]}\n\n# comment\nlast: 'q'  # end\n"

    found = spans(text)

    assert found == {
        "": text[: text.index("  # end")],
        "name": "café 😀",
        "list": "- one\n  - {b: 2, c: [x]}",
        "list[0]": "one",
        "list[1]": "{b: 2, c: [x]}",
        "list[1].b": "2",
        "list[1].c": "[x]",
        "list[1].c[0]": "x",
        "last": "'q'",
    }


def test_lines_and_columns_count_code_points_from_one() -> None:
    [document] = read("é: 1\r\n😀😀: value\r\n").documents

    node = find(document.root, ("😀😀",))

    assert node is not None
    assert (node.span.first, node.span.last) == ((2, 5), (2, 10))


def test_a_block_scalar_ends_with_its_last_line_of_content() -> None:
    text = "a: |\n  one\n  two  \n\n\n# later\nb: >-\n  x\n  y\n"

    found = spans(text)

    assert (found["a"], found["b"]) == ("|\n  one\n  two  ", ">-\n  x\n  y")


def test_an_empty_value_stands_behind_its_colon() -> None:
    [document] = read("a:\n\n# c\nb: 1\n").documents

    node = find(document.root, ("a",))

    assert isinstance(node, Scalar)
    assert (node.value, node.span.start, node.span.end) == (None, 2, 2)


def test_an_alias_has_its_own_place_and_knows_its_anchor() -> None:
    [document] = read("base: &b {x: 1}\nuse: *b\n").documents
    base, use = find(document.root, ("base",)), find(document.root, ("use",))

    assert isinstance(base, Mapping)
    assert isinstance(use, Mapping)
    assert use.anchor is not None
    assert (use.span.text, use.anchor.text, base.anchor) == ("*b", "{x: 1}", None)
    assert use.entries is base.entries


def test_anchors_and_tags_are_not_part_of_a_value() -> None:
    text = "a: &one 1\nb: !final two\nc: &m\n  x: 1\nd: &s # why\n  - y\ne: !final &f\n  z: 1\n"

    found = spans(text)

    assert [found[name] for name in "abcde"] == ["1", "two", "x: 1", "- y", "z: 1"]


def test_a_merge_brings_entries_in_and_written_ones_win() -> None:
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  w: 0\n  <<: [*a, *b]\n  x: 9\n"
    [document] = read(text).documents
    merged = find(document.root, ("c",))

    assert isinstance(merged, Mapping)
    assert plain(merged) == {"w": 0, "y": 2, "z": 4, "x": 9}
    assert merged.names() == ["w", "y", "z", "x"]
    assert [entry.merged.text if entry.merged else None for entry in merged.entries] == [None, "<<", "<<", None]
    assert merged.span.text == "w: 0\n  <<: [*a, *b]\n  x: 9"


def test_a_quoted_merge_key_is_an_ordinary_key() -> None:
    assert value('"<<": {a: 1}\n') == {"<<": {"a": 1}}


def test_a_merge_of_something_else_is_an_error() -> None:
    assert findings("a: &a [1]\nb: {<<: *a, c: 2}\n") == [
        ("AS022", "`<<` merges something that is not a mapping", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "operation", "final", "held"),
    [
        ("+k: [1]", "append", False, [1]),
        ("k: !unset", "unset", False, None),
        ("k: !final 3", "set", True, 3),
        ("k: !final {a: 1}", "set", True, {"a": 1}),
        ("k: !final 'no'", "set", True, "no"),
        ("+k: !final [1]", "append", True, [1]),
        ('{"k": {"$unset": true}}', "unset", False, None),
        ('{"k": {"$final": [3]}}', "set", True, [3]),
    ],
)
def test_an_entry_says_how_it_joins(text: str, operation: str, final: bool, held: object) -> None:
    [document] = read(text).documents
    assert isinstance(document.root, Mapping)
    [entry] = document.root.entries

    assert (entry.name, entry.operation, entry.final, plain(entry.value)) == ("k", operation, final, held)


def test_a_quoted_plus_is_literal_in_yaml_and_an_append_in_json() -> None:
    [yaml_document] = read('"+k": [1]').documents
    [json_document] = read('{"+k": [1]}', "x.json").documents
    assert isinstance(yaml_document.root, Mapping)
    assert isinstance(json_document.root, Mapping)

    assert [(entry.name, entry.operation) for entry in yaml_document.root.entries] == [("+k", "set")]
    assert [(entry.name, entry.operation) for entry in json_document.root.entries] == [("k", "append")]


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("k: !unset 3", "`!unset` takes no value", "!unset"),
        ("+k: !unset", "`+k` appends and `!unset` removes; one key cannot do both", "!unset"),
        ("k: [!final 3]", "`!final` stands in the wrong place", "!final"),
        ("!final\na: 1", "`!final` stands in the wrong place", "!final"),
        ('k: {"$unset": false}', "`!unset` takes no value", '{"$unset": false}'),
    ],
)
def test_a_misplaced_mark_is_an_error(text: str, message: str, marked: str) -> None:
    assert findings(text) == [("AS023", message, marked)]


def test_a_duplicate_key_names_both_places() -> None:
    parsed = read("a: {x: 1}\nb:\n  max: 1\n  other: 2\n  max: 3\n")

    [finding] = parsed.diagnostics

    assert (finding.code, finding.message, finding.path) == ("AS005", "duplicate key `max`", "b.max")
    assert finding.span.first == (5, 3)
    assert [(each.message, each.span.first) for each in finding.related] == [("first here", (3, 3))]
    assert plain(parsed.documents[0].root) == {"a": {"x": 1}, "b": {"max": 1, "other": 2}}


def test_several_documents_are_read_in_order() -> None:
    parsed = read("name: a\n---\nname: b\n...\n---\n# nothing\n---\nname: c\n")

    assert [plain(document.root) for document in parsed.documents] == [{"name": "a"}, {"name": "b"}, {"name": "c"}]
    assert parsed.diagnostics == []


def test_a_list_at_the_top_is_a_root_like_any_other() -> None:
    [document] = read("- a\n- b\n").documents

    assert isinstance(document.root, Sequence)
    assert plain(document.root) == ["a", "b"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n---\n"])
def test_an_empty_file_is_one_error(text: str) -> None:
    assert findings(text) == [("AS018", "the file is empty", "")]
