"""AS713 list or code in a folded text."""

import re
from collections.abc import Iterator
from itertools import pairwise

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Scalar
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.source import Span

ITEM = r"(?:[-*] |\d+[.)] |#+ |```|\|.*\|$)"
FEWEST = 2  # lines that look like a list; one may be a sentence


class FoldedList(Rule):
    """A text that YAML folds (`>`) holds a list, a table or code.

    Why: folding joins the lines. The model reads `- one - two - three` in one line, and code without its lines.

    Bad:

    ```yaml
    name: reviewer
    context:
      system: >
        You review changes. Look for
        - wrong names
        - missing tests
    ```

    Good:

    ```yaml
    name: reviewer
    context:
      system: |
        You review changes. Look for
        - wrong names
        - missing tests
    ```

    Fix: write `|` instead of `>`.
    """

    code = "AS713"
    title = "list or code in a folded text"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for mark in subject.marks:
            node = mark.node
            if mark.annotation.get("kind") != "template" or not isinstance(node, Scalar) or node.style != "folded":
                continue
            sign = Span(node.span.source, node.span.start, node.span.start + 1)
            if node.anchor is None and sign.text == ">" and _is_list_joined(node):
                yield self.finding(
                    sign,
                    "this text is folded: the lines of its list are joined to one",
                    path=mark.path,
                    help="write `|` instead of `>`",
                    fix=Fix("write `|`", (Edit(sign, "|"),), "surface"),
                )


def _is_list_joined(node: Scalar) -> bool:
    """Whether some lines begin like items, headings or code, and one of them is joined to the line before it."""
    lines = node.span.text.splitlines()[1:]
    base = min((_indent(line) for line in lines if line.strip()), default=0)  # deeper lines keep their breaks
    items = [
        bool(before.strip())
        for before, line in pairwise(["", *lines])
        if _indent(line) == base and re.match(ITEM, line.lstrip()) is not None
    ]
    return len(items) >= FEWEST and any(items)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
