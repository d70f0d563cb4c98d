"""A path pattern means the same everywhere, and none is slow."""

import time

import pytest

from agentspec.core.calls.globs import BadGlob, matches


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*.py", "lib/src/a.py", True),
        ("/src/*.py", "lib/src/a.py", False),
        ("/src/*.py", "src/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/*.py", "a.py", True),
        ("**", "any/thing", True),
        ("src/**", "src/x/y", True),
        ("src/**", "srcx/y", False),
        ("./src/a.py", "src/a.py", True),
        ("?.txt", "a.txt", True),
        ("?.txt", "ab.txt", False),
        ("[a-c].txt", "b.txt", True),
        ("[!a-c].txt", "b.txt", False),
        ("[!a].txt", "b.txt", True),
        ("*.{ts,tsx}", "a/b.tsx", True),
        ("*.{ts,tsx}", "a/b.js", False),
        ("{a,b/c}.txt", "b/c.txt", True),
        ("a+b(1).txt", "a+b(1).txt", True),
        ("a.txt", "aXtxt", False),
        ("a,b.txt", "a,b.txt", True),
        ("a}b", "a}b", True),
        ("[abc", "[abc", True),
        ("*", "é😀\n", True),
        ("Makefile", "sub/Makefile", True),
        ("", "", True),
    ],
)
def test_a_pattern_fits_or_not(glob, path, fits):
    assert matches(glob, path) is fits


@pytest.mark.parametrize("glob", ["[b-a]", "x" * 1001])
def test_a_pattern_that_cannot_be_read_is_said(glob):
    with pytest.raises(BadGlob):
        matches(glob, "a")


def test_many_stars_are_not_slow():
    started = time.process_time()

    assert not matches("*a" * 100 + "b", "a" * 5000)
    assert time.process_time() - started < 2
