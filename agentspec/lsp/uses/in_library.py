"""in_library: the words by which a document means a library: its alias, what it exports, its source, who is trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agentspec.compose.documents import items_of
from agentspec.compose.libraries.find import FOLDERS, presets_of
from agentspec.compose.libraries.inside import words_of
from agentspec.compose.libraries.opened import PLACES, Library, libraries_of
from agentspec.compose.skill_file import NAMES
from agentspec.lsp.sheet import Part
from agentspec.lsp.uses.use import Use, document_use, file_use, name_span
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Entry, Mapping, Scalar, find
from agentspec.text.paths import is_file
from agentspec.text.source import Span

NEEDS = ("requires", "libraries")


def library_uses(part: Part) -> Iterator[Use]:
    """What the words of a document mean of libraries."""
    known = {entry.name: (entry, _used(part, entry)) for entry in _entries(part, ("use",))}
    for entry, library in known.values():
        if library is not None:
            yield Use(entry.key.span, name_span(entry.key), name_span(entry.key), leads=_manifest(library))
            yield from _source(find(entry.value, ("source",)), library)
    for kind, word in words_of(part.target.root):
        alias, dot, name = str(word.value).partition(".")
        if dot and alias in known:
            yield from _word(word, name, kind, *known[alias])
    for node in items_of(find(part.composed.document.root, ("trust",))):
        yield from _trusted(node, known) if isinstance(node, Scalar) else ()
    if part.composed.kind == "library":
        yield from _of_manifest(part)


def _entries(part: Part, path: tuple[str, ...]) -> list[Entry]:
    node = find(part.composed.document.root, path)
    return node.entries if isinstance(node, Mapping) else []


def _used(part: Part, entry: Entry) -> Library | None:
    used = libraries_of(part.sheet.files).used(entry, part.target.folder)
    return None if used is None else used.library


def _manifest(library: Library) -> Span:
    """Where the manifest of a library says its name."""
    node = library.manifest.root.get("library")
    return name_span(node) if isinstance(node, Scalar) else library.manifest.document.span.part(0, 0)


def _source(node: object, library: Library) -> Iterator[Use]:
    if isinstance(node, Scalar):
        yield Use(node.span, _manifest(library), None, has_name=False)


def _word(node: Scalar, name: str, kind: str, entry: Entry, library: Library | None) -> Iterator[Use]:
    """`alias.NAME`: the alias, and the file of a skill or prompt; what is extended is found as every preset is."""
    alias = span_in(node, 0, len(entry.name))
    yield Use(alias, name_span(entry.key), alias, leads=None if library is None else _manifest(library))
    if library is not None and kind in PLACES and name in library.manifest.exports[kind]:
        start = len(entry.name) + 1
        yield file_use(span_in(node, start, start + len(name)), _file(library, kind, name))


def _file(library: Library, kind: str, name: str) -> str:
    """The file of an export; of a skill the one in its folder."""
    path = os.path.join(library.folder, PLACES[kind].format(name))  # noqa: PTH118 - a place as text
    inner = (os.path.join(path, each) for each in NAMES)  # noqa: PTH118 - as above
    return next(filter(is_file, inner), path)


def _trusted(node: Scalar, known: dict[str, tuple[Entry, Library | None]]) -> Iterator[Use]:
    """Who is trusted is named by the alias here, or as the library calls itself."""
    name = str(node.value)
    if name in known:
        entry, library = known[name]
        leads = None if library is None else _manifest(library)
        yield Use(node.span, name_span(entry.key), name_span(node), leads=leads)
    for _, library in known.values() if name not in known else ():
        if library is not None and library.name == name:
            yield Use(node.span, _manifest(library), name_span(node))


def _of_manifest(part: Part) -> Iterator[Use]:
    """What a manifest names: what it exports, and the libraries that it needs."""
    libraries = libraries_of(part.sheet.files)
    library = libraries.around(part.target.folder)
    if library is None:
        return
    for kind in library.manifest.exports:
        for _, node in part.subject.items("exports", kind):
            if not isinstance(node, Scalar):
                continue
            if kind in FOLDERS:
                yield from (
                    document_use(node, found) for found in presets_of(library, str(node.value), part.sheet.files)
                )
            else:
                yield file_use(node.span, _file(library, kind, str(node.value)))
    for entry in _entries(part, NEEDS):
        used = libraries.needed(library, entry.name)
        if used is not None and used.library is not None:
            yield Use(entry.key.span, _manifest(used.library), name_span(entry.key))
            yield from _source(find(entry.value, ("source",)), used.library)
