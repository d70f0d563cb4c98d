"""consequences: findings that only follow from another mistake, each linked to it. Nothing is taken away here.

A rule that compares two places says something about the one that can be read and means the one that can't. The
tables name the places that a rule looks at beyond those whose mistakes it asks for itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from agentspec.compose.documents import name_of
from agentspec.syntax.tree import Broken, Mapping, Parsed, dotted, find, holder, walk
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

UNKNOWN_KEY = "AS102"
HEADS = ("name", "preset", "library", "scenario")
OF_LAYERS = ("AS410", "AS412", "AS413")  # the lower layer's value stands there, so that nothing else follows from them
CEILING: Final = ("capability", "ceiling", "effects")
OF_EXPRESSIONS: Final = "AS3"
OF_EFFECTS = ("AS412", "AS620")  # they are told of all that a ceiling bounds; of its effects they are linked
WORD: Final = "abcdefghijklmnopqrstuvwxyz_"
OF_LOST_TEXT = ("AS201", "AS208", "AS3")  # where what stood there, or what it names, is not known
# `=` is the very place of a finding, `.` the part that it stands in, each further dot one part up, `[]` every item of
# the list around that part, `*` any place whose text is lost; a place behind `!` is looked at for its form alone, so
# that a mistake in an expression is no cause.
LOOKS_AT: Final[dict[str, tuple[str, ...]]] = {
    "AS410": ("=",),
    "AS412": ("capability.ceiling.effects", ".effect"),
    "AS325": (".parameters", ".returns"),
    "AS414": ("=", "extends"),
    "AS451": ("extends",),
    "AS427": ("*",),
    "AS512": ("![].when",),
    "AS522": (".when", "execution.stop_after_successful_tools"),
    "AS608": (".",),
    "AS615": ("=",),
    "AS618": ("..private",),
    "AS620": ("capability.ceiling.effects", ".effect"),
    "AS624": ("=", ".rules"),
    "AS627": (".",),
    "AS635": ("....parameters",),
    "AS643": ("capability.tool_search",),
    "AS644": ("capability.tool_search",),
    "AS703": ("=", "*"),
    "AS708": ("!context.history",),
    "AS802": (".prices",),
    "AS803": ("[].when", "model.fallback"),
    "AS804": ("model.options",),
    "AS809": (".context_window", ".prices"),
    "AS816": ("![].when",),
    "AS817": ("model.routes", "execution.verify_completion_judge", "execution.turn_end_condition"),
    "AS903": (".description",),
}
ACROSS: Final[dict[str, tuple[str, ...]]] = {  # the keys of another document of the file that decide
    "AS108": HEADS,
    "AS401": HEADS,
    "AS405": (),
    "AS414": (),
    "AS415": ("inputs",),
    "AS417": ("inputs",),
}


class Faults:
    """The mistakes of one composed document, asked for by place."""

    def __init__(self, root: Mapping, errors: Sequence[Diagnostic], reading: Diagnostic | None) -> None:
        self._root = root
        self._reading = reading  # the first error of reading, where some part could not be read
        self._errors = sorted((one for one in errors if one.code not in OF_LAYERS), key=lambda one: one.path)
        self._unknown = {holder(one.path): one for one in errors if one.code == UNKNOWN_KEY}
        self._paths = [one.path for one in self._errors]
        self._found: dict[tuple[str, str], Diagnostic | None] = {}

    def behind(self, one: Diagnostic) -> Diagnostic | None:
        """The mistake that a finding follows from."""
        if not self._errors and self._reading is None:
            return None
        if one.code in OF_EFFECTS and not self._is_of_effects(one):
            return None
        causes = (self._cause(pattern, one.path) for pattern in LOOKS_AT.get(one.code, ()))
        return next((cause for cause in causes if cause is not None and cause is not one), None)

    def _is_of_effects(self, one: Diagnostic) -> bool:
        """Whether a finding that names a ceiling is about the effects which that allows."""
        above = find(self._root, CEILING[:-1])
        effects = above.entry(CEILING[-1]) if isinstance(above, Mapping) else None
        return effects is not None and any(_holds(effects.span, each) for each in one.related)

    def _cause(self, pattern: str, path: str) -> Diagnostic | None:
        is_there = pattern == "=" or (pattern != "." and path in self._holders)
        around = path if is_there else holder(path)
        asked = (pattern, holder(around) if pattern.lstrip("!").startswith("[]") else around)
        if asked not in self._found:
            at = self._of_form if pattern.startswith("!") else self._at
            causes = (at(place) or self._instead_of(place) or self._unread(place) for place in self._meant(*asked))
            self._found[asked] = next((cause for cause in causes if cause is not None), None)
        return self._found[asked]

    def _meant(self, pattern: str, around: str) -> Iterator[str]:
        if pattern in (".", "="):
            yield around
        elif pattern == "*":
            yield from (one.path for one in self._errors if one.code.startswith(OF_LOST_TEXT))
        elif pattern.lstrip("!").startswith("[]"):
            key = pattern.lstrip("!").removeprefix("[]")
            yield from (item + key for item in self._holders.get(around, ()) if item.endswith("]"))
        elif pattern.startswith("."):
            for _ in pattern.rstrip(WORD)[1:]:
                around = holder(around)
            yield f"{around}.{pattern.lstrip('.')}"
        else:
            yield pattern.removeprefix("!")

    @cached_property
    def _holders(self) -> dict[str, list[str]]:
        """The places of all that holds others, each with the places in it."""
        found: dict[str, list[str]] = {}
        for path, _ in walk(self._root):
            if path:
                found.setdefault(dotted(path[:-1]), []).append(dotted(path))
        return found

    @cached_property
    def _broken(self) -> list[str]:
        return sorted(dotted(path) for path, node in walk(self._root) if isinstance(node, Broken))

    def _at(self, place: str) -> Diagnostic | None:
        """A mistake at or below a place."""
        index = _first_below(place, self._paths)
        return None if index is None else self._errors[index]

    def _of_form(self, place: str) -> Diagnostic | None:
        """A mistake at or below a place that is none of an expression."""
        below = (f"{place}.", f"{place}[")
        at = (one for one in self._errors if one.path == place or one.path.startswith(below))
        return next((one for one in at if not one.code.startswith(OF_EXPRESSIONS)), None)

    def _instead_of(self, place: str) -> Diagnostic | None:
        """An unknown key that may be the key which is not there."""
        at = place
        while at:
            above = holder(at)
            if above in self._unknown and at not in self._holders.get(above, ()):
                return self._unknown[above]
            at = above
        return None

    def _unread(self, place: str) -> Diagnostic | None:
        if self._reading is None:
            return None
        is_there = place in self._holders.get(holder(place), ())
        return self._reading if not is_there or _first_below(place, self._broken) is not None else None


def _first_below(place: str, paths: Sequence[str]) -> int | None:
    """Which of the sorted paths is the first at or below a place."""
    for start in (place, f"{place}.", f"{place}["):
        at = bisect_left(paths, start)
        if at < len(paths) and (paths[at] == place if start == place else paths[at].startswith(start)):
            return at
    return None


def within(found: Iterable[Diagnostic], faults: Faults) -> Iterator[Diagnostic]:
    """The findings of one document, linked to the mistakes in it that they follow from."""
    for one in found:
        cause = faults.behind(one) if one.code in LOOKS_AT and one.caused_by is None else None
        yield one if cause is None else because_of(one, cause)


def across(found: Sequence[Diagnostic], parsed: Parsed) -> Iterator[Diagnostic]:
    """The findings of a file, linked to mistakes in other documents of it that they follow from."""
    for one in found:
        cause = _elsewhere(one, found, parsed) if one.code in ACROSS and one.caused_by is None else None
        yield one if cause is None else because_of(one, cause)


def _elsewhere(one: Diagnostic, found: Sequence[Diagnostic], parsed: Parsed) -> Diagnostic | None:
    keys = ACROSS[one.code]
    own = next((each for each in parsed.documents if _holds(each.span, one)), None)
    others = [each for each in found if each.severity == "error" and not (own and _holds(own.span, each))]
    for other in others:
        is_key = other.path.split(".")[0].split("[")[0] in keys
        if is_key or (other.code == UNKNOWN_KEY and _may_be(other, keys)):
            return other
    is_nameless = any(
        each.has_broken and (not keys or keys == ("inputs",) or not name_of(each)) for each in parsed.documents
    )
    errors = [each for each in parsed.diagnostics if each.severity == "error"]
    return errors[0] if is_nameless and errors else None


def _may_be(unknown: Diagnostic, keys: tuple[str, ...]) -> bool:
    """Whether an unknown key may be one of those that decide; where none is named, any may."""
    meant = unknown.fix.edits[0].text if unknown.fix else ""
    return not keys or ("." not in unknown.path and (not meant or meant in keys))


def _holds(span: Span, one: Diagnostic | Related) -> bool:
    return span.source is one.span.source and span.start <= one.span.start < span.end


def because_of(one: Diagnostic, cause: Diagnostic) -> Diagnostic:
    """The finding, linked to the one that it follows from."""
    return one._replace(caused_by=title_of(cause))


def apart(kept: list[Diagnostic], found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those that are kept, without what follows from another one of them: what is left out itself hides nothing.

    That other one is looked for in the same file, and in all of them where this one never had it.
    """
    if all(one.caused_by is None for one in kept):
        return kept
    known = {(one.span.source.name, title_of(one)) for one in found}
    told = {(one.span.source.name, title_of(one)) for one in kept}
    anywhere = {title for _, title in told}

    def is_hidden(one: Diagnostic) -> bool:
        here = (one.span.source.name, one.caused_by)
        return here in told or (here not in known and one.caused_by in anywhere)

    return [one for one in kept if not is_hidden(one)]


def title_of(cause: Diagnostic) -> str:
    """How a finding is named by those that follow from it."""
    return f"{cause.code} {cause.path}".rstrip()
