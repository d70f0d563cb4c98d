"""A finding as a person reads it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.render import excerpt_of, render
from agentspec.text.source import Source, Span


def marked(text: str, place: str, **more: object) -> Diagnostic:
    """A finding at the first occurrence of some text."""
    start = text.index(place)
    return Diagnostic("AS102", "error", "unknown key", Span(Source("a.yaml", text), start, start + len(place)), **more)


def lines_of(text: str, place: str) -> list[str]:
    """The source line and the line of carets."""
    _, _, _, line, carets = render(marked(text, place)).splitlines()
    return [line, carets]


def test_a_finding_is_shown_with_its_line_a_caret_and_the_way_out() -> None:
    text = "name: x\nexecution:\n  max: 1\n  maks: 3\n"
    source = Source("triage.yaml", text)
    finding = Diagnostic(
        "AS102",
        "error",
        "unknown key `maks`",
        Span(source, 30, 34),
        help="did you mean `max`?",
        related=(Related(Span(source, 21, 24), "this one"),),
    )

    assert render(finding).splitlines() == [
        "error[AS102]: unknown key `maks`",
        " --> triage.yaml:4:3",
        "   |",
        " 4 |   maks: 3",
        "   |   ^^^^",
        " ::: triage.yaml:3:3: this one",
        "   |",
        " 3 |   max: 1",
        "   |   ---",
        "   = help: did you mean `max`?",
    ]


def test_the_margin_is_as_wide_as_the_longest_line_number() -> None:
    assert render(marked("\n" * 11 + "here", "here")).splitlines()[1:] == [
        "  --> a.yaml:12:1",
        "    |",
        " 12 | here",
        "    | ^^^^",
    ]


@pytest.mark.parametrize(
    ("text", "place", "line", "carets"),
    [
        ("\tkey: x", "key", " 1 |     key: x", "   |     ^^^"),
        ("a\tkey: x", "key", " 1 | a   key: x", "   |     ^^^"),
        ("世界: here", "here", " 1 | 世界: here", "   |       ^^^^"),
        ("a: 世界 b", "世界", " 1 | a: 世界 b", "   |    ^^^^"),
        ("e\u0301a: x", "a", " 1 | e\u0301a: x", "   |  ^"),
        ("a\x1b[31m: x", "x", " 1 | a\\x1b[31m: x", "   |            ^"),
        ("a: \u202etxt", "\u202e", " 1 | a: \\u202etxt", "   |    ^^^^^^"),
        ("a: 1\r\nb: 2", "b", " 2 | b: 2", "   | ^"),
    ],
)
def test_carets_stand_below_what_they_mean(text: str, place: str, line: str, carets: str) -> None:
    assert lines_of(text, place) == [line, carets]


def test_a_place_over_several_lines_is_marked_on_its_first() -> None:
    assert lines_of("a: |\n  one\n  two\nb: 1", "|\n  one\n  two") == [" 1 | a: |", "   |    ^ to line 3"]


@pytest.mark.parametrize(("start", "expected"), [(4, "   |     ^"), (0, "   | ^")])
def test_an_empty_place_has_one_caret(start: int, expected: str) -> None:
    finding = Diagnostic("AS1", "note", "m", Span(Source("x", "a: 1"), start, start))

    assert render(finding).splitlines()[-1] == expected


def test_a_place_behind_the_last_line_is_shown() -> None:
    finding = Diagnostic("AS1", "note", "m", Span(Source("x", "a: 1\n"), 5, 5))

    assert render(finding).splitlines() == ["note[AS1]: m", " --> x:2:1", "   |", " 2 |", "   | ^"]


def test_a_file_without_text_is_named_alone() -> None:
    finding = Diagnostic("AS002", "error", "not UTF-8", Span(Source("x.yaml", ""), 0, 0), help="save it")

    assert render(finding).splitlines() == ["error[AS002]: not UTF-8", " --> x.yaml", "   = help: save it"]


def test_a_long_line_is_cut_around_its_place() -> None:
    line, carets = lines_of("x" * 5000 + "HERE" + "y" * 5000, "HERE")

    assert line == " 1 | …" + "x" * 40 + "HERE" + "y" * 66 + "…"
    assert carets == "   | " + " " * 41 + "^^^^"


def test_messages_and_names_reach_the_terminal_as_escapes() -> None:
    source = Source("a\x1b[2J.yaml", "k: v")
    finding = Diagnostic(
        "AS1",
        "error",
        "bad \x1b[31m\u202e",
        Span(source, 0, 1),
        help="\x07",
        related=(Related(Span(source, 3, 4), "\x9b"),),
    )

    shown = render(finding)

    assert "bad \\x1b[31m\\u202e" in shown
    assert " --> a\\x1b[2J.yaml:1:1" in shown
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)


def test_colours_change_no_character_of_the_text() -> None:
    finding = marked("name: x\n\tmaks: 3\n", "maks", help="did you mean `max`?")

    painted = render(finding, colour=True)

    assert painted.startswith("\x1b[1;31merror[AS102]\x1b[0m: \x1b[1munknown key\x1b[0m\n")
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == render(finding)


@given(st.text("ab \t\r\n世é\u0301\x1b\u202e😀", max_size=60), st.data())
def test_any_place_of_any_text_is_shown(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = Span(Source("x", text), start, end)

    shown = render(Diagnostic("AS1", "error", "m", span))
    excerpt = excerpt_of(span)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", shown)
    assert excerpt.width >= 1
    assert excerpt.start <= 2 * len(excerpt.text) + 1


def test_a_span_between_the_two_characters_of_a_line_end_is_shown_at_the_end_of_the_line() -> None:
    source = Source("a.yaml", "aaaa\r\nb")

    excerpt = excerpt_of(Span(source, 5, 6))

    assert (excerpt.text, excerpt.start) == ("aaaa", 4)
