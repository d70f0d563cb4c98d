"""DSL texts beyond every limit: one plain error, in time that their length decides."""

from __future__ import annotations

import time

import pytest

from agentspec.syntax.dsl import parse
from agentspec.syntax.dsl.state import MOST_TOKENS
from agentspec.syntax.limits import MAX_BYTES, MAX_NODES
from agentspec.syntax.tree import walk
from agentspec.text.source import Source

HEAD = "agent x {\n"
DEEP = "values are nested deeper than 64 levels"
MANY = "the file has more than 100000 values"


def refusal(text: str) -> tuple[str, str]:
    parsed = parse(Source("x.agent", text))
    assert parsed.documents == []
    [one] = parsed.diagnostics
    assert one.severity == "error"
    return one.code, one.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "a: " + "[" * 200_000, ("AS004", DEEP)),
        (HEAD + "a { " * 200_000, ("AS004", DEEP)),
        (HEAD + "capability { tool f(a: " + "(" * 200_000, ("AS004", DEEP)),
        (HEAD + "inputs { a: number" + "[]" * 200_000, ("AS004", DEEP)),
        (HEAD + 'inputs { a: "x"' + "[]" * 200_000, ("AS004", DEEP)),
        (HEAD + "a: [" + "1, " * (MAX_NODES + 1) + "] }", ("AS004", MANY)),
        (":" * (MOST_TOKENS + 1), ("AS004", MANY)),
        (HEAD + "# " + "a" * MAX_BYTES + "\n}", ("AS004", "the file is larger than 4 MiB")),
        (HEAD + "a: \0 }", ("AS003", "a NUL byte (U+0000) stands in the file; is it a binary file?")),
        (HEAD + 'a: "\x1b" }', ("AS003", "an escape character (U+001B) stands in the file")),
        (HEAD + 'a: "\ud800" }', ("AS002", "the text holds half a character (surrogate U+D800)")),
    ],
    ids=range(11),
)
def test_a_bomb_is_refused_with_one_error(text, expected):
    assert refusal(text) == expected


def test_sixty_four_levels_are_read_and_one_more_is_not():
    def nested(levels: int) -> str:
        return "agent x " + "{ a " * (levels - 1) + "{ }" + " }" * (levels - 1)

    assert parse(Source("x.agent", nested(64))).diagnostics == []
    assert refusal(nested(65)) == ("AS004", DEEP)


def test_sugar_counts_for_the_levels_that_it_makes():
    def nested(levels: int) -> str:
        return "agent x { capability { tool f(a: " + "{b: " * levels + "number" + "}" * levels + ") = 1 } }"

    assert parse(Source("x.agent", nested(20))).diagnostics == []
    assert refusal(nested(40)) == ("AS004", DEEP)


@pytest.mark.slow
def test_as_many_values_as_may_be_are_read():
    parsed = parse(Source("x.agent", "agent x { a: [" + "1," * (MAX_NODES - 10) + "] }"))

    assert parsed.diagnostics == []
    assert len(list(walk(parsed.documents[0].root))) == MAX_NODES - 10 + 3


# Texts that a careless pattern, rescan or table of findings would take a quadratic time for.
SLOW = {
    "comments": lambda n: HEAD + "# c\n" * n + "}",
    "comments behind entries": lambda n: HEAD + "a: [\n" + "b, # c\n" * (n // 2) + "] }",
    "comments in an expression": lambda n: HEAD + "a = (\n" + "# c\n" * n + ") }",
    "strings that are not closed": lambda n: HEAD + 'a: "b\n' * n,
    "escapes without an end": lambda n: HEAD + 'a: "' + '\\"' * n,
    "escapes in an expression": lambda n: HEAD + "a = " + '"\\' * n,
    "brackets in expressions": lambda n: HEAD + ("a = (\n" + "b: 1\n" * 20) * (n // 20),
    "texts that are not closed": lambda n: (
        HEAD + "".join("a: " + '"' * (3 + each) + "\n" for each in range(int(n**0.5)))
    ),
    "rules without arrows": lambda n: HEAD + "r {\n" + "when a\n" * n,
    "a word without end": lambda n: HEAD + "a: " + "a." * n,
    "signs on one line": lambda n: HEAD + ") " * n,
    "braces on one line": lambda n: HEAD + "}{" * n,
    "semicolons": lambda n: HEAD + ";" * n,
    "words on one line": lambda n: HEAD + "a: " + "b " * n,
    "broken lines": lambda n: HEAD + "a b c d\n" * n,
    "broken heads": lambda n: "agent {}\n" * n,
    "twins": lambda n: HEAD + "a: 1 # c\n" * (n // 2) + "}",
    "tools": lambda n: HEAD + "capability {\n" + "tool f() = 3\n" * (n // 4) + "} }",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SLOW)
def test_time_grows_as_the_text_does(case):
    make = SLOW[case]

    def cost(size: int) -> float:
        source = Source("x.agent", make(size))
        begin = time.process_time()
        parsed = parse(source)
        spent = time.process_time() - begin
        assert parsed.documents or parsed.diagnostics
        return spent

    short = min(cost(3_000) for _ in range(3))
    long = min(cost(24_000) for _ in range(2))

    assert long < 24 * short + 0.3  # eight times the text; a quadratic reader takes 64 times as long
