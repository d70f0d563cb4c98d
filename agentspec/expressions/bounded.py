"""bounded: what can make far longer texts than it is given, as calls of functions that know a bound.

CEL bounds the steps of an expression and not its memory: `args.text.replace(args.old, args.new)` makes 4 GiB of three
texts that each fit. So a program calls our own functions in the place of those; whoever reads the expression never sees
them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentspec.expressions.nodes import Call, Name, Node, walk
from agentspec.expressions.parse import parse

METHODS = {"replace": "bounded.replace", "join": "bounded.join"}
OF_REGEX = "bounded.regex.replace"
MAY_GROW = re.compile(rf"\.\s*(?:{'|'.join(METHODS)})\b")


class Edit(NamedTuple):
    """What takes the place of a part of the text."""

    start: int
    end: int
    text: str


def bounded(text: str) -> str:
    """The expression as a program runs it. It has to be a valid one.

    >>> bounded('args.a.replace("x", args.b)'), bounded("a.b.join()")
    ('bounded.replace(args.a, "x", args.b)', 'bounded.join(a.b)')
    """
    if not MAY_GROW.search(text):
        return text
    root = parse(text).root
    found = [] if root is None else [edit for node in walk(root) for edit in _edits(node)]
    found.reverse()  # of two at one place the inner one comes first, so that the outer one stands before it
    for edit in sorted(found, key=lambda each: each.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _edits(node: Node) -> tuple[Edit, ...]:
    if not isinstance(node, Call) or node.target is None or node.name not in METHODS:
        return ()
    opened = node.anchor + 1
    if isinstance(node.target, Name) and node.target.name == "regex":
        return (Edit(node.start, opened, f"{OF_REGEX}("),)
    comma = ", " if node.args else ""
    return Edit(node.target.end, opened, comma), Edit(node.start, node.start, f"{METHODS[node.name]}(")
