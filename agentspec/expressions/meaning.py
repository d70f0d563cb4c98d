"""meaning: an expression that was read: its text, its tree, and the names that are known at each part of it."""

from __future__ import annotations

from agentspec.expressions.infer import Names, scoped
from agentspec.expressions.nodes import Logic, Node
from agentspec.expressions.places import Place
from agentspec.expressions.problem import Edit

MOST_SHOWN = 60


class Meaning:
    """One expression of one place."""

    def __init__(self, text: str, root: Node, edits: list[Edit], names: Names, place: Place) -> None:
        self.text = text
        self.root = root
        self.edits = edits
        self.place = place
        self.names = names
        self.parts = list(scoped(root, names))
        self.anchors: dict[int, list[tuple[Node, Names]]] = {}
        for node, known in self.parts:
            for anchor in node.anchors if isinstance(node, Logic) else (node.anchor,):
                self.anchors.setdefault(anchor, []).append((node, known))

    def quoted(self, node: Node) -> str:
        """The source of a node in backticks, shortened."""
        source = " ".join(self.source(node).split())
        return f"`{source}`" if len(source) <= MOST_SHOWN else f"`{source[: MOST_SHOWN - 3]}…`"

    def source(self, node: Node) -> str:
        return self.text[node.start : node.end]

    def at(self, anchor: int) -> list[tuple[Node, Names]]:
        """The nodes that CEL may mean by an anchor, the innermost last."""
        return self.anchors.get(anchor, [])
