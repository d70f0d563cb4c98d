"""subject: one composed document as the rules see it. Reads the tree, resolves names; decides nothing."""

from __future__ import annotations

from pathlib import Path as FilePath

from agentspec.syntax.tree import Mapping, Node, find


class Subject:
    """One document after composition. `kind` is `agent`, `preset`, `library` or `scenario`."""

    def __init__(self, root: Mapping, kind: str, project: FilePath) -> None:
        self.root = root
        self.kind = kind
        self.project = project

    def at(self, *path: str | int) -> Node | None:
        """The node at a path, or None where the document has none."""
        return find(self.root, path)
