"""add: write a library into the `use` of a spec, then lock it. What stands in the file otherwise stays as it is."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from agentspec.api.libraries.lock import LockReport, lock_libraries
from agentspec.api.libraries.shelf import Copy, Shelf
from agentspec.api.libraries.write_use import with_use
from agentspec.checker.mend import write
from agentspec.compose.documents import split_reference
from agentspec.compose.files import Files
from agentspec.compose.libraries.lock import Lock, read_lock
from agentspec.compose.libraries.opened import Trouble
from agentspec.compose.libraries.source import LibrarySource, read_source
from agentspec.compose.libraries.versions import Version, from_version, read_range
from agentspec.compose.project import project_folder
from agentspec.compose.reference import choose
from agentspec.errors import NotAllowed, NotFound, SpecInvalid
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import Document, Mapping, Parsed, find
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Span

ALIAS = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


class Added(NamedTuple):
    """What was written: the name of the library in the spec, its source and versions; and the lock."""

    alias: str
    source: str
    version: str
    lock: LockReport


def add_library(spec: str, source: str, alias: str | None = None, version: str | None = None) -> Added:
    """Add a library to a spec (`FILE` or `FILE#NAME`) and lock it. A path counts from the working directory.

    Without a version its newest one is taken, and all that are compatible with it. Where it cannot be locked the file
    is what it was. Raises `NotFound` and `NotAllowed` where there is no such spec or library, or no place for it.
    """
    file, name = (spec, None) if Path(spec).exists() else split_reference(spec)
    parsed = read_file(file)
    document = _document(parsed, file, name)
    written = _written(source, Path(file).parent)
    copy = _copy(written, file, version)
    alias = alias or re.sub(r"\W", "_", copy.library.name)
    wanted = version or _compatible(copy.version)
    before, after = parsed.source.text, _text(parsed, document, alias, {"source": written, "version": wanted})
    write(Path(file), before, after)
    report = lock_libraries(Path(file).parent)
    is_seen = any(one.name == copy.library.name for one in report.libraries)
    if report.has_errors or not is_seen:
        write(Path(file), after, before)
    if not report.has_errors and not is_seen:
        raise NotAllowed(f"`{file}` is not among the specs that are locked: it has no `name`, or lies where none are")
    return Added(alias, written, wanted, report)


def _compatible(version: Version) -> str:
    """The range of what goes with a version; patches of it are taken as they are published."""
    return from_version(version._replace(patch=0) if version.is_release else version)


def _document(parsed: Parsed, file: str, name: str | None) -> Document:
    """The document that is meant. Raises `SpecInvalid` where some part of the file could not be read."""
    errors = [one for one in parsed.diagnostics if one.severity == "error"]
    if errors:
        raise SpecInvalid(f"`{file}` can't be read whole; nothing was changed", errors)
    found = choose(parsed, name, Span(parsed.source, 0, 0), file, ("agent",)) if parsed.documents else None
    if isinstance(found, Diagnostic):
        raise NotAllowed(found.message)
    if found is None or not isinstance(found.root, Mapping):
        raise NotAllowed(f"`{file}` holds no spec that a library can be added to")
    return found


def _written(source: str, folder: Path) -> str:
    """The source as it is written in a file of the folder: a path from there."""
    read = read_source(source, ".", ".")
    if isinstance(read, str):
        raise NotAllowed(read)
    if read.kind != "path" or Path(source).is_absolute():
        return source
    path = os.path.relpath(source, folder).replace(os.sep, "/")
    return path if path.startswith(".") else f"./{path}"


def _copy(source: str, file: str, version: str | None) -> Copy:
    project, files = project_folder(file), Files()
    lock = read_lock(project, files)
    read = read_source(source, str(Path(file).parent), str(project))
    assert isinstance(read, LibrarySource)
    name = Path(read.place).stem
    with Shelf(project, lock if isinstance(lock, Lock) else Lock(), files) as shelf:
        if version is None and read.kind == "git" and not read.ref:
            releases = [each for each in shelf.versions(read) if each.is_release]
            version = str(shelf.newest(name, read, releases) or "*")
        copy = shelf.lowest(name, read, read_range(version or "*"))
    if isinstance(copy, Trouble):
        raise NotFound("; ".join(filter(None, (copy.message, copy.help))))
    return copy


def _text(parsed: Parsed, document: Document, alias: str, use: dict[str, str]) -> str:
    """The text with the library in it. Raises `NotAllowed` where there is no place for it."""
    name = parsed.source.name
    if not ALIAS.fullmatch(alias):
        raise NotAllowed(f"`{alias}` is no name for a library in a spec: letters, digits, `_` and `-`")
    if find(document.root, ("use", alias)) is not None:
        raise NotAllowed(f"`{name}` has a library `{alias}` already: `agentspec lib upgrade` takes a newer one")
    text = with_use(parsed, document, alias, use)
    if text is None:
        raise NotAllowed(f"write it by hand into `{name}`: `use: {{{alias}: {json.dumps(use, ensure_ascii=False)}}}`")
    return text
