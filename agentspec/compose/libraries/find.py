"""find: the document of a library that a word in `extends` means.

From outside only what a library exports is found; inside it every file below its folder, and what it needs. No path
leads out of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agentspec.compose.diamond import Ident, Part
from agentspec.compose.documents import kind_of, looks_like_file, name_of
from agentspec.compose.files import Files
from agentspec.compose.findings import clip, finding
from agentspec.compose.inputs import did_you_mean
from agentspec.compose.libraries.opened import Library, Trouble, Used, exported, libraries_of
from agentspec.compose.libraries.versions import is_name
from agentspec.compose.origin import Layer
from agentspec.compose.reference import Target, find_file
from agentspec.syntax.tree import Document, Entry, Mapping, Parsed, Scalar
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.paths import is_left_out, real_path

FOLDERS = ("presets", "tools")
ENDINGS = (".yaml", ".agent", ".yml", ".json")


def find_export(reference: Scalar, entry: Entry, asking: Target, files: Files) -> Target | Diagnostic | None:
    """What `alias.name` means where `entry` of `use` says what the alias is; None where that cannot be read."""
    used = libraries_of(files).used(entry, asking.folder)
    return None if used is None else _export(reference, used, files, ("use", entry.name))


def find_inside(reference: Scalar, asking: Target, files: Files) -> Target | Diagnostic | None:
    """What a reference in a file of a library means; None where it means nothing there."""
    libraries = libraries_of(files)
    library = libraries.by_folder.get(asking.library) or libraries.around(asking.folder)
    text = str(reference.value)
    if library is None:
        return None
    if looks_like_file(text):
        return _file(reference, asking, library, files)
    used = libraries.needed(library, text.partition(".")[0]) if "." in text else None
    if used is not None:
        return _export(reference, used, files, ("requires", "libraries"))
    found = [each for each in presets_of(library, text, files) if each.document is not asking.document]
    return found[0] if found else None


def _file(reference: Scalar, asking: Target, library: Library, files: Files) -> Target | Diagnostic:
    found = find_file(reference, asking, files)
    if isinstance(found, Diagnostic):
        return found
    trouble = leads_out(library, found.parsed.source.name)
    if trouble is not None:
        return trouble.at(reference.span, ("extends",))
    inside = os.path.relpath(found.parsed.source.name, library.folder)
    return found._replace(library=library.folder, layer=f"library:{library.name}/{inside}")


def leads_out(library: Library, path: str) -> Trouble | None:
    """What is wrong with a path that does not stay in a library, every link followed, or that is none of its files."""
    outer, inner = real_path(library.folder), real_path(path)
    shown = os.path.relpath(path, library.folder)
    if os.path.commonpath((outer, inner)) == outer:
        is_hidden = any(map(is_left_out, Path(shown).parts))
        message = f"`{shown}` is hidden, and no part of the library `{library.name}`: it is not locked"
        return Trouble("AS454", message, "give it a name that is not hidden") if is_hidden else None
    return Trouble("AS454", f"`{shown}` leads out of the library `{library.name}`", "put what it needs into its folder")


def _export(reference: Scalar, used: Used, files: Files, path: tuple[str, ...]) -> Target | Diagnostic:
    library, text = used.library, str(reference.value)
    if library is None:
        return (
            used.troubles[0]
            .at(reference.span, ("extends",))
            ._replace(caused_by=f"{used.troubles[0].code} {'.'.join(path)}")
        )
    name = text.partition(".")[2]
    known = exported(library)
    if name not in known:
        return _not_exported(reference, name, library, files)
    found = list(presets_of(library, name, files))
    if not found:
        message = f"`{library.name}` exports `{name}`, and has no such preset"
        related = (Related(known[name][0], "exported here"),)
        help_ = f"the library has to have it in `presets/{name}.yaml`, as `preset: {name}`"
        return finding("AS447", reference.span, message, path=("extends",), help=help_, related=related)
    return found[0]


def _not_exported(reference: Scalar, name: str, library: Library, files: Files) -> Diagnostic:
    known = exported(library)
    is_private = any(True for _ in presets_of(library, name, files))
    what = "keeps `{}` to itself" if is_private else "exports no `{}`"
    message = f"`{library.name}` {what.format(clip(name))}{did_you_mean(name, known)}"
    help_ = f"it exports {', '.join(f'`{each}`' for each in sorted(known))}" if known else "it exports no preset"
    related = (Related(library.manifest.document.span.part(0, 1), "its manifest"),)
    return finding("AS445", reference.span, message, path=("extends",), help=help_, related=related)


def of_some_library(name: str, asking: Target, files: Files) -> list[str]:
    """The exports of this name of all libraries that a document uses, as they are extended."""
    uses = asking.root.get("use")
    found: list[str] = []
    for entry in uses.entries if isinstance(uses, Mapping) else ():
        used = libraries_of(files).used(entry, asking.folder)
        if used is not None and used.library is not None and name in exported(used.library):
            found.append(f"{entry.name}.{name}")
    return found


def presets_of(library: Library, name: str, files: Files) -> Iterator[Target]:
    """The presets of a library that have a name: in its manifest's file, in `presets/NAME.*` and in `tools/NAME.*`."""
    if not is_name(name):
        return
    manifest = library.manifest
    for document in files.named(manifest.parsed, name):
        if kind_of(document) == "preset":
            yield _target(library, manifest.parsed, document, library.folder, name)
    for folder in FOLDERS:
        for ending in ENDINGS:
            path = os.path.join(library.folder, folder, name + ending)  # noqa: PTH118 - a place as text
            parsed = files.read_if_there(path)
            if parsed is None or leads_out(library, path) is not None:
                continue
            for document in parsed.documents:
                if kind_of(document) == "preset" and name_of(document) == name:
                    yield _target(library, parsed, document, os.path.dirname(path), name)  # noqa: PTH120 - as above


def _target(library: Library, parsed: Parsed, document: Document, folder: str, name: str) -> Target:
    shown = f"{library.name}.{name}"
    return Target(parsed, document, folder, f"library:{shown}", shown, library=library.folder)


def ceiling_layer(library: Library) -> Layer | None:
    """The layer of a library's own ceiling, where it has one."""
    manifest = library.manifest
    entry = manifest.root.entry("ceiling")
    if entry is None or manifest.ceiling is None:
        return None
    section = Mapping(entries=[entry], span=manifest.ceiling.span)
    key = Scalar(value="capability", span=entry.key.span)
    root = Mapping(entries=[Entry(key=key, value=section)], span=manifest.ceiling.span)
    return Layer(f"library:{library.name}", root, manifest.document, library.folder)


def ceiling_part(folder: str, files: Files) -> list[Part]:
    """The part of a composition that is a library's own ceiling: it binds all that extends what the library offers."""
    library = libraries_of(files).by_folder[folder]
    layer, manifest = ceiling_layer(library), library.manifest
    ident = Ident(id(manifest.parsed), manifest.document.span.start)
    return [] if layer is None else [Part(ident, "", layer)]
