"""A page is read as a person reads it, in one pass, whatever is wrong with it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.web.readable import read_page


def text(source):
    return read_page(source, "https://h.example/x/").text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain", "plain"),
        ("<p>Some   text,\n 1 < 2 &lt;tag&gt; &eacute;<br>next", "Some text, 1 < 2 <tag> é\nnext"),
        ("<h2>Big <b>title</b></h2><p>one<p>two", "## Big title\n\none\n\ntwo"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>end", "- a\n  - b\n- c\n\nend"),
        ("<table><tr><th>A</th><th>B</th></tr><tr><td>1<td data-x='a > b'>2</td></table>", "A | B\n1 | 2"),
        ("<pre>def f():\n    return 1\n</pre>after", "def f():\n    return 1\n\nafter"),
        ("a <a href='../y?a=1&amp;b=2'>link</a>, <a href='#top'>top</a>", "a link (https://h.example/y?a=1&b=2), top"),
        ("<a href='javascript:x()'>x</a><a href='data:,y'>y</a><a href='http://[bad'>z</a>", "xyz"),
        ("<img alt='a cat' src=x><img src=y>", "[image: a cat]"),
        ("a<script>if (1<2) '</p>'</script>b<style>p{}</style>c<!-- d -->e", "abce"),
        ("a<template><p>b</p><template>c</template>d</template>e", "ae"),
        ("a<svg/>b<svg><path/><text>c</text></svg>d", "abd"),
        ("<textarea><b>raw &amp;</textarea>", "<b>raw &"),
        ("<title>x</title><p>y<title>z</title>", "y"),
        ("a<!-- never closed", "a"),
        ("a<script>never closed", "a"),
        ("a<b title='never closed>b", "a"),
        ("a</>b</ x>c<?php d ?>e<!doctype x>f", "abcef"),
        ("a < b <3 <", "a < b <3 <"),
        ("<noscript>no</noscript>a<hr>b", "a\n\n---\n\nb"),
    ],
)
def test_a_page_reads(source, expected):
    assert text(source) == expected


def test_the_title_is_told_apart():
    assert read_page("<title> A\n&amp; B </title>", "https://h/").title == "A & B"


@given(st.lists(st.sampled_from([*"<>/!-'\"= a&;\n", "<p>", "</p>", "<script>", "<!--", "<a href=", "<pre>", "&amp;"])))
def test_any_text_is_read(pieces):
    assert isinstance(text("".join(pieces)), str)


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<a ",
        '<a "',
        "<!--",
        "<script>",
        "<div>",
        "<ul><li>",
        "&",
        "<a x=",
        "<a href=x>",
        "<svg>",
        "<title>",
        "<pre>\n",
    ],
)
def test_no_page_takes_long(piece):
    def seconds(count):
        source = piece * count + "<a " + "x" * count + ">"
        began = time.process_time()
        text(source)
        return time.process_time() - began

    small, large = (min(seconds(count) for _ in range(2)) for count in (4000, 16_000))

    assert large < 10 * small + 0.1  # 4 for time that grows with the page, 16 for time that grows with its square
