"""choose: which version of each library a project gets: of every major the lowest that all who ask for it accept.

Source: Russ Cox, *Minimal Version Selection* (research.swtch.com/vgo-mvs): what is asked for decides, not what was
published since.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.api.libraries.shelf import Copy, Shelf
from agentspec.api.libraries.wants import Want, needs_of
from agentspec.compose.libraries.opened import Trouble, way_to
from agentspec.compose.libraries.source import LibrarySource
from agentspec.text.diagnostic import Diagnostic, Related

MOST_WANTS = 2000


class Name(NamedTuple):
    """A library and a major version: of each there is one."""

    name: str
    major: int


class Choice:
    """The versions that a list of wants comes to, and what stands against them."""

    def __init__(self, shelf: Shelf, found: list[Diagnostic]) -> None:
        self.found = found
        self.chosen: dict[Name, Copy] = {}
        self._shelf = shelf
        self._asked: dict[Name, list[Want]] = {}
        self._sources: dict[Name, tuple[LibrarySource, Want]] = {}  # who uses a library says it first

    def take(self, wants: list[Want]) -> None:
        """Follow what is wanted, and what that needs, until nothing new is asked for."""
        left = sorted(wants, key=lambda want: want.is_need)  # who uses a library says first where it comes from
        seen = {(want.name, want.written, want.by) for want in wants}
        while left and len(seen) <= MOST_WANTS:
            want, source = next(((want, source) for want in left if (source := self._source(want))), (None, None))
            if want is None or source is None:
                self.found += map(_homeless, left)
                break
            left.remove(want)
            copy = self._copy(want, source)
            for need in self._entered(want, copy) if copy is not None else ():
                if (need.name, need.written, need.by) not in seen:
                    seen.add((need.name, need.written, need.by))
                    left.append(need)
        self.found += self._misfits()

    def _source(self, want: Want) -> LibrarySource | None:
        """Where a library comes from: the project decides, before what needs it."""
        known = {name: source for name, (source, _) in self._sources.items() if name.name == want.name and want.is_need}
        fitting = (source for name, source in known.items() if want.wanted.admits(self.chosen[name].version))
        return next(fitting, want.source) or next(iter(known.values()), None)

    def _copy(self, want: Want, source: LibrarySource) -> Copy | None:
        copy = self._shelf.lowest(want.name, source, want.wanted)
        if isinstance(copy, Trouble):
            self.found.append(want.told(*copy))
            return None
        return copy

    def _entered(self, want: Want, copy: Copy) -> Iterator[Want]:
        manifest, source = copy.library.manifest, copy.library.source
        name = Name(manifest.name, manifest.version.major)
        known = self._sources.setdefault(name, (source, want))
        if _place(known[0]) != _place(source):
            message = f"`{manifest.name}` comes from `{source}` here, and from `{known[0]}` elsewhere"
            related = (Related(known[1].span, "the other one"),)
            self.found.append(want.told("AS459", message, "use one source for it", related))
            return
        self._asked.setdefault(name, []).append(want)
        best = self.chosen.get(name)
        if best is None or best.version < copy.version:
            self.chosen[name] = copy
            yield from needs_of(manifest, copy.needed, self.found)

    def _misfits(self) -> Iterator[Diagnostic]:
        """The wants that what was chosen does not meet, each with one that asks for more."""
        for name, copy in self.chosen.items():
            asked = self._asked[name]
            yield from _other_tags(name, copy, asked)
            for want in asked:
                if want.wanted.admits(copy.version):
                    continue
                other = max(asked, key=lambda one: one.wanted.lowest)
                if other is want:
                    message = f"`{want.written}` of `{name.name}` is asked for, and {copy.version} is what there is"
                    yield want.told("AS448", message, way_to(want.name, want.wanted, copy.version))
                    continue
                others = f"`{other.written}`, which `{other.by}` asks for"
                message = f"`{want.written}` of `{name.name}` does not go with {others}"
                related = (Related(other.span, "asked for here"),)
                yield want.told("AS448", message, "ask for versions that overlap", related)


def _other_tags(name: Name, copy: Copy, asked: list[Want]) -> Iterator[Diagnostic]:
    """A finding for each use of a tag or commit that is not the one that was chosen: there is one of each major."""
    refs = {want.source.ref: want for want in asked if want.source is not None and want.source.ref and not want.is_need}
    chosen = copy.library.source.ref
    for ref, want in refs.items() if chosen else ():
        if ref != chosen:
            here = f"`@{ref}` of `{name.name}` is asked for here, and `@{chosen}` elsewhere"
            message = f"{here}: a project has one version of each major"
            related = (Related(refs[chosen].span, "the other one"),) if chosen in refs else ()
            yield want.told("AS448", message, "name the same one in both", related)


def _homeless(want: Want) -> Diagnostic:
    message = f"`{want.by}` needs `{want.name}`, and nothing says where that comes from"
    help_ = "name it under `use` of a spec, or write `{source: …, version: …}` where it is needed"
    return want.told("AS442", message, help_)


def _place(source: LibrarySource) -> tuple[str, str, str]:
    return source.kind, source.place, source.folder
