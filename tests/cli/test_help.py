"""What the help tells is what the program does."""

import re


def test_the_help_shows_how_to_get_the_version(agentspec):
    done = agentspec("--help")

    assert re.search(r"^  -V, --version +Print the version\.$", done.out, re.MULTILINE)
    assert agentspec("--version").out.startswith("agentspec ")
