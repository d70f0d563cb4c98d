"""upgrade: take newer versions of libraries, after telling what that changes in the specs that use them.

Told is what the effective specs would be, and what they may do then; what may do more is taken only where that is
accepted. Nothing is written before all of it is known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.api.libraries.changed import Chosen, Upgraded, changed
from agentspec.api.libraries.lock import ACCEPTS, PUBLISHED, choose_libraries, in_place, place_in, write_lock
from agentspec.api.libraries.shelf import Copy, Shelf
from agentspec.api.libraries.wants import Want, wants_of
from agentspec.api.would_be import View, spec_change
from agentspec.checker.mend import write
from agentspec.checker.walk import find_specs
from agentspec.compose.documents import kind_of, name_of
from agentspec.compose.files import Files
from agentspec.compose.findings import finding
from agentspec.compose.libraries.lock import Lock, read_lock
from agentspec.compose.libraries.versions import Version, from_version, read_version
from agentspec.compose.load import Composed, compose
from agentspec.compose.project import LOCK_FILE, project_folder
from agentspec.errors import NotAllowed, NotFound, SpecInvalid
from agentspec.syntax.tree import Node, Scalar, find, plain
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.suggest import nearest


class UpgradeReport(NamedTuple):
    """What newer versions come to: the libraries, the effect on each spec, what stands against it, and what is written.

    `specs` are plain values: `spec`, `changes`, `authority`, `problems`.
    """

    libraries: list[Upgraded]
    specs: list[dict[str, Any]]
    findings: list[Diagnostic]
    files: tuple[str, ...]
    is_done: bool

    @property
    def is_wider(self) -> bool:
        """Whether some spec may do more then, or nobody can tell."""
        is_unknown = any(each.before is not None and each.change is None for each in self.libraries)
        return is_unknown or any(each["authority"]["wider"] for each in self.specs)

    @property
    def is_broken(self) -> bool:
        """Whether some spec would no longer check, or no versions go together."""
        return any(each["problems"] for each in self.specs) or any(one.severity == "error" for one in self.findings)


def upgrade_libraries(
    folder: Path,
    names: tuple[str, ...] = (),
    *,
    accept_wider: bool = False,
    across_majors: bool = False,
    is_dry: bool = False,
) -> UpgradeReport:
    """Take the newest versions of the libraries of a project, or of those that are named, as they are called in `use`.

    Within their majors, unless `across_majors`. Ranges and tags in `use` are raised where that is needed. Nothing is
    written where a spec would no longer check, or may do more and that is not accepted. Raises `NotFound` for a name
    that no spec uses, `SpecInvalid` where the lock cannot be read.
    """
    project = project_folder(folder)
    before = read_lock(project, Files())
    if isinstance(before, Diagnostic):
        raise SpecInvalid(f"`{LOCK_FILE}` cannot be read", [before])
    drafts: dict[str, str] = {}
    old, new = Files(), Files(drafts)
    found: list[Diagnostic] = []
    with Shelf(project, before, new) as shelf:
        wants = wants_of(project, old, found)
        _require(names, wants)
        chosen_wants = [want for want in wants if not names or want.name in names]
        texts = _raised(chosen_wants, shelf, old, across_majors=across_majors)
        drafts.update((os.path.realpath(path), text) for path, text in texts.items())
        chosen = choose_libraries(project, before, shelf, found)
        found += _moved(chosen, chosen_wants, before, shelf)
        libraries = changed(project, before, chosen, old, new)
        is_known = all(each.before is None or each.change is not None for each in libraries)
        specs = list(_specs(project, old, new, is_known=is_known))
        found = in_place(found, new)  # from here on no file of a copy has its path
        told = {f"{one.code} {one.message}" for one in found}
        specs = [_without(told, each) for each in specs]
        report = UpgradeReport(libraries, specs, found, tuple(texts), is_done=False)
        if is_dry or report.is_broken or (report.is_wider and not accept_wider) or not libraries:
            return report
        for path, text in texts.items():
            write(Path(path), old.read(path).source.text, text)
        write_lock(project, before, chosen, shelf)
    return report._replace(is_done=True)


def _require(names: tuple[str, ...], wants: list[Want]) -> None:
    known = sorted({want.name for want in wants if not want.is_need})
    for name in names:
        if name not in known:
            near = nearest(name, known)
            way_out = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known) or 'none'}"
            raise NotFound(f"no spec here uses a library `{name}`; {way_out}")


def _moved(chosen: list[Chosen], wants: list[Want], before: Lock, shelf: Shelf) -> Iterator[Diagnostic]:
    """A finding for each tag that is at another commit than was locked of it, and would be taken again."""
    asked = [want.source for want in wants]
    for locked, copy in chosen:
        source = copy.library.source
        if not locked.commit or source not in asked or locked not in before.libraries:
            continue
        tag = source.ref or shelf.versions(source).get(locked.number, "")
        now = shelf.moved_to(source, tag, locked)
        if now is not None:
            commits = f"was {locked.commit[:12]}, is {now[:12]}"
            message = f"`{tag}` of `{locked.name}` is at another commit than was locked ({commits})"
            place = place_in(before, shelf.project / LOCK_FILE, locked)
            yield finding("AS443", place, message, help=f"{PUBLISHED}; {ACCEPTS}")


def _without(told: set[str], spec: dict[str, Any]) -> dict[str, Any]:
    """What is different in a spec without the problems that are findings of their own."""
    return {**spec, "problems": [each for each in spec["problems"] if each not in told]}


def _raised(wants: list[Want], shelf: Shelf, files: Files, *, across_majors: bool) -> dict[str, str]:
    """The texts of the files whose ranges or tags have to be others for the newest versions."""
    edits: dict[str, list[tuple[int, int, str]]] = {}
    for want in wants:
        newest = _newest(want, shelf, across_majors=across_majors)
        for node, word in _new_words(want, newest, shelf) if newest is not None else ():
            spelled = json.dumps(word) if node.span.text[:1] in "\"'" else word
            edits.setdefault(want.by, []).append((node.span.start, node.span.end, spelled))
    return {path: _edited(files.read(path).source.text, each) for path, each in edits.items()}


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, word in sorted(set(edits), reverse=True):
        text = text[:start] + word + text[end:]
    return text


def _newest(want: Want, shelf: Shelf, *, across_majors: bool) -> Version | None:
    """The newest version that may be taken; None where there is none to choose."""
    source = want.source
    if source is None or want.is_need or (source.ref and read_version(source.ref.removeprefix("v")) is None):
        return None
    now = read_version(source.ref.removeprefix("v")) or want.wanted.lowest
    if source.kind == "git":
        known = [version for version in shelf.versions(source) if version.is_release]
    else:
        copy = shelf.lowest(want.name, source, want.wanted)
        known = [copy.version] if isinstance(copy, Copy) else []
    is_open = across_majors or not (want.wanted.bounds or source.ref)
    fitting = [version for version in known if is_open or version.major == now.major]
    return shelf.newest(want.name, source, fitting) if source.kind == "git" else max(fitting, default=None)


def _new_words(want: Want, newest: Version, shelf: Shelf) -> Iterator[tuple[Node, str]]:
    """The scalars of a `use` that have to change, and what they say then."""
    source = want.source
    at, version = (find(want.entry.value, (key,)) if want.entry is not None else None for key in ("source", "version"))
    if source is not None and source.ref and at is not None:
        tag = shelf.versions(source)[newest]
        written = str(plain(at))
        start = written.rindex(f"@{source.ref}") + 1
        new = f"{written[:start]}{tag}{written[start + len(source.ref) :]}"
        yield from [(at, new)] if new != written else []
    is_low = source is not None and source.kind == "git" and not source.ref and want.wanted.lowest < newest
    if isinstance(version, Scalar) and (is_low or not want.wanted.admits(newest)):
        yield version, from_version(newest)


def _specs(project: Path, old: Files, new: Files, *, is_known: bool) -> Iterator[dict[str, Any]]:
    """What is different in each agent that uses a library, before and after."""
    for path in find_specs([project]).files:
        shown = os.path.relpath(path)
        before, after = _agents(shown, old), _agents(shown, new)
        for name, would_be in after.items():
            was = before.get(name)
            if was is None or not any(layer.library for layer in (*was.layers, *would_be.layers)):
                continue
            place = shown if len(after) == 1 else f"{shown}#{name}"
            yield spec_change(place, View(was, old), View(would_be, new), is_known=is_known)


def _agents(path: str, files: Files) -> dict[str, Composed]:
    try:
        parsed = files.read(path)
    except NotFound as gone:
        raise NotAllowed(f"`{path}` cannot be read: {gone}") from None
    documents = [each for each in parsed.documents if kind_of(each) == "agent"]
    return {name_of(each) or "": compose(parsed, each, path, files) for each in documents}
