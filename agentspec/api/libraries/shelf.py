"""shelf: get hold of one version of a library, from wherever it comes. Only here is anything fetched."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from agentspec.api.libraries.git import Names, names_of, read_commit
from agentspec.compose.files import Files
from agentspec.compose.libraries.lock import Lock, Locked
from agentspec.compose.libraries.manifest import read_manifest
from agentspec.compose.libraries.opened import (
    FETCHED,
    Library,
    Trouble,
    fetched_folder,
    libraries_of,
    not_installed,
    package_folder,
    shown,
    way_to,
)
from agentspec.compose.libraries.source import LibrarySource, needed_source, read_source
from agentspec.compose.libraries.verify import content_of
from agentspec.compose.libraries.versions import Range, Version, read_range, read_version
from agentspec.compose.project import state_folder
from agentspec.errors import NotAllowed, NotFound
from agentspec.syntax.private import make_state
from agentspec.text.installed import LIBRARIES, offers
from agentspec.text.paths import is_folder
from agentspec.text.suggest import nearest

COMMIT = re.compile(r"[0-9a-f]{7,64}")


class Copy(NamedTuple):
    """One version of a library that can be looked into, and how it was found."""

    library: Library
    commit: str = ""
    module: str = ""

    @property
    def version(self) -> Version:
        return self.library.manifest.version

    def needed(self, text: str) -> LibrarySource | str:
        """The source that a text means where the library needs another, or what is wrong with it."""
        library = self.library
        inner = needed_source(library.source, self.commit, text)
        return inner or read_source(text, library.folder, str(library.project))


class Shelf:
    """The versions that were got hold of. What is fetched lies in a passing folder until it is kept."""

    def __init__(self, project: Path, lock: Lock, files: Files, *, takes_moved: bool = False) -> None:
        self.project = project
        self.lock = lock
        self.files = files
        self._takes_moved = takes_moved  # whether a tag that was moved is followed, and not what was locked of it
        self._passing = Path(tempfile.mkdtemp(prefix="agentspec-lib-"))
        self._copies: dict[tuple[LibrarySource, str], Copy | Trouble] = {}
        self._names: dict[str, Names] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._passing, ignore_errors=True)

    def lowest(self, name: str, source: LibrarySource, wanted: Range) -> Copy | Trouble:
        """The lowest version of a source that a range admits; where any will do, the highest."""
        try:
            ref = self._ref(name, source, wanted) if source.kind == "git" else ""
            if isinstance(ref, Trouble):
                return ref
            if (source, ref) not in self._copies:
                self._copies[source, ref] = self._copy(name, source, ref)
        except (NotFound, NotAllowed) as problem:
            return Trouble("AS442", f"`{name}`: {problem}")
        return self._copies[source, ref]

    def versions(self, source: LibrarySource) -> dict[Version, str]:
        """The versions that a repository has tags of, `v1.2.3` or `1.2.3`, each with its tag."""
        found = {read_version(tag.removeprefix("v")): tag for tag in self._names_of(source).tags}
        return {version: tag for version, tag in found.items() if version is not None}

    def newest(self, name: str, source: LibrarySource, versions: Iterable[Version]) -> Version | None:
        """The newest of some versions of a repository that its owners did not take back."""
        return next((each for each in sorted(versions, reverse=True) if not self._is_yanked(name, source, each)), None)

    def _is_yanked(self, name: str, source: LibrarySource, version: Version) -> bool:
        """Whether a version was taken back; what else is wrong with it is told where it is taken."""
        written = source._replace(ref=self.versions(source)[version]) if source.ref else source
        copy = self.lowest(name, written, read_range(str(version)))
        return isinstance(copy, Copy) and copy.library.manifest.text("yanked") is not None

    def moved_to(self, source: LibrarySource, ref: str, locked: Locked) -> str | None:
        """The commit that a tag is at now, where that is not the one that was locked."""
        commit = self._names_of(source).tags.get(ref)
        return commit if commit != locked.commit else None

    def _names_of(self, source: LibrarySource) -> Names:
        if source.place not in self._names:
            self._names[source.place] = names_of(source.place)
        return self._names[source.place]

    def _ref(self, name: str, source: LibrarySource, wanted: Range) -> str | Trouble:
        if source.ref:
            return source.ref
        known = self.versions(source)
        fitting = sorted(version for version in known if wanted.admits(version))
        if not fitting:
            message = f"no tag of `{name}` (`{source.place}`) will do"
            newest = max((version for version in known if version.is_release), default=None)
            there = ", ".join(f"`{tag}`" for _, tag in sorted(known.items())) or "none"
            way_out = "" if newest is None else f"; {way_to(name, wanted, newest)}"
            return Trouble("AS448", message, f"its versions: {there}{way_out}")
        return known[fitting[0] if wanted.bounds else fitting[-1]]

    def _copy(self, name: str, source: LibrarySource, ref: str) -> Copy | Trouble:
        commit = module = ""
        folder: Path | str | None = shown(self.project / source.place)
        if source.kind == "git":
            fetched = self._fetched(name, source, ref)
            if isinstance(fetched, Trouble):
                return fetched
            place, commit = fetched
            folder = str(place)
        elif source.kind == "installed":
            module = _module(source.place)
            folder = package_folder(module) if module else None
        if folder is None:
            return not_installed(name, source)
        manifest = read_manifest(str(folder), self.files)
        if isinstance(manifest, str):
            if source.kind == "git":  # where it was fetched to means nothing to whoever is told this
                manifest = manifest.replace(str(folder), str(source))
            return Trouble("AS442", manifest)
        library = Library(str(folder), manifest, source, self.project)
        libraries_of(self.files).by_folder[library.folder] = library
        return Copy(library, commit, module)

    def _fetched(self, name: str, source: LibrarySource, ref: str) -> tuple[Path, str] | Trouble:
        """Where the files of a commit lie: kept from before, if they were locked as that."""
        locked = [one for one in self.lock.libraries if one.source == str(source) and one.commit]
        known = next((one for one in locked if source.ref or one.version == ref.removeprefix("v")), None)
        if known is not None and self._takes_moved and self.moved_to(source, ref, known) is not None:
            known = None
        if known is not None and self._is_whole(known):
            return fetched_folder(self.project, known), known.commit
        wanted = known.commit if known is not None else self._wanted(name, source, ref)
        if isinstance(wanted, Trouble):
            return wanted
        into = self._passing / str(len(self._copies))
        into.mkdir()
        return into, read_commit(source.place, wanted, source.folder, into)

    def _wanted(self, name: str, source: LibrarySource, ref: str) -> str | Trouble:
        """What is fetched for a tag or a commit; a branch is neither, and would be another one tomorrow."""
        names = self._names_of(source)
        if ref in names.tags:
            return f"refs/tags/{ref}"
        if ref not in names.branches and COMMIT.fullmatch(ref):
            return ref
        if ref in names.branches:
            message = f"`{ref}` of `{source.place}` is a branch, and a branch moves"
            return Trouble("AS459", message, f"write the commit that it is at now: `@{names.branches[ref]}`")
        near = nearest(ref, names.tags)
        way_out = f"did you mean `@{near[0]}`?" if near else "a tag or a commit is written behind `@`"
        return Trouble("AS442", f"`{name}`: `{source.place}` has no tag and no commit `{ref}`", way_out)

    def _is_whole(self, locked: Locked) -> bool:
        folder = fetched_folder(self.project, locked)
        manifest = read_manifest(str(folder), self.files)
        if isinstance(manifest, str):
            return False
        source = LibrarySource("path", str(folder))
        return content_of(Library(str(folder), manifest, source, self.project)).files == locked.files

    def keep(self, copy: Copy, locked: Locked) -> None:
        """Put what was locked where checks and runs find what is fetched, and where an upgrade finds what was.

        Raises `NotAllowed` where it cannot be written.
        """
        place, folder = fetched_folder(self.project, locked), Path(copy.library.folder)
        if folder == place or self._is_whole(locked):
            return
        try:
            make_state(place.parent.parent)
            place.parent.mkdir(parents=True, exist_ok=True)
            passing = Path(tempfile.mkdtemp(dir=place.parent, prefix="."))
            for name in locked.files:
                (passing / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / name, passing / name)
            shutil.rmtree(place, ignore_errors=True)
            passing.rename(place)
        except OSError as error:
            raise NotAllowed(f"`{place}` cannot be written: {(error.strerror or str(error)).lower()}") from error

    def forget(self, but: Iterable[Locked]) -> None:
        """Let go of what was kept of other versions than these."""
        kept = {fetched_folder(self.project, one) for one in but}
        folder = state_folder(self.project) / FETCHED
        for place in folder.iterdir() if is_folder(folder) else ():
            if place not in kept:
                shutil.rmtree(place, ignore_errors=True)


def _module(name: str) -> str:
    """The package that offers a library of this name, with a folder in it as `package.inner`; empty without one."""
    found = next((offer for offer in offers(LIBRARIES) if offer.name == name), None)
    if found is None:
        return ""
    module, _, inner = found.value.partition(":")
    return f"{module}.{inner}" if inner else module
