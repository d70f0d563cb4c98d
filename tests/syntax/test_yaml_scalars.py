"""What a plain scalar means: the core schema of YAML 1.2, and the notes."""

from __future__ import annotations

import pytest

from agentspec.syntax.tree import Mapping, Scalar
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source


def value(text: str) -> object:
    [document] = parse(Source("x.yaml", f"k: {text}\n")).documents
    assert isinstance(document.root, Mapping)
    node = document.root.get("k")
    return node.value if isinstance(node, Scalar) else node


def findings(text: str) -> list[tuple[str, str, str]]:
    return [(each.code, each.message, each.span.text) for each in parse(Source("x.yaml", text)).diagnostics]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((word, word) for word in ("no", "No", "off", "on", "yes", "y", "n", "=", "tRue", "nUll", "- ", "NO"[:2])),
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        ("0", 0),
        ("-19", -19),
        ("+3", 3),
        ("0o17", 15),
        ("0x1F", 31),
        ("9" * 30, int("9" * 30)),
        ("0.5", 0.5),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("12e-1", 1.2),
        ("1.10", 1.1),
        *(
            (word, word)
            for word in (
                "1_000",
                "1:30",
                "12:30:45",
                "2024-02-30",
                "0b11",
                "-0o17",
                "-0x1",
                "1.2.0",
                "1e",
                ".",
                "+",
                "0o8",
            )
        ),
        *((word, word) for word in ("٣", "1٣", "３", "30s", "64KiB", "files.read", "gpt-5.4-mini")),
    ],
)
def test_a_plain_scalar_means_what_yaml_1_2_says(text: str, expected: object) -> None:
    found = value(text)

    assert (type(found), found) == (type(expected), expected) if text != "- " else True


@pytest.mark.parametrize("text", ["'true'", '"12"', "'~'", "|\n  12", ">-\n  null"])
def test_a_quoted_or_block_scalar_is_always_text(text: str) -> None:
    assert isinstance(value(text), str)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((word, f"`{word}` is not a finite number") for word in (".inf", "-.Inf", "+.INF", ".nan", ".NaN")),
        ("1e999", "`1e999` is too large for a number"),
        ("9" * 3001, f"`{'9' * 59}…` is a number of more than 3000 digits"),
        ("0x" + "f" * 4000, f"`0x{'f' * 57}…` is a number of more than 3000 digits"),
    ],
)
def test_a_number_without_a_value_is_refused(text: str, message: str) -> None:
    assert findings(f"k: {text}") == [("AS016", message, text)]


@pytest.mark.parametrize(("text", "number"), [("012", 12), ("-08", -8), ("00", 0)])
def test_a_leading_zero_is_noted_with_the_number(text: str, number: int) -> None:
    [finding] = parse(Source("x.yaml", f"k: {text}")).diagnostics

    assert (finding.code, finding.severity, finding.message) == ("AS017", "note", f"`{text}` is the number {number}")
    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == [str(number)]


@pytest.mark.parametrize("text", ["0.5", "0o17", "0x0F", "0", "'012'", "01x", "0e3", "00.5"])
def test_other_zeros_are_not_noted(text: str) -> None:
    assert findings(f"k: {text}") == []


@pytest.mark.parametrize("key", ["1", "true", "null", "~", "1.5", "012"])
def test_a_key_is_text_and_one_that_others_read_otherwise_is_noted(key: str) -> None:
    [document] = parse(Source("x.yaml", f"{key}: x")).documents
    assert isinstance(document.root, Mapping)

    assert document.root.names() == [key]
    assert findings(f"{key}: x") == [("AS024", f"key `{key}` is read as text", key)]


@pytest.mark.parametrize("key", ["on", "no", "'1'", '"true"', "2024-01-01", "a b"])
def test_other_keys_are_not_noted(key: str) -> None:
    assert findings(f"{key}: x") == []


def test_odd_line_ends_of_yaml_1_1_are_ordinary_characters() -> None:
    assert value("a\x85b\u2028c") == "a\x85b\u2028c"
    assert value('"a\u2029b"') == "a\u2029b"


def test_surrogate_pairs_of_json_are_one_character() -> None:
    assert value(r'"\ud83d\ude00!"') == "😀!"
    assert value(r"'\ud83d'") == r"\ud83d"


def test_half_a_surrogate_pair_is_an_error_at_its_escape() -> None:
    assert findings(r'k: "a\ud83d b"') == [("AS029", r"`\ud83d` is half a character", r"\ud83d")]
