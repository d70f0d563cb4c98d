"""No pattern takes longer than its text: those that keep other engines busy for years end at once, wherever they stand."""

import contextlib
import json
import time

import pytest

from agentspec.adapters.tools.pure.patterns import find_matches
from agentspec.adapters.tools.pure.pure import Unfit
from agentspec.core.calls.globs import BadGlob, matches
from agentspec.core.schema.validate import compile_schema
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import compile_expression
from agentspec.expressions.places import PLACES

SECONDS = 0.1  # of the processor
LONG = 30_000
# Each with the text that makes it slow elsewhere, of which there is as much as fits.
PATTERNS = {
    r"(a+)+$": "a",
    r"(a*)*$": "a",
    r"(a|a)*$": "a",
    r"(a|aa)+$": "a",
    r"(a+){10}$": "a",
    r"([a-zA-Z]+)*$": "a",
    r"(.*a){20}$": "a",
    r"(.*)*$": "x",
    r"(.*?,){20}P": "1,",
    r"^(([a-z])+.)+[A-Z]([a-z])+$": "a",
    r"(x+x+)+y": "x",
    r"(x+)+(x+)+y": "x",
    r"(\w+\s?)*$": "word ",
    r"(\s*\w+\s*)*$": "w ",
    r"\s+$": " ",
    r"^\s*(.*\S)?\s*$": " x",
    r"^(\d+)*$": "1",
    r"(\d+|\d+x)*$": "1",
    r"^([a-z0-9]+[-._]?)+@x$": "a",
    r"^(([^<>()\[\].,;:\s@]+(\.[^<>()\[\].,;:\s@]+)*)|(.+))@(.+)$": "a.",
    r"^(https?://)?([\da-z.-]+)\.([a-z.]{2,6})([/\w .-]*)*/?$": "a",
    r"<(\w+)[^>]*>(.*?)*</x>": "<a>",
    r"(<!--.*?-->)*$": "<!--",
    r"\"(\\.|[^\"\\])*\"$": '\\"',
    r"('(\\.|[^'])*'|\"(\\.|[^\"])*\")*$": "'a",
    r"^((ab)*)+$": "ab",
    r"^(ab|a|b)*c$": "ab",
    r"(?:a?){30}a{30}": "a",
    r"(?:(?:a{1,30}){1,30}){1,30}$": "a",
    r"a{0,1000}a{0,1000}$": "a",
    r"(?i)(A+)+$": "a",
    r"(?s).*.*.*.*=.*": "x",
    r".*.*.*.*.*.*.*x$": "a",
    r"(a|b|ab)*bc$": "ab",
    r"^(a?b?c?d?)*e$": "abcd",
    r"([^ ]+ ?)+:$": "w ",
    r"(?:\/+[^\/]*)+\?$": "/a",
    r"^(?:.?.?.?.?.?.?.?)*$": "a",
    r"(\p{L}+)+\d$": "é",
    r"(a|\w|.)*\z!": "a",
}


def text_of(piece):
    return piece * (LONG // len(piece)) + "\n!"


def evaluate(pattern, text):
    quoted = json.dumps(pattern)
    return compile_expression(f"text.matches({quoted})", PLACES["post_turn.when"]).evaluate({"text": text})


@pytest.mark.parametrize("pattern", PATTERNS)
def test_it_ends_at_once_where_a_model_a_schema_or_a_spec_names_it(pattern):
    text = text_of(PATTERNS[pattern])
    judge = compile_schema(
        {"type": "object", "properties": {"t": {"type": "string", "pattern": pattern}}}, noun="field"
    )
    find_matches("x", "x")  # the library itself is loaded
    began = time.process_time()

    with contextlib.suppress(Unfit):  # too large a pattern is refused, in words
        find_matches(text, pattern)
    judge.check({"t": text})
    searched = time.process_time()
    with contextlib.suppress(ExpressionError):
        evaluate(pattern, text)
    evaluated = time.process_time()

    assert searched - began < 2 * SECONDS
    assert evaluated - searched < 2 * SECONDS


@pytest.mark.parametrize("glob", ["*a" * 40, "**/" * 40 + "x", "{a,aa}" * 30, "[a-z]*" * 40, "?" * 400 + "*x"])
def test_globs_end_at_once_too(glob):
    began = time.process_time()

    with contextlib.suppress(BadGlob):
        matches(glob, "a" * LONG)

    assert time.process_time() - began < 2 * SECONDS


def test_an_expression_that_matches_does_so():
    assert (evaluate("(a+)+$", "aaa"), evaluate("(a+)+$", text_of("a"))) == (True, False)


def test_there_are_enough():
    assert len(PATTERNS) >= 40
