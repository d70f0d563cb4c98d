"""manual: what the model is told about tools and answers where a provider's own tool calls are not used.

It stands at the end of the system message, the same in every request of a run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple


class Tool(NamedTuple):
    """A tool as a manual shows it."""

    name: str
    description: str
    parameters: dict[str, Any]


def manual(head: str, tools: Sequence[Tool]) -> str:
    """How to call these tools, where `head` says how calls and answers are written.

    >>> print(manual("Call a tool so: …", [Tool("look", "Look.", {"type": "object"})]).splitlines()[-1])
    - look: Look. Arguments: {"type":"object"}
    """
    if not tools:
        return head
    lines = [
        f"- {tool.name}: {tool.description} Arguments: "
        + json.dumps(tool.parameters, ensure_ascii=False, separators=(",", ":"))
        for tool in tools
    ]
    return "\n".join((head, "", "Tools:", *lines))


def results(pairs: Sequence[tuple[str, str]]) -> str:
    """The results of a turn, each under the name of its tool."""
    return "\n\n".join(f"Result of `{name}`:\n{text}" for name, text in pairs)
