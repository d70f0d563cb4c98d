"""manifest: what the folder of a library says of itself: its name, version, needs, exports and limits.

Read from `library.yaml` (or `.agent`, `.yml`, `.json`), and from nothing else. What is misspelt there the check of that
file tells; here it counts as not said.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from agentspec.compose.documents import items_of, kind_of
from agentspec.compose.files import Files
from agentspec.compose.libraries.versions import Range, Version, is_name, is_range, read_range, read_version
from agentspec.compose.project import MANIFESTS
from agentspec.syntax.tree import Document, Mapping, Node, Parsed, Scalar, find, plain
from agentspec.text.source import Span

EXPORTS: Final = ("presets", "tools", "skills", "scenarios", "prompts")


class Need(NamedTuple):
    """Another library that a library needs: the versions that will do, and where it comes from, if that is said."""

    name: str
    wanted: Range
    written: str
    source: str
    node: Node

    @property
    def span(self) -> Span:
        return self.node.span


class Manifest(NamedTuple):
    """What a library says of itself; `exports` holds names by kind, each with its places."""

    parsed: Parsed
    document: Document
    name: str
    version: Version
    exports: dict[str, dict[str, list[Span]]]
    needs: dict[str, Need]
    ceiling: Mapping | None
    root: Mapping

    def text(self, *path: str) -> tuple[str, Span] | None:
        """A text of the manifest, and where it stands."""
        node = find(self.root, path)
        return (node.value, node.span) if isinstance(node, Scalar) and isinstance(node.value, str) else None


def read_manifest(folder: str, files: Files) -> Manifest | str:
    """The manifest of a folder, or why there is none."""
    tried = [files.read_if_there(os.path.join(folder, name)) for name in MANIFESTS]  # noqa: PTH118 - a place as text
    found = [each for each in tried if each is not None]
    if not found:
        return f"there is no library in `{folder}`: it has no `{MANIFESTS[0]}`"
    if len(found) > 1:
        names = " and ".join(f"`{os.path.basename(each.source.name)}`" for each in found)  # noqa: PTH119 - as above
        return f"`{folder}` has {names}: one of them is the manifest"
    documents = [each for each in found[0].documents if kind_of(each) == "library"]
    if len(documents) != 1:
        return f"`{found[0].source.name}` holds {len(documents)} libraries: one is needed"
    return manifest_of(found[0], documents[0])


def manifest_of(parsed: Parsed, document: Document) -> Manifest | str:
    """The manifest in a document of a library, or what is missing in it."""
    root = document.root
    name, version = (_text(find(root, (key,))) for key in ("library", "version"))
    if not isinstance(root, Mapping) or name is None or not is_name(name):
        return f"`{parsed.source.name}` does not say the name of the library: `library: NAME`"
    number = read_version(version or "")
    if number is None:
        said = find(root, ("version",))
        what = "says no version" if said is None else f"says `{plain(said)}`, which is no version"
        return f"`{parsed.source.name}` {what}: `version: 1.0.0`"
    exports = {kind: _names(find(root, ("exports", kind))) for kind in EXPORTS}
    ceiling = find(root, ("ceiling",))
    needs = dict(_needs(find(root, ("requires", "libraries"))))
    return Manifest(
        parsed, document, name, number, exports, needs, ceiling if isinstance(ceiling, Mapping) else None, root
    )


def _names(node: Node | None) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for item in items_of(node):
        name = _text(item)
        if name is not None:
            found.setdefault(name, []).append(item.span)
    return found


def _needs(node: Node | None) -> list[tuple[str, Need]]:
    entries = node.entries if isinstance(node, Mapping) else ()
    found = []
    for entry in entries:
        source, wanted = (_text(find(entry.value, (key,))) for key in ("source", "version"))
        wanted = wanted or _text(entry.value) or "*"
        wanted = wanted if is_range(wanted) else "*"
        found.append((entry.name, Need(entry.name, read_range(wanted), wanted, source or "", entry.value)))
    return found


def _text(node: Node | None) -> str | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None
