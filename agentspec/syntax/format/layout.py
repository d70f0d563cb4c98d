"""layout: what stands on one line, and where comments go; the same for both spellings."""

from __future__ import annotations

from agentspec.syntax.format.remarks import is_noted
from agentspec.syntax.tree import Entry, Mapping, Node, Scalar, Sequence

WIDTH = 100  # a list or mapping of plain values stands on one line up to this column
STEP = 2


def is_flat(node: Node, *, is_item: bool = False) -> bool:
    """Whether a mapping or list holds plain values on one line each, and lists of such; comments need more lines.

    An item of a list may hold mappings of plain values, too.
    """
    if not is_small(node) or is_noted(node):
        return False
    match node:
        case Mapping():
            return all(_is_simple(entry.value, is_item=is_item) for entry in node.entries)
        case Sequence():
            return all(_is_simple(item) for item in node.items)
    return True


def is_small(node: Node) -> bool:
    """Whether a value may fit on a line at all: each part takes two signs. What is larger is not looked at further."""
    waiting = [node]
    for _ in range(WIDTH // 2):
        if not waiting:
            return True
        match waiting.pop():
            case Mapping(entries=entries):
                waiting += [entry.value for entry in entries[:WIDTH]]
            case Sequence(items=items):
                waiting += items[:WIDTH]
    return not waiting


def _is_simple(node: Node, *, is_item: bool = False) -> bool:
    match node:
        case Scalar():
            return not (isinstance(node.value, str) and "\n" in node.value)
        case Sequence():
            return all(_is_simple(item) for item in node.items)
        case Mapping():
            return not node.entries or (is_item and is_flat(node))
    return False


def commented(lines: list[str], keeper: Entry | Node, indent: int, *, inline_at: int = 0) -> list[str]:
    """The lines of an entry or item with its comments around them, the one on its line behind line `inline_at`."""
    comments = keeper.comments
    if comments is None:
        return lines
    if comments.inline is not None:
        lines = [*lines]
        lines[inline_at] += f"  {comments.inline}"
    blank = [""] if comments.blank else []
    return [*blank, *(f"{' ' * indent}{line}" if line else "" for line in comments.before), *lines]


def after(node: Node, indent: int) -> list[str]:
    """The comments after the last entry or item."""
    return [f"{' ' * indent}{line}" for line in node.comments.after] if node.comments is not None else []
