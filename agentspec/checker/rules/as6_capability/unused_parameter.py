"""AS614 parameter that its tool never uses."""

import re
from collections.abc import Iterator

from agentspec.checker.questions.offered import Tool
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Scalar, walk
from agentspec.text.diagnostic import Diagnostic

USED = r"\bargs\b(?:\s*\.\s*([A-Za-z_]\w*))?"


class UnusedParameter(Rule):
    """A tool has a parameter that it never uses.

    Why: the model is asked for a value that changes nothing, and will believe that it did.

    Bad:

    ```yaml
    name: clock
    capability:
      tools:
        shout:
          description: Says it louder
          parameters: {word: string, times: integer}
          expr: args.word + "!"
    ```

    Good:

    ```yaml
    name: clock
    capability:
      tools:
        shout:
          description: Says it louder
          parameters: {word: string}
          expr: args.word + "!"
    ```

    Fix: use it as `args.NAME`, or take it away.
    """

    code = "AS614"
    title = "parameter that its tool never uses"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools:
            used = _used(tool) if subject.is_sound(*tool.path) else None
            if used is None:
                continue
            for path, entry in tool.parameters:
                if entry.name not in used:
                    yield self.finding(
                        entry.key.span,
                        f"tool `{tool.name}` never uses its parameter `{entry.name}`",
                        path=path,
                        help=f"use it as `args.{entry.name}`, or take it away",
                    )


def _used(tool: Tool) -> set[str] | None:
    """The parameters that a handler names; None where it may use any of them."""
    if tool.kind not in ("expr", "run", "http"):
        return None
    handler = tool.body.get(tool.kind)
    texts = (
        [node.value for _, node in walk(handler) if isinstance(node, Scalar) and isinstance(node.value, str)]
        if handler
        else []
    )
    if tool.kind == "http" and isinstance(handler, Mapping):
        texts += [entry.name for _, node in walk(handler) if isinstance(node, Mapping) for entry in node.entries]
    used = {name for text in texts for name in re.findall(USED, text)}
    return None if "" in used else used
