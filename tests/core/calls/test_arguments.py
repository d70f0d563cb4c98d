"""The argument text of a call is read strictly, repaired once in form, and never in content."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.calls.arguments import MAX_CHARACTERS, Parsed, parse

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("text", [None, "", " \n\t", "None", " None ", "{}"])
def test_no_text_means_no_arguments(text):
    assert parse(text) == Parsed({}, repaired=False)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("{'a': 'x'}", {"a": "x"}),
        ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
        (r"{'a': 'it\'s'}", {"a": "it's"}),
        ('{"a": "it\\\'s"}', {"a": "it's"}),
        ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1,}\n```\n', {"a": 1}),
        ('{"a": "x"', {"a": "x"}),
        ('{"a": {"b": ["x", true', {"a": {"b": ["x", True]}}),
        ('{"a": []', {"a": []}),
        ('{"a": "two\nlines\tand a tab"}', {"a": "two\nlines\tand a tab"}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("{'a': '\\u00e9 \\\\ \"'}", {"a": 'é \\ "'}),
    ],
)
def test_a_broken_form_is_repaired_once_and_said(text, arguments):
    assert parse(text) == Parsed(arguments, repaired=True)


@pytest.mark.parametrize(
    "text",
    [
        '{"path":"a.txt","text":"unterminated',
        '{"a": 12',
        '{"a": "x",',
        '{"a":',
        '{"a"',
        '{"{"tags":[1]}',
        '{"a": 1}}',
        '{"a": 1}{"b": 2}',
        '{"a": [1}',
        '{"a": [,]}',
        '{"a": 1,,}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": undefined}',
        "{'a': 'it's'}",
        '{"a": "\\d+"}',
        "please call the tool",
        "{",
        '{"a": ' + "1" * 5000 + "}",
    ],
)
def test_what_would_need_a_guess_is_a_problem(text):
    parsed = parse(text)

    if text == "{":
        assert parsed.arguments is None
    assert parsed.arguments is None
    assert parsed.problem.startswith("the arguments are not valid JSON: ")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("null", "null"), ("[1]", "a list"), ("7", "a number"), ('"x"', "a string"), ("true", "a boolean")],
)
def test_json_that_is_no_object_says_what_it_is(text, kind):
    assert parse(text) == Parsed(None, problem=f"the arguments must be a JSON object, not {kind}: `{text}`")


def test_a_problem_names_the_place():
    assert parse('{"a": 1 "b": 2}').problem == (
        'the arguments are not valid JSON: expecting \',\' delimiter at character 9 of 15, near `{"a": 1 "b": 2}`; '
        "send the whole call again"
    )


def test_what_is_missing_at_the_end_is_missing_there_and_at_no_character_behind_it():
    whole = '{"a": [1, {"b": "x"}], "c": tru'
    problems = [parse(whole[:length]).problem for length in range(1, len(whole) + 1)]

    assert all(f"at character {length + 1} of" not in problem for length, problem in enumerate(problems, 1))
    assert parse('{"n": 3').problem == (
        "the arguments are not valid JSON: expecting ',' delimiter at their end, near `{\"n\": 3`; "
        "send the whole call again"
    )


def test_a_key_given_twice_is_a_problem_at_every_depth():
    assert "the key `b` is given twice" in parse('{"a": {"b": 1, "b": 2}}').problem


@pytest.mark.parametrize("text", ['{"a": "x"', '{"a": "x', '{"a": 1,}'])
def test_text_that_was_cut_is_never_repaired(text):
    parsed = parse(text, was_cut=True)

    assert parsed.arguments is None
    assert "was cut off, or did not say that it was complete" in parsed.problem


def test_whole_text_is_read_though_the_reply_was_cut():
    assert parse('{"a": 1}', was_cut=True) == Parsed({"a": 1})


def test_half_a_megabyte_of_nonsense_gives_a_short_message():
    parsed = parse('{"a": "' + "x" * 500_000)

    assert len(parsed.problem) < 400
    assert "500007" in parsed.problem


@pytest.mark.parametrize(
    "text", ['{"a":' * 2000 + "1" + "}" * 2000, "[" * 100_000, '{"a":' + "[" * 70 + "]" * 70 + "}"]
)
def test_deep_nesting_is_refused_at_once(text):
    parsed = parse(text)

    assert "levels of nesting" in parsed.problem
    assert len(parsed.problem) < 400


def test_brackets_inside_strings_do_not_nest():
    assert parse(json.dumps({"a": "[" * 1000})) == Parsed({"a": "[" * 1000})


def test_five_megabytes_are_read_and_broken_ones_refused_soon():
    whole = json.dumps({"text": "line\n" * 1_000_000})
    started = time.process_time()

    assert parse(whole).arguments is not None
    assert parse(whole[:-2]).arguments is None
    assert parse('{"a":' + " " * MAX_CHARACTERS + "1}").problem.startswith("the arguments are 8388")
    assert time.process_time() - started < 5


def test_lone_surrogates_cannot_reach_an_encoder():
    parsed = parse('{"a": "\\ud800 and \\ud83d\\ude00", "\\udfff": "\ud801"}')

    assert parsed.arguments == {"a": "\ufffd and 😀", "\ufffd": "\ufffd"}
    assert parse('{"a": "\ud801').problem.isprintable()


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_what_json_writes_is_read_back_unrepaired(arguments):
    assert parse(json.dumps(arguments)) == Parsed(arguments, repaired=False)


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_what_python_prints_is_read_back_or_refused(arguments):
    parsed = parse(repr(arguments))

    assert parsed.arguments is None or parsed.arguments == arguments


@given(st.text(alphabet="{}[]\",':\\ntruefalsNoe`01.-e \n"), st.booleans())
def test_any_text_gives_arguments_or_a_problem(text, was_cut):
    parsed = parse(text, was_cut=was_cut)

    assert (parsed.arguments is None) == bool(parsed.problem)
    parsed.problem.encode()


WORDS = ("true", "null", "NaN", "é", '"x"', '"a:b"', '"\\u00e9"', '"\\ud800"', '"\x01"', '"é"', "[1]", '{"a":1}')
NUMBERS = (
    "1",
    "-0",
    "01",
    "1.0",
    "1e2",
    "1e400",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
)
LITERALS = st.sampled_from(WORDS + NUMBERS)


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c:", "é"]), LITERALS), max_size=4), st.sampled_from(["", " ", "\n"])
)
def test_plain_arguments_are_read_as_the_strict_reader_reads_them(pairs, blank):
    text = "{" + ",".join(f'{blank}"{key}"{blank}:{blank}{literal}' for key, literal in pairs) + "}"

    nested = parse(f'{{"in": [{text}]}}', was_cut=True).arguments  # a list inside is read by the strict reader alone
    flat = parse(text, was_cut=True).arguments

    assert repr(flat) == repr(None if nested is None else nested["in"][0])
