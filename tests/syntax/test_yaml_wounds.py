"""Text that YAML reads without complaint and not as it was meant, and the other findings about form."""

from __future__ import annotations

import pytest

from agentspec.syntax.read import parse_bytes
from agentspec.syntax.tree import Broken, Mapping, plain
from agentspec.syntax.yaml import parse
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source


def findings(text: str) -> list[tuple[str, str, str]]:
    return [(each.code, each.message, each.span.text) for each in parse(Source("x.yaml", text)).diagnostics]


def only(text: str) -> Diagnostic:
    [finding] = parse(Source("x.yaml", text)).diagnostics
    return finding


def fixed(text: str) -> str:
    finding = only(text)
    assert finding.fix is not None
    for edit in sorted(finding.fix.edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(
    ("text", "marked", "repaired"),
    [
        ("r: {when: min(a, b) > 3, do: stop}", "min(a, b) > 3", "r: {when: 'min(a, b) > 3', do: stop}"),
        ("r: [{when: f(a, b, c)}]", "f(a, b, c)", "r: [{when: 'f(a, b, c)'}]"),
        ('r: {when: x == "a, b", do: stop}', 'x == "a, b"', "r: {when: 'x == \"a, b\"', do: stop}"),
        ("r: {when: x == 'a, b'}", "x == 'a, b'", "r: {when: 'x == ''a, b'''}"),
    ],
)
def test_a_comma_that_cuts_an_expression_is_found(text: str, marked: str, repaired: str) -> None:
    finding = only(text)

    assert (finding.code, finding.message) == ("AS014", f"a comma cuts the value `{marked}` in pieces")
    assert (finding.span.text, fixed(text)) == (marked, repaired)
    assert findings(repaired) == []


def test_the_pieces_of_a_cut_value_are_no_keys() -> None:
    [document] = parse(Source("x.yaml", "{when: min(a, b) > 3, do: stop}")).documents
    assert isinstance(document.root, Mapping)

    assert document.root.names() == ["when", "do"]
    assert isinstance(document.root.get("when"), Broken)
    assert document.has_broken


@pytest.mark.parametrize(
    "text", ["{a: 'x (', b}", "{a: x (y), b: 2}", "{a: smile :(, b: c}", "{a: 5 ft, b}", "[f(a, b)]"]
)
def test_honest_flow_is_left_alone(text: str) -> None:
    assert findings(f"k: {text}") == []


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ('x == "a #b"', "'x == \"a #b\"'"),
        ("f(a #b)", "'f(a #b)'"),
        ("a == # b", "'a == # b'"),
        ("color == '#fff' || color == 'a #b'", "'color == ''#fff'' || color == ''a #b'''"),
    ],
)
def test_a_comment_sign_that_cuts_an_expression_is_found(value: str, whole: str) -> None:
    finding = only(f"when: {value}\nb: 1\n")

    assert (finding.code, finding.span.text, finding.path) == ("AS014", "#", "when")
    assert fixed(f"when: {value}\nb: 1\n") == f"when: {whole}\nb: 1\n"


@pytest.mark.parametrize(
    "value", ["done # later", "don't # it's", "a (b) # c)", "5 # (x)", "x  # why ==", "'a # b'", "a#b"]
)
def test_honest_comments_are_left_alone(value: str) -> None:
    assert findings(f"when: {value}\n") == []


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("k: {a:1}", "k: {a: 1}"),
        ("model:\n  name:x\n", "model:\n  name: x\n"),
        ("name:x", "name: x"),
    ],
)
def test_a_missing_space_after_a_colon_is_found(text: str, repaired: str) -> None:
    finding = only(text)

    assert (finding.code, finding.message, finding.span.text) == ("AS015", "a space is missing after `:`", ":")
    assert fixed(text) == repaired


@pytest.mark.parametrize(
    "text", ["a:\n  https://x.y", "a: files:read", "- host:80", "a: |\n  name:x", "a:\n  'name:x'", "a:\n  C:/x"]
)
def test_honest_colons_are_left_alone(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    "tag",
    [
        "!!str",
        "!!int",
        "!!python/object/apply:os.system",
        "!!python/name:os.system",
        "!!binary",
        "!!set",
        "!include",
        "!env",
        "!<tag:x,1:y>",
        "!",
    ],
)
def test_a_foreign_tag_is_refused_and_constructs_nothing(tag: str) -> None:
    [document] = parse(Source("x.yaml", f"a: {tag} x\nb: 1\n")).documents

    assert findings(f"a: {tag} x\nb: 1\n") == [("AS010", f"YAML tag `{tag}` is refused", tag)]
    assert plain(document.root) == {"a": None, "b": 1}
    assert document.has_broken


def test_a_tag_where_an_expression_is_due_offers_the_quotes() -> None:
    assert fixed("when: !done\n") == "when: '!done'\n"
    assert fixed("rules:\n  - when: !turn.ok or more\n") == "rules:\n  - when: '!turn.ok or more'\n"
    assert only("a: !done\n").fix is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: *b\n", [("AS007", "unknown alias `*b`", "*b")]),
        ("base: &bass 1\na: *base\n", [("AS007", "unknown alias `*base`", "*base")]),
        ("a: *b\nb: &b 1\n", [("AS007", "unknown alias `*b`", "*b")]),
        ("a: &x 1\n---\nb: *x\n", [("AS007", "unknown alias `*x`", "*x")]),
        ("a: &x 1\nb: &x 2\nc: *x\n", [("AS008", "anchor `&x` is defined twice in the document", "&x")]),
    ],
)
def test_anchors_are_defined_once_and_before_their_aliases(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert findings(text) == expected


def test_an_alias_of_a_later_anchor_shows_it() -> None:
    finding = only("a: *b\nb: &b 1\n")

    assert finding.help == "an anchor must stand above its aliases"
    assert [(each.message, each.span.first) for each in finding.related] == [("defined only here", (2, 4))]


def test_a_second_anchor_shows_the_first() -> None:
    finding = only("a: &x 1\nb: &x 2\n")

    assert [(each.message, each.span.first) for each in finding.related] == [("first defined here", (1, 4))]


@pytest.mark.parametrize(
    ("text", "marked"),
    [("? [a]\n: b\n", "[a]"), ("? {a: 1}\n: b\n", "{a: 1}"), ("a: &x y\n*x : z\n", "*x"), ("{[a]: b}", "[a]")],
)
def test_a_key_that_is_no_text_is_refused(text: str, marked: str) -> None:
    assert findings(text) == [("AS011", "a key must be a plain or a quoted text", marked)]


def test_an_empty_key_is_refused() -> None:
    assert findings('{"": 1}') == [("AS011", "a key is empty", '""')]


def test_an_explicit_key_is_a_key() -> None:
    [document] = parse(Source("x.yaml", "? a\n: b\n? c\n")).documents

    assert plain(document.root) == {"a": "b", "c": None}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("name: a\n---\nname: a\n", 1),
        ("name: a\n---\nname: b\n---\nname: a\n---\nname: a\n", 2),
        ("preset: a\n---\nname: a\n", 1),
        ("scenario: a\nfor: x\n---\nname: a\n", 0),
        ("name: [a]\n---\nname: [a]\n", 0),
    ],
)
def test_two_documents_of_one_name_are_an_error_that_shows_both(text: str, count: int) -> None:
    found = parse(Source("x.yaml", text)).diagnostics

    assert [each.code for each in found] == ["AS019"] * count
    assert [each.related[0].span.first.line for each in found] == [1] * count


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("na\u200bme: x", "a name holds a character that nobody sees (U+200B)", "\u200b"),
        ("name: to\u202eol", "a name holds a character that nobody sees (U+202E)", "\u202e"),
        ("tools: [a\ufeffb]", "a name holds a character that nobody sees (U+FEFF)", "\ufeff"),
        ("'k\U000e0041': x", "a name holds a character that nobody sees (U+E0041)", "\U000e0041"),
    ],
)
def test_an_unseen_character_in_a_name_is_an_error(text: str, message: str, marked: str) -> None:
    assert findings(text) == [("AS020", message, marked)]
    assert marked not in fixed(text)


@pytest.mark.parametrize("sign", ["\u202a", "\u202e", "\u2066", "\u2069"])
def test_a_text_that_turns_its_direction_is_a_warning(sign: str) -> None:
    finding = only(f"system: |\n  approve {sign} nothing\n")

    assert (finding.code, finding.severity, finding.span.text) == ("AS021", "warning", sign)


@pytest.mark.parametrize(
    "text", ["icon: 👩\u200d👩\u200d👧", "icon: ❤\ufe0f", "hello: سلام علیکم", "t: می\u200cخواهم", 't: "a\u200bb c"']
)
def test_emoji_and_other_scripts_are_left_alone(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize("text", ['p: "C:\\temp\\new"', 'p: "d:\\\\ok\\but"'])
def test_a_windows_path_in_double_quotes_is_found(text: str) -> None:
    finding = only(text)

    assert (finding.code, finding.help) == ("AS025", "use single quotes, or `/` in a path")
    assert fixed(text) == text.replace('"', "'")


@pytest.mark.parametrize("text", ['p: "C:\\\\temp\\\\new"', "p: 'C:\\temp'", "p: C:\\temp", 'p: "a:\\\\b"'])
def test_honest_paths_are_left_alone(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%YAML 1.2\n---\na: no\n", []),
        ("%YAML 1.1\n---\na: no\n", [("AS026", "directive `%YAML 1.1` has no effect", "%YAML 1.1")]),
        ("# c\n%TAG ! x:\n---\na: no\n", [("AS026", "directive `%TAG ! x:` has no effect", "%TAG ! x:")]),
        ("a: no\n...\n%FOO\n---\na: 1\n", [("AS026", "directive `%FOO` has no effect", "%FOO")]),
    ],
)
def test_a_directive_changes_nothing_and_says_so(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert findings(text) == expected
    assert plain(parse(Source("x.yaml", text)).documents[0].root) == {"a": "no"}


@pytest.mark.parametrize("rest", ["# && completion.vetoed", "#|| x", "# == 3", "# != 3"])
def test_a_comment_that_begins_with_an_operator_cuts_the_value(rest):
    text = f"name: a\nwhen: iteration {rest}\n"

    (found,) = parse_bytes("a.yaml", text.encode()).diagnostics

    assert (found.code, found.span.text) == ("AS014", "#")
    assert found.fix is not None
    assert found.fix.edits[0].text == f"'iteration {rest}'"


@pytest.mark.parametrize("rest", ["# later", "# 3 turns", "#", "# = x", "# a && b"])
def test_any_other_comment_is_one(rest):
    assert parse_bytes("a.yaml", f"name: a\nwhen: iteration > 3 {rest}\n".encode()).diagnostics == []
