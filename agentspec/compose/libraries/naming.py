"""naming: what is said instead of a path in a library: `library:NAME/…`, whichever copy of it is looked into.

Copies that only agentspec makes come and go: a path of one means nothing to whoever is told it.
"""

from __future__ import annotations

import os
from pathlib import Path as FilePath

from agentspec.compose.authority import put
from agentspec.compose.files import Files
from agentspec.compose.libraries.inside import agents_of, folders_of
from agentspec.compose.libraries.opened import FETCHED, Library, libraries_of
from agentspec.compose.project import state_folder
from agentspec.syntax.tree import Mapping, Scalar
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import real_path
from agentspec.text.source import Span


def with_names(tree: Mapping, project: FilePath, folder: FilePath, files: Files) -> Mapping:
    """The tree of a spec in a folder of a project, with each path into a library as it is in that library."""
    for base, words in ((project, folders_of(tree)), (folder, agents_of(tree))):
        for path, word in words:
            file, sharp, name = str(word.value).partition("#")
            inside = _in_library(str(base / file), files)
            tree = tree if inside is None else put(tree, path, Scalar(value=inside + sharp + name, span=word.span))
    return tree


def _in_library(path: str, files: Files) -> str | None:
    place = real_path(path)
    for library in libraries_of(files).by_folder.values():
        folder = real_path(library.folder)
        if place.startswith(folder + os.sep):
            inside = os.path.relpath(place, folder).replace(os.sep, "/")
            return f"{_name(library)}/{inside}"
    return None


def without_copies(text: str, files: Files) -> str:
    """A sentence, or the name of a file, with no path of a copy in it."""
    for library in libraries_of(files).by_folder.values():
        for folder in _spellings(library.folder):
            if folder in text and _is_copy(library):
                text = text.replace(folder, _name(library))
    return text


def _spellings(folder: str) -> tuple[str, str]:
    """A folder as it may be told: in full, and as from the working directory."""
    full = os.path.abspath(folder)  # noqa: PTH100 - links stay as they are
    return full, os.path.relpath(full)


def finding_without_copies(found: Diagnostic, files: Files) -> Diagnostic:
    """A finding with no path of a copy in it, nor in what it points to."""
    for span in (found.span, *(each.span for each in found.related)):
        _name_source(span, files)
    help_ = found.help and without_copies(found.help, files)
    return found._replace(message=without_copies(found.message, files), help=help_)


def _name_source(span: Span, files: Files) -> None:
    span.source.name = without_copies(span.source.name, files)


def _name(library: Library) -> str:
    return f"library:{library.name}"


def _is_copy(library: Library) -> bool:
    """Whether a library is read from where agentspec put it, and not from where it is kept by whoever writes it."""
    kept = real_path(state_folder(library.project) / FETCHED)
    return library.source.kind == "git" or real_path(library.folder).startswith(kept + os.sep)
