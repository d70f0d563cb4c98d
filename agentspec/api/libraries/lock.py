"""lock: write down which libraries a project uses, verify that they are still that, and list them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.api.libraries.changed import Chosen, Upgraded, changed
from agentspec.api.libraries.choose import Choice
from agentspec.api.libraries.refuse import manifest_errors, refusals
from agentspec.api.libraries.shelf import Copy, Shelf
from agentspec.api.libraries.wants import wants_of
from agentspec.compose.files import Files
from agentspec.compose.findings import finding
from agentspec.compose.libraries.lock import LOCK, Lock, Locked, in_order, lock_text, read_lock, recovered
from agentspec.compose.libraries.meaning import meanings, named
from agentspec.compose.libraries.naming import finding_without_copies
from agentspec.compose.libraries.opened import Library, libraries_of, unlocked
from agentspec.compose.libraries.verify import content_of, verify
from agentspec.compose.libraries.whole import export_findings
from agentspec.compose.project import LOCK_FILE, project_folder
from agentspec.errors import SpecInvalid
from agentspec.syntax.replace import replace_file
from agentspec.text.diagnostic import Diagnostic, sort_key
from agentspec.text.source import Source, Span

PUBLISHED = "its publisher changed a published version: ask for a new one"
ACCEPTS = f"`{LOCK} --accept-changed` takes it all the same"
ABOUT = ("description", "deprecated", "yanked")


class LockReport(NamedTuple):
    """What a project's lock comes to: its libraries, what stands against it, and whether the file is another now.

    `changes` are the libraries that are others than those that were locked.
    """

    path: Path
    libraries: tuple[Locked, ...]
    findings: list[Diagnostic]
    is_changed: bool
    changes: tuple[Upgraded, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(found.severity == "error" for found in self.findings)


def lock_libraries(folder: Path, *, accept_changed: bool = False, is_frozen: bool = False) -> LockReport:
    """Choose, fetch and lock what the specs of a project use. Nothing is written where something stands against it.

    A meaning that changed under the same version is refused unless it is accepted; `is_frozen` refuses every change of
    a lock, and only fetches what it names. Raises `NotAllowed` where the lock cannot be written.
    """
    project = project_folder(folder)
    path = project / LOCK_FILE
    before = read_lock(project, Files())
    if isinstance(before, Diagnostic) and (is_frozen or before.help is None):
        return LockReport(path, (), [before], is_changed=False)  # without help: a newer agentspec reads more in it
    known = before if isinstance(before, Lock) else recovered(before.span.source)
    found: list[Diagnostic] = []
    with Shelf(project, known, Files(), takes_moved=accept_changed) as shelf:
        chosen = choose_libraries(project, known, shelf, found, accept_changed=accept_changed)
        now = in_order(each.locked for each in chosen)
        is_changed = known.source is None or known.source.text != lock_text(now)
        if is_frozen and is_changed:
            found.append(_stale(path))
        if not any(one.severity == "error" for one in found):
            write_lock(project, known, chosen, shelf)
        changes = changed(project, known, chosen, Files(), shelf.files)
        return LockReport(path, now, in_place(found, shelf.files), is_changed, tuple(changes))


def in_place(found: list[Diagnostic], files: Files) -> list[Diagnostic]:
    """The findings, each once, by file and place; what lies in a copy of a library is named as it is in the library."""
    return sorted(dict.fromkeys(finding_without_copies(one, files) for one in found), key=sort_key)


def choose_libraries(
    project: Path, before: Lock, shelf: Shelf, found: list[Diagnostic], *, accept_changed: bool = False
) -> list[Chosen]:
    """The libraries that the specs of a project come to, as they would be locked."""
    choice = Choice(shelf, found)
    choice.take(wants_of(project, shelf.files, found))
    chosen = [Chosen(_as_known(_locked(copy, shelf.files, found), before), copy) for copy in choice.chosen.values()]
    if not accept_changed:
        found += _other_meanings(before, in_order(each.locked for each in chosen), project / LOCK_FILE)
    places = {each.locked.digest: each.copy.library.folder for each in chosen}
    libraries_of(shelf.files).take(project, Lock(tuple(each.locked for each in chosen)), places)
    if all(one.severity != "error" or one.code == "AS444" for one in found):
        found += refusals(project, shelf.files)
    return chosen


def _as_known(now: Locked, before: Lock) -> Locked:
    """What is locked already of the same files: another agentspec may have put their meaning into other digests."""
    return next((one for one in before.libraries if one._replace(exports=now.exports) == now), now)


def write_lock(project: Path, before: Lock, chosen: list[Chosen], shelf: Shelf) -> None:
    """Write a lock, and keep what it names. Raises `NotAllowed` where that cannot be written."""
    for each in chosen:
        shelf.keep(each.copy, each.locked)
    now = in_order(each.locked for each in chosen)
    text = lock_text(now)
    if (now or before.source is not None) and (before.source is None or before.source.text != text):
        replace_file(project / LOCK_FILE, None, text.encode())
    shelf.forget([*now, *before.libraries])


def _locked(copy: Copy, files: Files, found: list[Diagnostic]) -> Locked:
    library, manifest = copy.library, copy.library.manifest
    found += [*manifest_errors(manifest, files), *export_findings(library, files)]
    return Locked(
        manifest.name,
        str(manifest.version),
        str(library.source),
        {name: need.written for name, need in manifest.needs.items()},
        meanings(library, files),
        content_of(library).files,
        copy.commit,
        copy.module,
    )


def _other_meanings(before: Lock, now: tuple[Locked, ...], path: Path) -> Iterator[Diagnostic]:
    """A finding for each library that says something else than the same version of it did."""
    for one in now:
        known = [old for old in before.libraries if (old.name, old.version) == (one.name, one.version)]
        is_same = any(one.exports == old.exports or one.files == old.files for old in known)
        if not known or not one.number.is_release or is_same:
            continue
        listed = ", ".join(named(_others(known[0].exports, one.exports)))
        moved = f" (was commit {known[0].commit[:12]}, is {one.commit[:12]})" if known[0].commit != one.commit else ""
        message = f"`{one.name}` {one.version} means something else than was locked: {listed}{moved}"
        is_own = not one.commit and not one.module
        help_ = f"give it a new version; {ACCEPTS}" if is_own else f"{PUBLISHED}; {ACCEPTS}"
        yield finding("AS444", place_in(before, path, one), message, help=help_)


def _others(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def place_in(lock: Lock, path: Path, one: Locked) -> Span:
    """Where a library stands in a lock."""
    source = lock.source or Source(str(path), "")
    at = source.text.find(f'name = "{one.name}"')
    return Span(source, at, at + len(f'name = "{one.name}"')) if at >= 0 else Span(source, 0, 0)


def _stale(path: Path) -> Diagnostic:
    message = f"`{LOCK_FILE}` is not what the specs of this project ask for"
    return finding("AS440", Span(Source(str(path), ""), 0, 0), message, help="`agentspec lib lock` writes it anew")


def verify_libraries(folder: Path) -> list[Diagnostic]:
    """Whether what the specs of a project use is locked, and still what was locked, and whole. Nothing is fetched."""
    project, files = project_folder(folder), Files()
    lock = read_lock(project, Files())
    if isinstance(lock, Diagnostic):
        return [lock]
    wants = [(want, want.source) for want in wants_of(project, files, []) if want.source is not None]
    found = [
        want.told(*unlocked(want.name, source, want.written, lock))
        for want, source in wants
        if lock.of_source(str(source), want.wanted) is None and not want.is_need
    ]
    for one in lock.libraries:
        used = libraries_of(files).locked(one, project)
        troubles = list(used.troubles) + (list(verify(used.library, files)) if used.library is not None else [])
        found += [trouble.at(place_in(lock, project / LOCK_FILE, one), ()) for trouble in troubles]
    return found


def list_libraries(folder: Path) -> list[dict[str, Any]]:
    """The locked libraries of a project, as plain values: version, source, what each exports and needs.

    Raises `SpecInvalid` where the lock cannot be read.
    """
    project, files = project_folder(folder), Files()
    lock = read_lock(project, Files())
    if isinstance(lock, Diagnostic):
        raise SpecInvalid(f"`{LOCK_FILE}` cannot be read", [lock])
    return [_listed(one, libraries_of(files).locked(one, project).library) for one in lock.libraries]


def _listed(one: Locked, library: Library | None) -> dict[str, Any]:
    """What is known of a locked library; its words where it can be looked into."""
    texts = {} if library is None else {key: library.manifest.text(key) for key in ABOUT}
    exports: dict[str, list[str]] = {}
    for name in one.exports:
        kind, _, word = name.partition(".")
        exports.setdefault(kind, []).append(word)
    return {
        "name": one.name,
        "version": one.version,
        "source": one.source,
        "commit": one.commit or None,
        "is_there": library is not None,
        **{key: text[0] if text is not None else None for key, text in texts.items()},
        "exports": {kind: sorted(words) for kind, words in sorted(exports.items())},
        "requires": dict(one.requires),
        "files": len(one.files),
    }
