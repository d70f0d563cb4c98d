"""manual: what the model is told about tools and answers where a provider's own tool calls are not used.

It stands at the end of the system message, the same in every request of a run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

JSON_HEAD = """\
Answer every turn with exactly one JSON object and nothing else. All five fields are required:
{"reason": "why, in a sentence", "action": "tool" or "answer", "tool": "the tool's name, or empty", \
"args": {the tool's arguments, or empty}, "answer": "the final answer, or empty"}
`"action": "tool"` calls one tool; its result comes in the next message. `"action": "answer"` ends the task."""

TEXT_HEAD = """\
To call a tool, write one call in a tag, and as many tags as you need:
<tool_call>
{"name": "the tool's name", "arguments": {the tool's arguments}}
</tool_call>
The results come in the next message. A long string may be written as a heredoc instead of JSON:
"content": <<END
line one
line two
END
What stands outside of tags is read by a person. A turn without a tag ends the task."""


class Tool(NamedTuple):
    """A tool as a manual shows it."""

    name: str
    description: str
    parameters: dict[str, Any]


def json_manual(tools: Sequence[Tool]) -> str:
    """How to call these tools in the format `json`.

    >>> print(json_manual([Tool("look", "Look.", {"type": "object"})]).splitlines()[-1])
    - look: Look. Arguments: {"type":"object"}
    """
    return _manual(JSON_HEAD, tools)


def text_manual(tools: Sequence[Tool]) -> str:
    """How to call these tools in the format `text`."""
    return _manual(TEXT_HEAD, tools)


def results(pairs: Sequence[tuple[str, str]]) -> str:
    """The results of a turn, each under the name of its tool."""
    return "\n\n".join(f"Result of `{name}`:\n{text}" for name, text in pairs)


def _manual(head: str, tools: Sequence[Tool]) -> str:
    if not tools:
        return head
    lines = [
        f"- {tool.name}: {tool.description} Arguments: "
        + json.dumps(tool.parameters, ensure_ascii=False, separators=(",", ":"))
        for tool in tools
    ]
    return "\n".join((head, "", "Tools:", *lines))
