"""rewriting: what `fmt` and `convert` share: a spec on standard input, and the words for one that can't be read."""

from __future__ import annotations

import sys

from agentspec.checker.conceal import concealed
from agentspec.cli.terminal.say import complain
from agentspec.errors import AgentSpecError, SpecInvalid
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.read import BOM, begins_in_dsl, parse_bytes
from agentspec.syntax.tree import Parsed
from agentspec.text.render import render

STDIN = "standard input"


def read_input() -> Parsed:
    """The spec on standard input, in the spelling that it begins in."""
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    is_dsl = begins_in_dsl(content.removeprefix(BOM).decode(errors="replace"))
    suffix = ".agent" if is_dsl else ".json" if content.lstrip()[:1] in (b"{", b"[") else ".yaml"
    return parse_bytes(f"{STDIN}{suffix}", content)


def show_unreadable(failure: AgentSpecError) -> None:
    """Say why a file is left alone, and show what is wrong in it."""
    if not isinstance(failure, SpecInvalid):
        complain(str(failure))
        return
    complain(failure.message)
    for found in concealed(failure.diagnostics):
        print(render(found), file=sys.stderr)
