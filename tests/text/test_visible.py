"""Characters that nobody sees, and what a terminal may be given."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.text.visible import harmless, has_hidden, hidden_in, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text\twith\ntabs", "plain text\twith\ntabs"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\rb\x00\x7f\x9b", "a\\x0db\\x00\\x7f\\x9b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("line\u2028end", "line\\u2028end"),
        ("half \ud83d", "half \\ud83d"),
        ("café 世界 😀", "café 世界 😀"),
        ("👩\u200d👧 ❤\ufe0f", "👩\u200d👧 ❤\ufe0f"),
        ("a\u200db", "a\\u200db"),
    ],
)
def test_what_steers_a_terminal_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Lu", "So"))))
def test_nothing_that_steers_comes_through(text: str) -> None:
    shown = visible(text)

    assert not [
        character
        for character in shown
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in "\t\n"
    ]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff")


def test_hidden_characters_are_told_in_order() -> None:
    assert hidden_in("a\u200bb\u202ec\u00ad") == ["\u200b", "\u202e", "\u00ad"]
    assert hidden_in("plain") == []


@pytest.mark.parametrize(("text", "expected"), [("plain", False), ("café", False), ("a\u2060b", True), ("\x85", True)])
def test_a_text_with_hidden_characters_is_known(text: str, expected: bool) -> None:
    assert has_hidden(text) is expected


def test_a_harmless_text_keeps_its_content_and_steers_nothing():
    assert harmless("a\tb\r\n\ufeffé\u200d\x1b[31m\x9b\u202e") == "a\tb\r\n\ufeffé\u200d\\x1b[31m\\x9b\\u202e"
