"""presets: what a project can extend, what each preset says, and what would change with another one in its place.

Files are read, nothing is run and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.api.would_be import View, preset_change, spec_change
from agentspec.checker.effective import origin_values
from agentspec.checker.report import file_name
from agentspec.checker.walk import find_specs
from agentspec.compose.documents import kind_of, looks_like_file, name_of, split_reference
from agentspec.compose.files import Files, builtin_names
from agentspec.compose.inputs import declared_inputs
from agentspec.compose.libraries.find import presets_of
from agentspec.compose.libraries.lock import Lock, read_lock
from agentspec.compose.libraries.opened import exported, libraries_of
from agentspec.compose.load import Composed, compose, load
from agentspec.compose.preset import NOT_INHERITED, Instead
from agentspec.compose.project import LOCK_FILE, project_folder
from agentspec.compose.reference import Target
from agentspec.compose.weave import Overrides
from agentspec.errors import NotAllowed, NotFound, SpecInvalid
from agentspec.expressions.types import spell
from agentspec.resources import resource
from agentspec.syntax.absent import no_such_file
from agentspec.syntax.tree import Document, Mapping, Parsed, find, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.suggest import nearest

FOLDER = "presets"  # of `stdlib`
EXTENDABLE = ("preset", "agent")


class Preset(NamedTuple):
    """A document that can be extended. `written` is how `extends` names it in a file of the working directory."""

    name: str
    written: str
    source: str  # `built-in`, `library` or `file`
    composed: Composed

    @property
    def document(self) -> Document:
        return self.composed.document


def list_presets(folder: Path, files: Files | None = None) -> list[dict[str, Any]]:
    """The built-in presets, then the exports of the locked libraries, then the files of a folder, as plain values.

    >>> [each["source"] for each in list_presets(Path("examples"))][:1]
    ['built-in']
    """
    files = files or Files()
    return [
        {**_head(each), "inputs": _inputs(each.composed)}
        for each in (*_builtin(files), *_locked(folder, files), *_local(folder, files))
    ]


def show_preset(name: str, folder: Path) -> dict[str, Any]:
    """What a preset says, with what it extends, and where each value comes from.

    Raises as `find_preset`; `NotAllowed` for an agent, too.
    """
    preset = find_preset(name, folder, Files())
    composed = preset.composed
    if composed.kind == "agent":
        raise NotAllowed(f"`{name}` is an agent, not a preset: `agentspec show {name}` prints it")
    values = handed_on(composed)
    origins = {path: chain for path, chain in origin_values(composed, values).items() if not _is_own(path)}
    extended = [layer.name for layer in composed.layers[:-1] if layer.document is not None]
    return {
        **_head(preset),
        "extends": extended,
        "inputs": _inputs(composed),
        "spec": values,
        "origins": origins,
    }


def find_preset(name: str, folder: Path, files: Files) -> Preset:
    """The preset that a name means: a built-in one, an export of a library by the library's name or by the one that a
    spec has for it (`LIBRARY.NAME`), a file (`./house.yaml`, `FILE#NAME`), or one of the folder's files.

    Raises `NotFound` where there is none, with the one that was likely meant; `NotAllowed` where there are several or
    where it is nothing that can be extended; `SpecInvalid` where it cannot be read.
    """
    if looks_like_file(name) or (name not in builtin_names(FOLDER) and Path(name).is_file()):
        return _sound(_of_file(name, files))
    builtin = next((each for each in _builtin(files) if each.name == name), None)
    if builtin is not None:
        return builtin
    local = [*_locked(folder, files), *_local(folder, files)]
    found = [each for each in local if each.name == name] or list(_used(name, folder, files))
    if len(found) == 1:
        return _sound(found[0])
    if found:
        words = list(dict.fromkeys(each.written for each in found))
        words = words if len(words) == len(found) else [file_name(each.composed.parsed.source.name) for each in found]
        listed = ", ".join(f"`{each}`" for each in words)
        raise NotAllowed(f"`{name}` is the name of {len(found)} presets: {listed}; which one is meant?")
    lock = read_lock(project_folder(folder), files)
    if isinstance(lock, Diagnostic) and "." in name:
        raise SpecInvalid(f"`{LOCK_FILE}` cannot be read, so nobody knows of `{name}`", [lock])
    known = [*builtin_names(FOLDER), *(each.name for each in local)]
    near = nearest(name, dict.fromkeys(known))
    raise NotFound(f"there is no preset `{name}`; " + (f"did you mean `{near[0]}`?" if near else _known(known)))


def describe_presets(name: str, folder: Path) -> list[dict[str, Any]]:
    """The presets of a project that a name means, as `list_presets` has them; none for a built-in one."""
    files = Files()
    local = (each for each in (*_locked(folder, files), *_local(folder, files)) if each.name == name)
    return [_head(each) for each in list(local) or _used(name, folder, files)]


def _known(names: Iterable[str]) -> str:
    return f"there are {', '.join(f'`{each}`' for each in dict.fromkeys(names))}; a file is written `./NAME.yaml`"


def _of_file(name: str, files: Files) -> Preset:
    composed = load(name, files=files)
    preset = Preset(name_of(composed.document) or name, name, "file", composed)
    if composed.kind not in EXTENDABLE:
        raise NotAllowed(f"`{name}` is a {composed.kind}; only presets and agents can be extended")
    return preset


def _sound(preset: Preset) -> Preset:
    composed = preset.composed
    errors = [each for each in (*composed.parsed.diagnostics, *composed.diagnostics) if each.severity == "error"]
    if errors and all(document is not composed.document for document in composed.parsed.documents):
        raise NotAllowed("; ".join(filter(None, (errors[0].message, errors[0].help))))
    if errors and (composed.document.has_broken or not isinstance(composed.root, Mapping)):
        raise SpecInvalid(f"`{preset.written}` cannot be read", errors)
    return preset


def _builtin(files: Files) -> Iterator[Preset]:
    for name in builtin_names(FOLDER):
        parsed = files.builtin(FOLDER, name)
        if parsed is not None and parsed.documents:
            path = str(resource("stdlib", FOLDER) / Path(parsed.source.name).name)
            yield Preset(name, name, "built-in", compose(parsed, parsed.documents[0], path, files))


def _local(folder: Path, files: Files) -> Iterator[Preset]:
    for path, parsed, document in _documents([folder], files):
        name = name_of(document)
        if kind_of(document) == "preset" and name is not None:
            written = path if path.startswith((".", "/")) else f"./{path}"
            written = written if len(parsed.documents) == 1 else f"{written}#{name}"
            yield Preset(name, written, "file", compose(parsed, document, path, files))


def _locked(folder: Path, files: Files) -> Iterator[Preset]:
    """What the locked libraries of a project export, as far as they are there."""
    project = project_folder(folder)
    lock = read_lock(project, files)
    used = [libraries_of(files).locked(one, project) for one in (lock.libraries if isinstance(lock, Lock) else ())]
    for library in filter(None, (each.library for each in used)):
        for target in (target for name in exported(library) for target in presets_of(library, name, files)):
            composed = compose(target.parsed, target.document, target.parsed.source.name, files)
            yield Preset(target.shown, target.shown, "library", composed)


def _used(name: str, folder: Path, files: Files) -> Iterator[Preset]:
    """What the specs of a folder mean by `ALIAS.NAME`, each document once."""
    alias, _, export = name.partition(".")
    seen: list[Document] = []
    for path, _, document in _documents([folder], files) if export else ():
        uses = find(document.root, ("use",))
        entry = uses.entry(alias) if isinstance(uses, Mapping) else None
        used = None if entry is None else libraries_of(files).used(entry, os.path.dirname(path))  # noqa: PTH120
        library = None if used is None else used.library
        for target in presets_of(library, export, files) if library is not None and export in exported(library) else ():
            if target.document not in seen:
                seen.append(target.document)
                composed = compose(target.parsed, target.document, target.parsed.source.name, files)
                yield Preset(name, name, "library", composed)


def _documents(paths: Iterable[Path], files: Files) -> Iterator[tuple[str, Parsed, Document]]:
    found = find_specs(list(paths))
    if found.missing:
        raise NotFound(no_such_file(found.missing[0]))
    for path in found.files:
        shown = file_name(str(path)) if path.is_absolute() else os.path.relpath(path)
        try:
            parsed = files.read(shown)
        except NotFound:  # it has gone, or may not be read: what is listed is what can be extended
            continue
        for document in parsed.documents:
            yield shown, parsed, document


def _head(preset: Preset) -> dict[str, Any]:
    about = find(preset.composed.root, ("description",))
    return {
        "name": preset.name,
        "description": plain(about) if about is not None else None,
        "written": preset.written,
        "source": preset.source,
        "file": file_name(preset.composed.parsed.source.name),
    }


def _inputs(composed: Composed) -> dict[str, dict[str, Any]]:
    """The declared inputs: `type`, whether one is `required`, and its `default`."""
    found: dict[str, dict[str, Any]] = {}
    for name, declared in declared_inputs(composed.document.root).items():
        default = None if declared.default is None else plain(declared.default)
        found[name] = {"type": spell(declared.type), "required": declared.is_required, "default": default}
    return found


# --- what a preset says


def handed_on(composed: Composed) -> dict[str, Any]:
    """The values that a preset gives to what extends it; an input without a value stays as `${inputs.NAME}`."""
    values = plain(composed.tree)
    assert isinstance(values, dict)
    return {name: value for name, value in values.items() if not _is_own(name)}


def _is_own(path: str) -> bool:
    return path.partition(".")[0].partition("[")[0] in NOT_INHERITED | {"inputs"}


# --- what would change


def diff_presets(before: str, after: str, folder: Path, paths: Iterable[Path] = ()) -> dict[str, Any]:
    """What another preset in the place of one says differently, and what that changes in the specs that extend it.

    `paths` are where those specs are looked for; without any, in the folder. Raises as `find_preset`.
    """
    files = Files()
    old, new = find_preset(before, folder, files), find_preset(after, folder, files)
    return {
        "a": _head(old),
        "b": _head(new),
        **preset_change(View(old.composed, files), View(new.composed, files)),
        "specs": [
            spec_change(place, View(was, files), View(would_be, files))
            for place, was, would_be in _users(old, new, list(paths) or [folder], files)
        ],
    }


def _users(old: Preset, new: Preset, places: Iterable[Path], files: Files) -> Iterator[tuple[str, Composed, Composed]]:
    """Each agent that builds on the old preset, as it is and as it would be."""
    instead = Overrides(instead=Instead(old.document, _target(new, files)))
    for path, parsed, document in _documents(places, files):
        if kind_of(document) != "agent":
            continue
        was = compose(parsed, document, path, files)
        if any(layer.document is old.document for layer in was.layers):
            place = path if len(parsed.documents) == 1 else f"{path}#{name_of(document)}"
            yield place, was, compose(parsed, document, path, files, overrides=instead)


def _target(preset: Preset, files: Files) -> Target:
    composed = preset.composed
    if preset.source == "built-in":
        return Target(composed.parsed, preset.document, "", f"preset:{preset.name}", preset.name)
    if preset.source == "library":
        path = composed.parsed.source.name
        around = libraries_of(files).around(str(Path(path).parent))
        folder = around.folder if around is not None else ""
        layer = f"library:{preset.name}"
        return Target(composed.parsed, preset.document, str(Path(path).parent), layer, preset.written, library=folder)
    file = split_reference(preset.written)[0]
    return Target(composed.parsed, preset.document, str(Path(file).parent), f"file:{file}", preset.written)
