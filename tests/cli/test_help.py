"""What the help tells is what the program does."""

import re

import pytest


def test_the_help_shows_how_to_get_the_version(agentspec):
    done = agentspec("--help")

    assert re.search(r"^  -V, --version +Print the version\.$", done.out, re.MULTILINE)
    assert agentspec("--version").out.startswith("agentspec ")


@pytest.mark.parametrize("words", [("--dry-run",), ("--identity", "user=a")])
def test_an_option_that_only_refuses_says_so_in_the_help(agentspec, words):
    shown = " ".join(agentspec("run", "--help").out.split())
    refused = agentspec("run", "a.yaml", *words)

    assert re.search(rf"{words[0]} [^-]*\(not in effect yet\)", shown)
    assert (refused.code, "not in effect yet" in refused.err) == (2, True)
