"""dotted: paths as people write them on a command line: `execution.loop_control[0].when`, `a["b.c"]`."""

from __future__ import annotations

import re

from agentspec.cli.usage import Usage
from agentspec.syntax.tree import Path

_STEP = re.compile(r"""\.?([^.\[\]"']+)|\[(\d+)\]|\.?\[?["']([^"']*)["']\]?""")


def read_path(text: str) -> Path:
    """The steps of a path; raises `Usage`.

    >>> read_path('a.b[0]["c.d"]')
    ('a', 'b', 0, 'c.d')
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or match.end() == at:
            raise Usage(f"`{text}` is no path", "write it as `execution.loop_control[0].when`")
        name, index, quoted = match.groups()
        steps.append(int(index) if index is not None else name if name is not None else quoted)
        at = match.end()
    if not steps:
        raise Usage("the path is empty", "write it as `execution.max_iterations`")
    return tuple(steps)
