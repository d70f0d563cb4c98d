"""changed: what is different in the libraries that a project is about to lock, by what was kept of the earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from agentspec.api.libraries.shelf import Copy
from agentspec.compose.files import Files
from agentspec.compose.libraries.compare import LibraryChange, Side, library_change
from agentspec.compose.libraries.lock import Lock, Locked
from agentspec.compose.libraries.opened import fetched_folder, libraries_of
from agentspec.compose.libraries.versions import Version, read_version
from agentspec.text.paths import is_folder


class Chosen(NamedTuple):
    """A library that is to be locked, and where it is."""

    locked: Locked
    copy: Copy


class Upgraded(NamedTuple):
    """One library in another version. `change` is None where what it was is not kept here, so that nobody can tell."""

    name: str
    before: str | None
    after: str
    change: LibraryChange | None

    @property
    def due(self) -> str | None:
        """The version that a change that may break specs asks for, where its number promises less (SemVer 2.0.0, 8).

        Below 1.0.0 anything may change with the second number (SemVer 2.0.0, 4).
        """
        old, new = read_version(self.before or ""), read_version(self.after)
        may_break = self.change is not None and any(reason.weight == "major" for reason in self.change.reasons)
        if old is None or new is None or not may_break or not new.is_release:
            return None
        least = Version(old.major + 1, 0, 0) if old.major else Version(0, old.minor + 1, 0)
        return str(least) if new < least else None


def changed(project: Path, before: Lock, chosen: list[Chosen], old: Files, new: Files) -> list[Upgraded]:
    """The libraries that are others than those that were locked; `old` and `new` read those before and those now."""
    kept = {one.digest: str(fetched_folder(project, one)) for one in before.libraries}
    libraries_of(old).take(project, before, {digest: place for digest, place in kept.items() if is_folder(place)})
    found = []
    for each in chosen:
        now = each.locked
        earlier = [one for one in before.libraries if one.name == now.name]
        was = max(
            earlier, key=lambda one: (one.number.major == now.number.major, one.source == now.source), default=None
        )
        if all(one.digest != now.digest for one in earlier):
            found.append(
                Upgraded(now.name, was and was.version, now.version, was and _change(was, each, project, old, new))
            )
    return found


def _change(was: Locked, now: Chosen, project: Path, old: Files, new: Files) -> LibraryChange | None:
    if not is_folder(fetched_folder(project, was)):
        return None
    library = libraries_of(old).locked(was, project).library
    if library is None:
        return None
    return library_change(Side(library, old, dict(was.files)), Side(now.copy.library, new, dict(now.locked.files)))
