"""add: write a library into the `use` of a spec, then lock it. What stands in the file otherwise stays as it is."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from agentspec.api.libraries.lock import LockReport, lock_libraries
from agentspec.api.libraries.shelf import Copy, Shelf
from agentspec.checker.mend import write
from agentspec.compose.documents import split_reference
from agentspec.compose.files import Files
from agentspec.compose.libraries.lock import Lock, read_lock
from agentspec.compose.libraries.opened import Trouble
from agentspec.compose.libraries.source import LibrarySource, read_source
from agentspec.compose.libraries.versions import read_range
from agentspec.compose.project import project_folder
from agentspec.compose.reference import choose
from agentspec.errors import NotAllowed, NotFound
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.plain_file import read_plain
from agentspec.syntax.read import decode, parse
from agentspec.syntax.tree import Document, Mapping, find, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source, Span


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
    text, problem = decode(file, read_plain(Path(file), MAX_BYTES + 1))
    if problem is not None:
        raise NotAllowed(f"`{file}` cannot be read: {problem.message}")
    document = _document(text, file, name)
    written = _written(source, Path(file).parent)
    copy = _copy(written, file, version)
    alias = alias or re.sub(r"\W", "_", copy.library.name)
    wanted = version or f"^{copy.version.major}.{copy.version.minor}"
    use = {"source": written, "version": wanted}
    after = _with_use(text, document, alias, use)
    write(Path(file), text.text, after)
    report = lock_libraries(Path(file).parent)
    if report.has_errors:
        write(Path(file), after, text.text)
    return Added(alias, written, wanted, report)


def _document(text: Source, file: str, name: str | None) -> Document:
    parsed = parse(text)
    found = choose(parsed, name, Span(text, 0, 0), file, ("agent",)) if parsed.documents else None
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
    with Shelf(project, lock if isinstance(lock, Lock) else Lock(), files) as shelf:
        copy = shelf.lowest(source, read, read_range(version or "*"))
    if isinstance(copy, Trouble):
        raise NotFound("; ".join(filter(None, (copy.message, copy.help))))
    return copy


def _with_use(text: Source, document: Document, alias: str, use: dict[str, str]) -> str:
    """The text with the library in `use`. Raises `NotAllowed` where it has to be done by hand."""
    root = document.root
    assert isinstance(root, Mapping)
    if find(root, ("use", alias)) is not None:
        raise NotAllowed(f"`{text.name}` has a library `{alias}` already: `agentspec lib upgrade` takes a newer one")
    at, new = _insertion(text, root, alias, use)
    changed = Source(text.name, text.text[:at] + new + text.text[at:])
    there = [find(each.root, ("use", alias)) for each in parse(changed).documents]
    if not any(node is not None and plain(node) == use for node in there):
        raise NotAllowed(
            f"write it by hand into `{text.name}`: `use: {{{alias}: {json.dumps(use, ensure_ascii=False)}}}`"
        )
    return changed.text


def _insertion(text: Source, root: Mapping, alias: str, use: dict[str, str]) -> tuple[int, str]:
    """Where the entry goes, and what is written there."""
    values = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in use.items()]
    is_dsl = text.name.endswith(".agent")
    entry = f"{alias} {{ {'  '.join(values)} }}" if is_dsl else f"{alias}: {{{', '.join(values)}}}"
    known = root.entry("use")
    if known is not None and isinstance(known.value, Mapping):
        return _beside(text, known.value, entry, is_dsl=is_dsl)
    first = next((each for each in root.entries if each.name not in ("name", "preset", "description")), None)
    at = first.key.span.start if first is not None else len(text.text.rstrip())
    if is_dsl:
        at = first.key.span.start if first is not None else text.text.index("{", root.span.start) + 1
        indent = " " * (at - _line_start(text.text, at)) if first is not None else "  "
        block = f"use {{\n{indent}  {entry}\n{indent}}}\n"
        return at, f"{block}{indent}" if first is not None else f"\n{indent}{block}"
    block = f"use:\n  {entry}\n"
    return (_line_start(text.text, at), block) if first is not None else (at, f"\n{block.rstrip()}")


def _beside(text: Source, uses: Mapping, entry: str, *, is_dsl: bool) -> tuple[int, str]:
    """The place behind the last library of a `use`."""
    if not uses.entries:
        return text.text.index("{", uses.span.start) + 1, f" {entry} " if is_dsl else entry
    first, last = uses.entries[0], uses.entries[-1]
    end = last.value.span.end
    if not is_dsl and uses.flow:
        return end, f", {entry}"
    indent = " " * (first.key.span.start - _line_start(text.text, first.key.span.start))
    is_one_line = is_dsl and text.text[_line_start(text.text, first.key.span.start) : first.key.span.start].strip()
    return end, f"  {entry}" if is_one_line else f"\n{indent}{entry}"


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1
