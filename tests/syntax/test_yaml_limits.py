"""Bombs and strange files: refused fast, with one plain error."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from agentspec.syntax.tree import Parsed, walk
from agentspec.syntax.yaml import parse
from agentspec.text.source import Source


def lists(levels: int, width: int) -> str:
    first = f"a0: &a0 [{', '.join(['lol'] * width)}]\n"
    return first + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]\n" for n in range(1, levels))


def merges(levels: int, width: int) -> str:
    first = "a0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(width)) + "}\n"
    return first + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * width)}]}}\n" for n in range(1, levels))


TOO_DEEP = "values are nested deeper than 64 levels"
TOO_MANY = "the file has more than 100000 keys and values"
TOO_MUCH = "aliases expand to more than 10 times the file"
BOMBS = {
    "alias lists": (lists(9, 9), TOO_MUCH),
    "alias lists in a long file": (
        lists(9, 9) + "# " + "x" * 1_000_000,
        "aliases expand to more than 100000 keys and values",
    ),
    "alias mappings": (lists(9, 9).replace("[", "{x: [").replace("]", "]}"), TOO_MUCH),
    "one long text": ("a: &a " + "x" * 10_000 + "\nb: [" + "*a, " * 20 + "*a]", TOO_MUCH),
    "merges": (merges(9, 8), TOO_MUCH),
    "merges one by one": (
        "a0: &a0 {x: 1, y: 2}\n"
        + "".join(f"a{n}: &a{n} {{p: *a{n - 1}, q: *a{n - 1}, <<: *a{n - 1}}}\n" for n in range(1, 20)),
        TOO_MUCH,
    ),
    "flow lists": ("[" * 5000, TOO_DEEP),
    "flow mappings": ("{a: " * 5000, TOO_DEEP),
    "block lists": ("- " * 5000, TOO_DEEP),
    "block mappings": ("".join(" " * n + "a:\n" for n in range(500)), TOO_DEEP),
    "depth through aliases": (
        "a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40 + "\n",
        TOO_DEEP,
    ),
    "many values": ("- a\n" * 400_000, TOO_MANY),
    "many keys": ("".join(f"k{n}: 1\n" for n in range(60_000)), TOO_MANY),
    "a large file": ("# " + "x" * 4 * 1024 * 1024, "the file is larger than 4 MiB"),
    "a large file of wide characters": ("# " + "😀" * 1_100_000, "the file is larger than 4 MiB"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(name: str) -> None:
    text, message = BOMBS[name]
    source = Source("x.yaml", text)
    begun = time.process_time()

    parsed = parse(source)

    spent = time.process_time() - begun
    assert [(each.code, each.message) for each in parsed.diagnostics] == [("AS004", message)]
    assert parsed.documents == []
    assert spent < 2.0  # a second, and another for a busy machine


def test_the_merge_bomb_takes_no_time() -> None:
    parse(Source("x.yaml", merges(2, 2)))  # what is loaded and compiled at first use
    source = Source("x.yaml", merges(9, 8))
    begun = time.process_time()

    parse(source)

    assert time.process_time() - begun < 0.05


@pytest.mark.slow
def test_a_bomb_takes_no_memory() -> None:
    source = Source("x.yaml", "- a\n" * 400_000)
    tracemalloc.start()
    try:
        parse(source)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 100 * 1024 * 1024


def test_the_deepest_value_that_is_allowed() -> None:
    parsed = parse(Source("x.yaml", "[" * 64 + "]" * 64))

    assert parsed.diagnostics == []
    assert len(list(walk(parsed.documents[0].root))) == 64


def test_honest_aliases_and_merges_are_read() -> None:
    text = "base: &b {a: 1, b: 2, c: 3}\n" + "".join(f"t{n}: {{<<: *b, d: {n}}}\n" for n in range(20))

    parsed: Parsed = parse(Source("x.yaml", text))

    assert parsed.diagnostics == []


def test_an_alias_inside_its_own_anchor_is_an_error() -> None:
    parsed = parse(Source("x.yaml", "a: &a [1, *a]\nb: &b {<<: *b, c: 1}\n"))

    assert [(each.code, each.message, each.path) for each in parsed.diagnostics] == [
        ("AS009", "alias `*a` stands inside the value that it repeats", "a[1]"),
        ("AS009", "alias `*b` stands inside the value that it repeats", 'b["<<"]'),
    ]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a: \0b", "AS003", "a NUL byte (U+0000) stands in the file; is it a binary file?"),
        ("a: b\x07", "AS003", "a control character (U+0007) stands in the file"),
        ("a: \x9b31m", "AS003", "a control character (U+009B) stands in the file"),
        ("a: \ud800", "AS002", "the text holds half a character (surrogate U+D800)"),
        ("a: \uffff", "AS003", "a control character (U+FFFF) stands in the file"),
    ],
)
def test_characters_that_no_text_holds_are_refused(text: str, code: str, message: str) -> None:
    parsed = parse(Source("x.yaml", text))

    assert [(each.code, each.message) for each in parsed.diagnostics] == [(code, message)]
    assert parsed.documents == []


STRANGE = {
    "every line broken": "".join(f"k{n}: a: b\n" for n in range(20_000)),
    "every item broken": "k:\n" + "- a: b: c\n" * 20_000,
    "every line with a tab": "\tx: 1\n" * 20_000,
    "the last of many documents broken": "---\na: 1\n" * 10_000 + "---\na: b: c\n",
    "nothing but quotes": '"' * 300_000,
    "a quote that never closes": 'a: "x\n' + "".join(f'k{n}: "v {n}"\n' for n in range(20_000)),
    "aliases of nothing": "".join(f"k{n}: &a{n} *b{n}\n" if n % 2 else f"k{n}: *c{n}\n" for n in range(20_000)),
    "only directives": "%x\n" * 20_000,
    "escapes that do not exist": 'a: "' + "\\q" * 100_000 + '"',
    "every line ends oddly": "a: x\x85\n" + "b: \u2028y\n" * 5_000,
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_not_yaml_takes_no_time_either(name: str) -> None:
    source = Source("x.yaml", STRANGE[name])
    begun = time.process_time()

    parsed = parse(source)

    assert parsed.diagnostics
    assert time.process_time() - begun < 2.0
