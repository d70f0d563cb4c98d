"""Places inside scalars: each character of a value stands where the source says, in every style."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.syntax.offsets import decoded, span_in
from agentspec.syntax.tree import Mapping, Scalar, Style, find
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source, Span

LETTERS = "ab '\"\\:#-é😀\n \t,>|%\r"


def scalar(text: str) -> Scalar:
    """The value of `k` in a document."""
    [document] = parse(Source("x.yaml", text)).documents
    node = find(document.root, ("k",))
    assert isinstance(node, Scalar)
    return node


def stretches(node: Scalar) -> list[str]:
    """The source of each character of a value."""
    assert isinstance(node.value, str)
    return [span_in(node, at, at + 1).text for at in range(len(node.value))]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("k: ab c", "ab c", ["a", "b", " ", "c"]),
        ("k: ab\n  c\n\n\n  d", "ab c\n\nd", ["a", "b", "\n  ", "c", "\n", "\n", "d"]),
        ("k: 'a''b'", "a'b", ["a", "''", "b"]),
        ("k: 'a \n  b'", "a b", ["a", " \n  ", "b"]),
        (r'k: "a\tb\"\u00e9\x41\U0001F600"', 'a\tb"éA😀', ["a", r"\t", "b", r"\"", r"\u00e9", r"\x41", r"\U0001F600"]),
        ('k: "a\\\n  b  \n  c"', "ab c", ["a", "b", "  \n  ", "c"]),
        (r'k: "\ud83d\ude00!"', "😀!", [r"\ud83d\ude00", "!"]),
        ("k: |\n  ab\n    c\n\n  d\nl: 1", "ab\n  c\n\nd\n", [*"ab", "\n", *"  c", "\n", "\n", "d", "\n"]),
        ("k: |-2\n   a\n  b", " a\nb", [" ", "a", "\n", "b"]),
        ("k: |+\n  a\n\n\nl: 1", "a\n\n\n", ["a", "\n", "\n", "\n"]),
        (
            "k: >\n  a\n  b\n\n  c\n   d\n  e\n",
            "a b\nc\n d\ne\n",
            ["a", "\n", "b", "\n", "c", "\n", " ", "d", "\n", "e", "\n"],
        ),
        ("k: |\r\n  a\r\n  b\r\n", "a\nb\n", ["a", "\r\n", "b", "\r\n"]),
        ("k: | # why\n  a", "a", ["a"]),
        ("k: |\n  \tx\n", "\tx\n", ["\t", "x", "\n"]),
    ],
)
def test_each_character_knows_its_source(text: str, value: str, expected: list[str]) -> None:
    node = scalar(text)

    assert node.value == value
    assert stretches(node) == expected


@pytest.mark.parametrize(
    ("style", "indent", "source", "value", "expected"),
    [
        ("string", 0, r'"a\n\u0041\ud83d\ude00"', "a\nA😀", ["a", r"\n", r"\u0041", r"\ud83d\ude00"]),
        ("string", 0, '"a  b"', "a  b", ["a", " ", " ", "b"]),
        ("text", 4, '"""\n    a\\n\n\n      b\n    """', "a\\n\n\n  b\n", [*"a\\n", "\n", "\n", *"  b", "\n"]),
        ("text", 2, '""""\n  say """\n  b""""', 'say """\nb', [*'say """', "\n", "b"]),
        ("text", 2, '"""\r\n  a\r\n  """', "a\n", ["a", "\r\n"]),
        ("word", 0, "files.read", "files.read", list("files.read")),
        ("quantity", 0, "30s", "30s", ["3", "0", "s"]),
        ("expression", 0, "a ==\n  b", "a ==\n  b", list("a ==\n  b")),
        ("expression", 0, "a\r\n\r\n b\rc", "a\n\n b\nc", ["a", "\r\n", "\r\n", " ", "b", "\r", "c"]),
    ],
)
def test_the_styles_of_the_dsl_are_placed_alike(
    style: Style, indent: int, source: str, value: str, expected: list[str]
) -> None:
    whole = Source("x.agent", f"key: {source}\n")
    node = Scalar(value=value, span=Span(whole, 5, 5 + len(source)), style=style, base_indent=indent)

    assert stretches(node) == expected


def test_a_stretch_reaches_from_its_first_to_its_last_character() -> None:
    node = scalar("k: >\n  when completion.vetoed\n  and more\n")

    assert span_in(node, 5, 15).text == "completion"
    assert span_in(node, 16, 26).text == "vetoed\n  and"


def test_an_empty_stretch_stands_before_its_character_or_behind_the_last() -> None:
    node = scalar('k: "a\\tb"')

    places = [span_in(node, at, at)[1:] for at in range(4)]

    assert places == [(4, 4), (5, 5), (7, 7), (8, 8)]


def test_the_empty_text_has_a_place_between_its_quotes() -> None:
    assert span_in(scalar('k: ""'), 0, 0)[1:] == (4, 4)


def test_an_aliased_text_is_placed_where_it_is_written() -> None:
    [document] = parse(Source("x.yaml", "a: &x 'it''s'\nk: *x\n")).documents
    node = find(document.root, ("k",))
    assert isinstance(node, Scalar)

    assert span_in(node, 3, 4)[1:] == (11, 12)


def test_a_number_counts_as_its_own_spelling() -> None:
    assert span_in(scalar("k: 0x1F"), 0, 4).text == "0x1F"


def test_a_value_that_is_not_its_source_is_placed_as_a_whole() -> None:
    node = Scalar(value="other", span=Span(Source("x", "'a'"), 0, 3), style="single")

    assert span_in(node, 2, 3).text == "'a'"


def written(value: str, style: str, folds: list[bool]) -> str:
    """One of the ways to write a value: spaces between letters become line ends where `folds` says so."""
    if style == "literal":
        keep = "+" if value.endswith("\n\n") or not value.strip("\n") else "" if value.endswith("\n") else "-"
        lines = value[: -1 if value.endswith("\n") else None].split("\n")
        return f"|2{keep}\n" + "\n".join("  " + line for line in lines)
    pieces = {"single": {"'": "''"}, "double": {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}}[style]
    text = "".join(pieces.get(character, character) for character in value)
    choice = iter(folds)
    folded = re.sub(r"(?<=[a-zé😀]) (?=[a-zé😀])", lambda _: "\n   " if next(choice, False) else " ", text)
    quote = "'" if style == "single" else '"'
    return quote + folded + quote


VALUES = {
    "single": st.text("ab '\":#é😀,>", max_size=20),
    "double": st.text(LETTERS, max_size=20),
    "literal": st.text("ab '\"\\:#é😀\n,>", max_size=20).filter(lambda value: value.strip("\n ")),
}


@pytest.mark.parametrize("style", VALUES)
@given(data=st.data())
def test_any_text_in_any_style_maps_back_to_its_source(style: str, data: st.DataObject) -> None:
    value = data.draw(VALUES[style])
    folds = data.draw(st.lists(st.booleans(), max_size=8))

    node = scalar(f"k: {written(value, style, folds)}\n")

    assert node.value == value
    assert decoded(node.span.source.text, node.span.start, node.span.end, node.style, node.base_indent) == value
    for character, source in zip(value, stretches(node), strict=True):
        assert source == character or source.strip(" \n") == "" or source[0] in "\\'"


@given(
    text=st.text("ab '\"\\:-é\n \tnx0u|>+2#", max_size=40),
    header=st.sampled_from(["", "'", '"', "|", ">", "|-", ">+", "|2"]),
)
def test_whatever_a_scalar_looks_like_it_is_read_the_same_twice(text: str, header: str) -> None:
    body = text.replace("\n", "\n  ")
    closing = header if header in ("'", '"') else ""
    parsed = parse(
        Source("x.yaml", f"k: {header}{body if closing or not header else chr(10) + '  ' + body}{closing}\n")
    )

    nodes = [document.root.get("k") for document in parsed.documents if isinstance(document.root, Mapping)]

    for node in nodes:
        if isinstance(node, Scalar) and isinstance(node.value, str):
            span = node.span
            assert (
                "\t" in text
                or decoded(span.source.text, span.start, span.end, node.style, node.base_indent) == node.value
            )
