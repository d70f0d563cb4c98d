"""Diagrams of a grammar: what a rule says is what is drawn."""

from __future__ import annotations

import re
from html import unescape

import pytest

from scripts.grammar import grammar_pages
from scripts.railroad import Box, as_text, drawn, read_grammar, size

PAGES = grammar_pages("")
RECT = r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"'
GRAMMAR = """\
// a comment
list: "[" "]"                                     -> empty
    | "[" items ","? "]"                          -> full

items: item                                       -> first
     | items "," item                             -> more

item: WORD | list
    | item "?"                                    -> optional
    | BROKEN

rules:                                            -> none
     | rules WHEN item [","]                      -> more

WHEN: "when"
WORD: /[a-z]+/

// ---- expression
other: "x"
"""


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("list", '"[" "]" | "[" item {"," item} [","] "]"'),
        ("item", '(word | list) [{"?"}]'),
        ("rules", '[{"when" item [","]}]'),
    ],
)
def test_a_rule_is_read_as_it_repeats(rule, text):
    rules = drawn(read_grammar(GRAMMAR), ("list", "item", "rules"), (), {"WORD": "word"})

    assert as_text(rules[rule]) == text


def test_a_box_is_as_wide_as_its_word():
    assert size(Box("tool")).width > size(Box("a")).width


@pytest.mark.parametrize("path", [path for path in PAGES if path.endswith(".svg")])
def test_a_diagram_has_the_words_of_its_rule_inside_its_edges(path):
    drawing = PAGES[path]
    width, height = map(float, re.findall(r'<svg [^>]*width="(\d+)" height="(\d+)"', drawing)[0])
    rule = unescape(re.findall("<title>.* = (.*)</title>", drawing)[0])
    boxes = [tuple(map(float, found)) for found in re.findall(RECT, drawing)]

    told = set(map(unescape, re.findall("<text[^>]*>([^<]*)</text>", drawing)))
    assert told == {sign or name for sign, name in re.findall(r'"([^"]+)"|([A-Za-z]+)', rule)}
    assert boxes
    assert min(x for x, *_ in boxes) >= 0
    assert max(x + w for x, _, w, _ in boxes) <= width
    assert min(y for _, y, _, _ in boxes) >= 0
    assert max(y + h for _, y, _, h in boxes) <= height
