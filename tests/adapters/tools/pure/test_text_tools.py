"""The helpers of `text` give what Python gives, in bounded time, and refuse in words what has no answer."""

import base64
import difflib
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.kits import make_kit
from agentspec.compose.toolkits import TOOLKITS
from agentspec.errors import SpecInvalid
from tests.adapters.tools.calling import call, refusal, value

TEXT = st.text(max_size=200)


@pytest.mark.parametrize("family", ["text", "math", "json", "time"])
def test_the_checker_knows_the_same_tools_as_the_toolkit(family):
    offered = make_kit(family, {}, Setting(Path()))

    assert {name: plan.effect for name, (plan, _) in offered.items()} == TOOLKITS[family]
    assert {(plan.repeat, plan.is_concurrent) for plan, _ in offered.values()} == {("read", True)}


def test_options_choose_and_rename_helpers():
    options = {"enabled": ["sha256", "count_chars"], "names": {"sha256": "hash_of"}}

    assert list(make_kit("text", options, Setting(Path()))) == ["count_chars", "hash_of"]


def test_an_unknown_helper_is_named_with_the_nearest():
    with pytest.raises(SpecInvalid, match="the toolkit `text` has no tool `count_char`; did you mean `count_chars`"):
        make_kit("text", {"disabled": ["count_char"]}, Setting(Path()))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("count_chars", {"text": "strawberry"}, 10),
        ("count_chars", {"text": "strawberry", "part": "r"}, 3),
        ("count_chars", {"text": "née 👩‍👩‍👧"}, 9),
        ("count_words", {"text": " one  two\nthree "}, 3),
        ("count_lines", {"text": "a\n\nb\n"}, 3),
        ("count_lines", {"text": ""}, 0),
        ("replace_text", {"text": "a.a.a", "old": "a", "new": "ä", "most": 2}, {"text": "ä.ä.a", "replaced": 2}),
        ("split_text", {"text": "a, b, c", "separator": ", "}, ["a", "b", "c"]),
        ("split_text", {"text": "a, b, c", "separator": ", ", "most": 2}, ["a", "b, c"]),
        ("split_text", {"text": "  a \n b "}, ["a", "b"]),
        ("split_text", {"text": "a b c", "most": 1}, ["a b c"]),
        ("join_text", {"parts": ["a", "b"], "separator": " – "}, "a – b"),
        ("join_text", {"parts": []}, ""),
        ("slice_text", {"text": "abcdef", "start": 1, "end": 3}, "bc"),
        ("slice_text", {"text": "abcdef", "start": -2}, "ef"),
        ("slice_text", {"text": "abc", "start": 5}, ""),
        ("reverse_text", {"text": "abc"}, "cba"),
        ("change_case", {"text": "straße", "to": "upper"}, "STRASSE"),
        ("change_case", {"text": "it's élan vital", "to": "title"}, "It's Élan Vital"),
        ("change_case", {"text": "parseHTTPResponse2 now", "to": "snake"}, "parse_http_response_2_now"),
        ("change_case", {"text": "parse_http response", "to": "camel"}, "parseHttpResponse"),
        ("change_case", {"text": "parse-http", "to": "pascal"}, "ParseHttp"),
        ("change_case", {"text": "Größe der Datei", "to": "kebab"}, "größe-der-datei"),
        ("sort_lines", {"text": "b\na\nb", "unique": True}, "a\nb"),
        ("sort_lines", {"text": "x10\nx9\nnone", "numeric": True}, "x9\nx10\nnone"),
        ("sort_lines", {"text": "a\nb", "reverse": True}, "b\na"),
        ("sha256", {"text": ""}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("base64_encode", {"text": "é?>"}, "w6k/Pg=="),
        ("base64_encode", {"text": "é?>", "url": True}, "w6k_Pg=="),
        ("base64_decode", {"text": " w6k_\nPg "}, "é?>"),
        ("url_encode", {"text": "a b/é&"}, "a%20b%2F%C3%A9%26"),
        ("url_decode", {"text": "a%20b%2f%C3%A9+"}, "a b/é+"),
        ("diff_text", {"old": "a\nb\n", "new": "a\nc\n"}, "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c"),
        ("diff_text", {"old": "a\n", "new": "a\n"}, "the texts are equal"),
        ("diff_text", {"old": "a\n", "new": "a"}, "the lines are equal; the texts differ in their line ends"),
    ],
)
async def test_a_helper_gives(name, arguments, expected):
    assert await value("text", name, **arguments) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("count_chars", {"text": "a", "part": ""}, "`part` is empty; leave it out to count all characters"),
        ("replace_text", {"text": "a", "old": "", "new": "b"}, "`old` is empty: there is nothing to replace"),
        ("split_text", {"text": "a", "separator": ""}, "`separator` is empty; leave it out to split at blanks"),
        ("base64_decode", {"text": "a*b"}, "`text` is no base64"),
        ("base64_decode", {"text": "é"}, "`text` is no base64"),
        ("base64_decode", {"text": "/w=="}, "these are bytes and no text: what is decoded is not UTF-8"),
        ("url_decode", {"text": "%ff"}, "these are bytes and no text: what is decoded is not UTF-8"),
        ("sha256", {"text": "\ud800"}, "`text` holds half of a surrogate pair, which is no character"),
        ("count_words", {"text": "a" * 1_048_577}, "`text` has 1048577 characters; at most 1048576 are taken"),
        (
            "replace_text",
            {"text": "a" * 1000, "old": "a", "new": "b" * 2000},
            "the result would have more than 1048576 characters",
        ),
        (
            "join_text",
            {"parts": ["", ""], "separator": "b" * 1_000_000},
            "the result would have more than 1048576 characters",
        ),
        ("diff_text", {"old": "a\n" * 5001, "new": ""}, "a text of more than 5000 lines; compare it in parts"),
        (
            "regex_match",
            {"text": "a", "pattern": "(?=a)"},
            "the pattern `(?=a)` can't be read: invalid perl operator: (?= (RE2: no look-around, no back-references)",
        ),
        (
            "regex_match",
            {"text": "a", "pattern": "a" * 4097},
            "the pattern has 4097 characters; at most 4096 are taken",
        ),
        (
            "regex_replace",
            {"text": "a", "pattern": "(a)", "new": r"\2"},
            "`new` names the group `2`, which the pattern does not have",
        ),
        (
            "regex_replace",
            {"text": "a" * 100_000, "pattern": "a", "new": "b" * 100},
            "the result would have more than 1048576 characters",
        ),
    ],
)
async def test_what_has_no_answer_is_refused_in_words(name, arguments, words):
    assert await refusal("text", name, **arguments) == words


async def test_matches_come_with_places_and_groups():
    output = await call("text", "regex_match", text="á: k1=v1, k2=", pattern=r"(?P<key>k\d)=(v\d)?")

    assert output.text == "3-8: k1=v1 | 1: k1 | 2: v1\n10-13: k2= | 1: k2"
    assert output.data == {
        "matches": [
            {"text": "k1=v1", "start": 3, "end": 8, "groups": ["k1", "v1"], "named": {"key": "k1"}},
            {"text": "k2=", "start": 10, "end": 13, "groups": ["k2", None], "named": {"key": "k2"}},
        ],
        "more": False,
    }


async def test_more_matches_than_asked_for_are_told():
    output = await call("text", "regex_match", text="aaa", pattern="A", ignore_case=True, most=2)

    assert (output.text, output.data["more"]) == ("0-1: a\n1-2: a\n… and more", True)


async def test_no_match_is_no_error():
    output = await call("text", "regex_match", text="aaa", pattern="b")

    assert (output.text, output.data) == ("no match", {"matches": [], "more": False})


async def test_groups_fill_in_whatever_script_they_are_in():
    arguments = {"text": "Österreich, Zürich", "pattern": r"(?P<first>\pL)(\pL+)", "new": r"\2-\g<first>\\1é"}

    found = await value("text", "regex_replace", **arguments)

    assert found == {"text": r"sterreich-Ö\1é, ürich-Z\1é", "replaced": 2}


async def test_a_pattern_that_ruins_other_engines_is_quick():
    assert (await value("text", "regex_match", text="a" * 50_000 + "b", pattern="(a*)*(a|a)*c"))["matches"] == []


@given(TEXT)
async def test_encodings_are_undone_by_their_counterparts(text):
    encoded = await value("text", "base64_encode", text=text)
    quoted = await value("text", "url_encode", text=text)

    assert encoded == base64.b64encode(text.encode()).decode()
    assert quoted == quote(text, safe="")
    assert await value("text", "base64_decode", text=encoded) == text
    assert await value("text", "url_decode", text=quoted) == text


@given(TEXT, st.text(min_size=1, max_size=3))
async def test_splitting_and_joining_are_counterparts(text, separator):
    parts = await value("text", "split_text", text=text, separator=separator)

    assert len(parts) == await value("text", "count_chars", text=text, part=separator) + 1
    assert await value("text", "join_text", parts=parts, separator=separator) == text


@given(st.text("ab1 ", max_size=60), st.sampled_from([r"a+", r"(a)(b)?", r"\d", r"^", r"b*"]))
async def test_patterns_match_as_in_python_where_both_agree(text, pattern):
    found = await value("text", "regex_match", text=text, pattern=pattern, most=10_000)
    expected = [one.span() for one in re.finditer(pattern, text) if one.group() or pattern == "^"]

    assert [(one["start"], one["end"]) for one in found["matches"] if one["text"] or pattern == "^"] == expected


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
async def test_a_diff_leads_from_the_old_text_to_the_new(old, new):
    diff = await value("text", "diff_text", old="\n".join(old), new="\n".join(new), context=1000)

    lines = diff.splitlines()[3:] if old != new else [f" {line}" for line in new]
    assert list(difflib.restore([f"{line[:1]} {line[1:]}" for line in lines], 2)) == new
