"""wants: which libraries the documents of a project ask for: their `use`, and what the manifests in it require."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.walk import find_specs
from agentspec.compose.documents import kind_of
from agentspec.compose.files import Files
from agentspec.compose.findings import finding
from agentspec.compose.libraries.findings import place_of
from agentspec.compose.libraries.manifest import Manifest, manifest_of
from agentspec.compose.libraries.source import LibrarySource, read_source
from agentspec.compose.libraries.versions import Range, is_range, read_range
from agentspec.compose.project import project_folder, project_mark
from agentspec.errors import NotFound
from agentspec.syntax.tree import Entry, Mapping, Parsed, Scalar, find
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


class Want(NamedTuple):
    """One place that asks for a library: by its source, or by its name where a library needs another.

    `written` is the range as it stands there, `by` the file or the library that asks.
    """

    name: str
    source: LibrarySource | None
    wanted: Range
    written: str
    span: Span
    by: str
    is_need: bool = False  # of a library: its name is the other library's own
    entry: Entry | None = None  # of `use`

    def told(self, code: str, message: str, help_: str | None = None, related: tuple[Related, ...] = ()) -> Diagnostic:
        """A finding about what is asked for, at the place where a check tells it."""
        place = self.span if self.entry is None else place_of(self.entry, code)
        path = ("requires", "libraries", self.name) if self.is_need else ("use", self.name)
        return finding(code, place, message, path=path, help=help_, related=related)


def wants_of(project: Path, files: Files, found: list[Diagnostic]) -> list[Want]:
    """What the files of a project ask for, in the order of the files; a source that is none is told."""
    return [want for file in files_of(project, files) for want in _of_file(*file, project, found)]


def files_of(project: Path, files: Files) -> Iterator[tuple[str, Parsed]]:
    """The files of a project that hold documents, each as it is reached; those of a project below it are not its own,
    since that has a lock, too.
    """
    for path in find_specs([project]).files:
        own = project_folder(path)
        if own != project and project_mark(own) is not None:
            continue
        shown = os.path.relpath(path)
        try:
            yield shown, files.read(shown)
        except NotFound:
            continue


def _of_file(shown: str, parsed: Parsed, project: Path, found: list[Diagnostic]) -> Iterator[Want]:
    folder = os.path.dirname(shown) or "."  # noqa: PTH120 - a place as text
    if "use" in parsed.source.text and any(document.has_broken for document in parsed.documents):
        found += [one for one in parsed.diagnostics if one.severity == "error"]  # what it asks for may be among that
    for document in parsed.documents:
        if kind_of(document) == "library":
            manifest = manifest_of(parsed, document)
            source = partial(read_source, folder=folder, project=str(project))
            yield from needs_of(manifest, source, found) if isinstance(manifest, Manifest) else ()
        uses = find(document.root, ("use",)) if isinstance(document.root, Mapping) else None
        for entry in uses.entries if isinstance(uses, Mapping) else ():
            yield from _want(entry, folder, project, shown, found)


def _want(entry: Entry, folder: str, project: Path, by: str, found: list[Diagnostic]) -> Iterator[Want]:
    source, version = (find(entry.value, (key,)) for key in ("source", "version"))
    if not isinstance(source, Scalar) or not isinstance(source.value, str) or not source.value.strip():
        return
    said = version.value if isinstance(version, Scalar) else None
    written = said if isinstance(said, str) and is_range(said) else "*"
    read = read_source(source.value, folder, str(project))
    if isinstance(read, str):
        found.append(finding("AS459", source.span, read, path=("use", entry.name)))
        return
    place = version.span if version is not None else entry.key.span
    yield Want(entry.name, read, read_range(written), written, place, by, entry=entry)


def needs_of(
    manifest: Manifest, source_of: Callable[[str], LibrarySource | str], found: list[Diagnostic]
) -> Iterator[Want]:
    """What a library needs; `source_of` says what a text means there, or what is wrong with it."""
    for need in manifest.needs.values():
        source: LibrarySource | None = None
        if need.source:
            read = source_of(need.source)
            if isinstance(read, str):
                found.append(finding("AS459", need.span, read, path=("requires", "libraries", need.name)))
                continue
            source = read
        yield Want(need.name, source, need.wanted, need.written, need.span, manifest.name, is_need=True)
