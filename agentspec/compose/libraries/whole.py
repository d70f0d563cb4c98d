"""whole: what is wrong with a library as whoever publishes it sees it: exports, needs, files. Told at its manifest."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agentspec.compose.files import Files
from agentspec.compose.findings import finding
from agentspec.compose.libraries.find import FOLDERS, presets_of
from agentspec.compose.libraries.findings import below
from agentspec.compose.libraries.manifest import Manifest, manifest_of
from agentspec.compose.libraries.opened import PLACES, Library, libraries_of
from agentspec.compose.libraries.source import LibrarySource
from agentspec.compose.libraries.verify import content_of
from agentspec.compose.libraries.versions import is_name
from agentspec.compose.project import project_folder
from agentspec.compose.reference import Target
from agentspec.syntax.tree import dotted
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.paths import is_there
from agentspec.text.source import Span


def whole_findings(target: Target, files: Files) -> list[Diagnostic]:
    """The findings of a manifest; none where its name or version is missing, which its shape tells."""
    manifest = manifest_of(target.parsed, target.document)
    if not isinstance(manifest, Manifest):
        return []
    folder = target.folder or "."
    project = project_folder(folder)
    source = LibrarySource("path", os.path.relpath(folder, project))
    library = libraries_of(files).by_folder.setdefault(folder, Library(folder, manifest, source, project))
    place = (manifest.text("library") or ("", target.document.span))[1]
    found = [trouble.at(place, ("library",)) for trouble in content_of(library).troubles]
    return [*found, *export_findings(library, files), *below(library, files)]


def export_findings(library: Library, files: Files) -> Iterator[Diagnostic]:
    """What is wrong with what a library exports, told where its manifest names it."""
    first: dict[str, Span] = {}
    for kind, names in library.manifest.exports.items():
        for name, spans in names.items():
            yield from (_twice(kind, name, span, spans[0], "exported here, too") for span in spans[1:])
            if not is_name(name):
                continue
            if kind not in FOLDERS:
                yield from _file(library, kind, name, spans[0])
                continue
            if name in first:
                yield _twice(kind, name, spans[0], first[name], "exported here, too")
            first.setdefault(name, spans[0])
            yield from _preset(library, kind, name, spans[0], files)


def _preset(library: Library, kind: str, name: str, span: Span, files: Files) -> Iterator[Diagnostic]:
    found = list(presets_of(library, name, files))
    if not found:
        message = f"`{library.name}` exports `{name}`, and has no such preset"
        help_ = f"write it as `preset: {name}` into `{kind}/{name}.yaml`"
        yield finding("AS447", span, message, path=("exports", kind), help=help_)
    for each in found[:1]:
        problem = each.problem(span)
        if problem is not None:
            yield problem._replace(path=dotted(("exports", kind)))
    for other in found[1:]:
        yield _twice(kind, name, span, other.document.span.part(0, 1), "this is another one")


def _file(library: Library, kind: str, name: str, span: Span) -> Iterator[Diagnostic]:
    place = PLACES[kind].format(name)
    if not is_there(os.path.join(library.folder, place)):  # noqa: PTH118 - a place as text
        message = f"`{library.name}` exports `{name}`, and has no `{place}`"
        help_ = "put it there, or take it out of `exports`"
        yield finding("AS447", span, message, path=("exports", kind), help=help_)


def _twice(kind: str, name: str, span: Span, other: Span, words: str) -> Diagnostic:
    message = f"`{name}` is exported twice: nobody could tell which one is meant"
    help_ = "take one of them out, or give it another name"
    return finding("AS446", span, message, path=("exports", kind), help=help_, related=(Related(other, words),))
