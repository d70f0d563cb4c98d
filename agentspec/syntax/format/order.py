"""order: the canonical order of keys, and where blank lines have no place; the same for both spellings."""

from __future__ import annotations

from agentspec.syntax.tree import Entry, Mapping, Node, Path

KINDS = {"scenario": "scenario", "library": "library", "preset": "preset", "name": "agent"}  # by the head's key
FIRST = {"scenario": ("scenario", "for"), "library": ("library", "version")}
OF_A_TOOL = ("description", "parameters", "returns")
TOOLS = ("capability", "tools")


def head_of(root: Node) -> str | None:
    """The key that says what a document is and how it is named: the first that can."""
    if not isinstance(root, Mapping):
        return None
    return next((key for key in KINDS if root.entry(key) is not None), None)


class Order:
    """The order of a document whose head is `key`; without one its keys stay as they are."""

    def __init__(self, key: str | None) -> None:
        self.head = () if key is None else (*FIRST.get(key, (key,)), "extends")
        self._has_sugar = key in ("name", "preset")

    def ordered(self, node: Mapping, path: Path) -> list[Entry]:
        """The entries of the mapping at a path."""
        first = self._first(node, path)
        if not first:
            return node.entries
        leading = [entry for name in first if (entry := node.entry(name)) is not None]
        return [*leading, *(entry for entry in node.entries if entry.name not in first)]

    def _first(self, node: Mapping, path: Path) -> tuple[str, ...]:
        if path == ():
            return self.head
        if self._has_sugar and _is_tool(path):
            return OF_A_TOOL
        return ("when",) if isinstance(path[-1], int) and node.entry("when") is not None else ()

    def takes_blanks(self, path: Path) -> bool:
        """Whether the parts of what is at a path stand on lines of their own in both spellings, so that some can be set
        apart by blank lines: types and what a tool begins with share a line in the DSL."""
        if path and isinstance(path[-1], int):
            return False
        is_input = len(path) > 1 and path[0] == "inputs"
        is_of_tool = _is_tool(path) or (_is_tool(path[:3]) and path[3] in OF_A_TOOL)
        return not (self._has_sugar and (is_input or is_of_tool))


def _is_tool(path: Path) -> bool:
    return len(path) == len(TOOLS) + 1 and path[: len(TOOLS)] == TOOLS
