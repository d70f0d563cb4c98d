"""opened: the libraries that compositions look into, each opened once: where it lies, its manifest, what is locked.

Nothing is fetched: what is not there is a trouble of whoever uses it. Only files below its folder are a library's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping as Known
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from agentspec.compose.files import Files
from agentspec.compose.findings import finding
from agentspec.compose.libraries.lock import LOCK, Lock, Locked, read_lock
from agentspec.compose.libraries.manifest import Manifest, read_manifest
from agentspec.compose.libraries.source import LibrarySource, read_source
from agentspec.compose.libraries.versions import Range, Version, from_version, is_range, read_range
from agentspec.compose.project import MANIFESTS, project_folder, state_folder
from agentspec.syntax.tree import Entry, Mapping, Scalar
from agentspec.syntax.tree import Path as Keys
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.paths import is_file, is_folder
from agentspec.text.source import Span
from agentspec.text.witness import Once, passing

PLACES = {"skills": "skills/{}", "prompts": "prompts/{}.md", "scenarios": "scenarios/{}.scenario.yaml"}
"""Where in its folder a library has what it exports by name; presets and tools are looked for."""
FETCHED = "libraries"  # the folder of a project's state with what was fetched


FETCH_ANEW = f"`{LOCK}` fetches it anew"


class Trouble(NamedTuple):
    """What is wrong with a library, whoever uses it."""

    code: str
    message: str
    help: str | None = None
    related: tuple[Related, ...] = ()

    def at(self, place: Span, path: Keys) -> Diagnostic:
        """The finding at a place that uses the library."""
        return finding(self.code, place, self.message, path=path, help=self.help, related=self.related)


class Library(NamedTuple):
    """A library that can be looked into. `project` is the one that uses it, whose lock says what it needs."""

    folder: str
    manifest: Manifest
    source: LibrarySource
    project: Path
    locked: Locked | None = None

    @property
    def name(self) -> str:
        return self.manifest.name


class Used(NamedTuple):
    """What a name in `use`, or in `requires`, comes to: the library, if it can be looked into, and its troubles."""

    library: Library | None
    troubles: tuple[Trouble, ...] = ()


class Libraries:
    """The libraries of compositions that share their files."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.by_folder: dict[str, Library] = {}
        self.once = Once()
        self._other_locks: dict[Path, Lock] = {}
        self._places: dict[str, str] = {}

    def lock(self, project: Path) -> Lock | Diagnostic:
        """The lock of a project."""
        other = self._other_locks.get(project)
        return self.once.find(project, lambda: read_lock(project, self.files)) if other is None else other

    def take(self, project: Path, lock: Lock, places: dict[str, str]) -> None:
        """Go by another lock of a project, and look for what it names in these folders, by its digest."""
        self._other_locks[project] = lock
        self._places = places

    def used(self, entry: Entry, folder: str) -> Used | None:
        """What an entry of `use` in a file of a folder comes to; None where the structural check tells of it."""
        node = entry.value
        source, version = (node.get(key) if isinstance(node, Mapping) else None for key in ("source", "version"))
        if not isinstance(source, Scalar) or not isinstance(source.value, str) or not source.value.strip():
            return None
        wanted = version.value if isinstance(version, Scalar) else None
        wanted = wanted if isinstance(wanted, str) and is_range(wanted) else "*"
        project = project_folder(folder or ".")
        read = read_source(source.value, folder, str(project))
        if isinstance(read, str):
            return Used(None, (Trouble("AS459", read),))
        key = project, str(read), wanted
        return self.once.find(key, lambda: self._open(entry.name, read, read_range(wanted), wanted, project))

    def needed(self, library: Library, name: str) -> Used | None:
        """What a library means by a name of its `requires.libraries`; None where there is no such name."""
        need = library.manifest.needs.get(name)
        if need is None:
            return None
        lock = self.lock(library.project)
        locked = lock.of_name(name, need.wanted) if isinstance(lock, Lock) else None
        source = locked.source if locked is not None else "" if library.source.kind == "git" else need.source
        read = read_source(source, str(library.project) if locked is not None else library.folder, str(library.project))
        if not source or isinstance(read, str):
            message = f"`{library.name}` needs `{name}`, and no lock says where that is"
            return Used(None, (Trouble("AS440", message, f"`{LOCK}` locks it"),))
        used = self._open(name, read, need.wanted, need.written, library.project)
        return used if used.library is None else used._replace(troubles=tuple(_of_need(used.troubles, library)))

    def _open(self, name: str, source: LibrarySource, wanted: Range, text: str, project: Path) -> Used:
        """The library of a source, at the version that is locked."""
        lock = self.lock(project)
        if isinstance(lock, Diagnostic):
            locked = None
            trouble: Trouble | None = Trouble(lock.code, lock.message, lock.help, (Related(lock.span, "the lock"),))
        else:
            locked = lock.of_source(str(source), wanted)
            trouble = None if locked is not None else unlocked(name, source, text, lock)
        used = self._look(name, source, locked, project)
        if used.library is None and source.kind == "path":
            return used  # there is nothing to lock
        version = None if used.library is None else used.library.manifest.version
        if version is not None and not wanted.admits(version):
            message = f"`{name}` is of version {version}, and `{text}` is asked for"
            trouble = Trouble("AS448", message, way_to(name, wanted, version))
        return used if trouble is None else Used(used.library, (trouble,))

    def locked(self, one: Locked, project: Path) -> Used:
        """What a library that is locked comes to."""
        source = read_source(one.source, str(project), str(project))
        if isinstance(source, str):
            return Used(None, (Trouble("AS459", source),))
        return self._look(one.name, source, one, project)

    def _look(self, name: str, source: LibrarySource, locked: Locked | None, project: Path) -> Used:
        folder = self._places.get(locked.digest) if locked is not None else None
        folder = folder or _folder(source, locked, project)
        if folder is None:
            return Used(None, (_gone(name, source, folder),))
        if source.kind != "path":
            self.files.lasting.add(folder)
        manifest = read_manifest(folder, self.files)
        if isinstance(manifest, str):
            help_ = FETCH_ANEW if source.kind == "git" else None
            return Used(
                None, (Trouble("AS442", manifest, help_) if is_folder(folder) else _gone(name, source, folder),)
            )
        library = Library(folder, manifest, source, project, locked)
        self.by_folder.setdefault(folder, library)  # who came first may go by another lock, or by none
        return Used(library)

    def around(self, folder: str) -> Library | None:
        """The library that a folder belongs to: of the nearest folder upward that has a manifest."""
        place = Path(folder).absolute()
        outer = next((each for each in (place, *place.parents) if _has_manifest(each)), None)
        if outer is None:
            return None
        inner = shown(outer)
        manifest = read_manifest(inner, self.files)
        if isinstance(manifest, str):
            return None
        source, project = LibrarySource("path", inner), project_folder(outer)
        return self.by_folder.setdefault(inner, Library(inner, manifest, source, project))


def libraries_of(files: Files) -> Libraries:
    """The libraries that go with files that are read."""
    found = files.beside.get("libraries")
    if not isinstance(found, Libraries):
        found = files.beside["libraries"] = Libraries(files)
    return found


def _of_need(troubles: tuple[Trouble, ...], library: Library) -> Iterator[Trouble]:
    """The troubles of what a library needs: what it asks for nobody can change who uses it."""
    for each in troubles:
        is_range = each.code == "AS448"
        yield each._replace(help=f"let `{library.name}` ask for a version that there is") if is_range else each


def way_to(name: str, wanted: Range, version: Version) -> str:
    """What to do where a range does not admit the version that there is, of a library that is called so in `use`."""
    if version > wanted.lowest:
        return f"`agentspec lib upgrade --major {name}` takes it"
    return f'ask for what there is: `version: "{from_version(version)}"`'


def _has_manifest(folder: Path) -> bool:
    return any(is_file(folder / name) for name in MANIFESTS)


def unlocked(name: str, source: LibrarySource, wanted: str, lock: Lock) -> Trouble:
    """What is wrong with a source of which no version is locked that a range admits."""
    others = [one for one in lock.libraries if one.source == str(source)]
    if not others:
        return Trouble("AS440", f"`{name}` (`{source}`) is not locked", f"`{LOCK}` locks it")
    versions = " and ".join(one.version for one in others)
    return Trouble("AS448", f"`{name}` is locked at {versions}, and `{wanted}` is asked for", f"`{LOCK}` chooses anew")


def _gone(name: str, source: LibrarySource, folder: str | None) -> Trouble:
    if source.kind == "git":
        return Trouble("AS442", f"`{name}` is locked, and not fetched yet", f"`{LOCK}` fetches what is locked")
    if source.kind == "installed":
        return not_installed(name, source)
    help_ = "put it there, or say in `source` where it is, from the folder of the file that names it"
    return Trouble("AS442", f"`{name}` is not there: no folder `{folder}`", help_)


def not_installed(name: str, source: LibrarySource) -> Trouble:
    """What is wrong with a library of a package that is not there."""
    message = f"`{name}` is not installed: no package offers the library `{source.place}`"
    return Trouble("AS442", message, f"install the package that has it, then `{LOCK}`")


def _folder(source: LibrarySource, locked: Locked | None, project: Path) -> str | None:
    """Where a library lies: as it is reached from the working directory, where that is possible."""
    match source.kind:
        case "path":
            return shown(project / source.place)
        case "git":
            return None if locked is None else shown(fetched_folder(project, locked))
        case "installed":
            return None if locked is None else package_folder(locked.module)


def fetched_folder(project: Path, locked: Locked) -> Path:
    """Where the files of a fetched library are kept: by what they are, so that no other version gets in their way."""
    return state_folder(project) / FETCHED / f"{locked.name}-{locked.version}-{locked.digest[:16]}"


def package_folder(module: str) -> str | None:
    """The folder of an installed package, or below it (`package.inner`), found without importing any of it."""
    passing()  # where packages are looked for can change, and no later look would tell
    top, *inner = module.split(".")
    try:
        found = find_spec(top) if top else None
    except ValueError:  # loaded, and nobody says from where
        return None
    places = list(found.submodule_search_locations or ()) if found is not None else []
    return str(Path(places[0], *inner)) if places else None


def shown(path: str | Path) -> str:
    """A folder as it is reached from the working directory, where that is shorter."""
    text = os.path.normpath(path)
    near = os.path.relpath(text)
    return near if len(near) < len(text) else text


def exported(library: Library) -> Known[str, list[Span]]:
    """What can be extended of a library: the exports that are presets, or bring a tool."""
    exports = library.manifest.exports
    return {**exports["presets"], **exports["tools"]}
