"""findings: what is wrong with the libraries of a document, each told at the entry of `use` that leads to it.

A library that cannot be looked into is told once, whatever is extended of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Sequence as Items

from agentspec.compose.documents import items_of
from agentspec.compose.files import Files, is_builtin
from agentspec.compose.libraries.opened import Library, Trouble, Used, libraries_of
from agentspec.compose.libraries.verify import verify
from agentspec.compose.libraries.versions import LANGUAGE, read_range, read_version
from agentspec.compose.origin import Layer
from agentspec.compose.reference import PRESETS, Target
from agentspec.syntax.tree import Entry, Mapping, Scalar, find
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


def library_findings(target: Target, layers: Items[Layer], files: Files) -> list[Diagnostic]:
    """What there is to say about the libraries that a document and the files below it use."""
    if target.library:
        return []
    found: list[Diagnostic] = []
    for folder, root in _documents(target, layers):
        for entry in _uses(root):
            is_own = root is target.root
            found += _of_entry(entry, folder, files)
            found += _unused(entry, root) if is_own else ()
    return list(dict.fromkeys(found))


def _documents(target: Target, layers: Items[Layer]) -> Iterator[tuple[str, Mapping]]:
    """The documents of the project that a composition comes from, each with its folder."""
    yield target.folder, target.root
    for layer in layers:
        root = layer.document.root if layer.document is not None and not layer.library else None
        if layer.document is not None and isinstance(root, Mapping) and root is not target.root:
            yield os.path.dirname(layer.document.span.source.name), root  # noqa: PTH120 - a place as text


def _uses(root: Mapping) -> list[Entry]:
    uses = root.get("use")
    return uses.entries if isinstance(uses, Mapping) else []


def _of_entry(entry: Entry, folder: str, files: Files) -> Iterator[Diagnostic]:
    path = ("use", entry.name)
    used = libraries_of(files).used(entry, folder)
    if used is None:
        return
    place = find(entry.value, ("source",)) or entry.key
    yield from (trouble.at(_place(entry, trouble), path) for trouble in used.troubles)
    if used.library is not None:
        told = {trouble.code for trouble in used.troubles}
        below = _all_below(used.library, files, ())
        yield from (trouble.at(place.span, path) for trouble in below if trouble.code not in told)
    if is_builtin(PRESETS, entry.name):
        message = f"`{entry.name}` is also a built-in preset: `extends: {entry.name}` means that one"
        yield Trouble("AS460", message, f"`{entry.name}.NAME` means this library; another name is clearer").at(
            entry.key.span, path
        )


def _place(entry: Entry, trouble: Trouble) -> Span:
    key = "version" if trouble.code == "AS448" else "source"
    return (find(entry.value, (key,)) or entry.key).span


def _all_below(library: Library, files: Files, above: tuple[Library, ...]) -> Iterator[Trouble]:
    """What is wrong with a library and with all that it needs."""
    if any(one.folder == library.folder for one in above):
        first = next(index for index, one in enumerate(above) if one.folder == library.folder)
        circle = " → ".join(f"`{one.name}`" for one in (*above[first:], library))
        yield Trouble("AS450", f"libraries need each other in a circle: {circle}", "take one of these needs out")
        return
    yield from _own(library, files)
    for name, need in library.manifest.needs.items():
        used = libraries_of(files).needed(library, name) or Used(None)
        related = (Related(need.span, f"`{library.name}` needs it"),)
        yield from (trouble._replace(related=(*trouble.related, *related)) for trouble in used.troubles)
        if used.library is not None:
            yield from _all_below(used.library, files, (*above, library))


def _own(library: Library, files: Files) -> Iterator[Trouble]:
    yield from verify(library, files)
    manifest = library.manifest
    wanted, language = manifest.text("requires", "agentspec"), read_version(LANGUAGE)
    if wanted is not None and language is not None and not read_range(wanted[0]).admits(language):
        message = f"`{library.name}` needs agentspec `{wanted[0]}`, and this is {LANGUAGE}"
        yield Trouble("AS448", message, "take another version of it", (Related(wanted[1], "it says so here"),))
    for key, code in (("deprecated", "AS452"), ("yanked", "AS453")):
        said = manifest.text(key)
        if said is not None:
            message = f"`{library.name}` {manifest.version} is {key}: {said[0]}"
            yield Trouble(code, message, None, (Related(said[1], "its manifest says so"),))


def _unused(entry: Entry, root: Mapping) -> Iterator[Diagnostic]:
    words = (_word(item) for item in items_of(root.get("extends")))
    if not any(word.startswith(f"{entry.name}.") for word in words):
        help_ = f"extend `{entry.name}.NAME`, or take it out"
        yield Trouble("AS451", f"nothing here extends a preset of `{entry.name}`", help_).at(
            entry.key.span, ("use", entry.name)
        )


def _word(item: object) -> str:
    reference = item.get("use") if isinstance(item, Mapping) else item
    return str(reference.value) if isinstance(reference, Scalar) else ""
