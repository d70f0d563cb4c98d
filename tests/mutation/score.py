"""score: what the checker says about each defect, against what it owes. Counts; decides nothing about how it finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from agentspec.syntax.read import parse
from agentspec.syntax.tree import same
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source
from tests.mutation.corpus import findings, lend, valid, written
from tests.mutation.defect import Change, Defect, defects
from tests.mutation.dresses import dressed
from tests.mutation.kinds import KINDS


class Outcome(NamedTuple):
    """How one defect was told. What was not asked for counts as right."""

    defect: Defect
    found: list[Diagnostic]
    is_found: bool  # some finding has the code
    is_placed: bool  # … and begins and ends where the mistake does
    is_led: bool | None  # the way out is the right one; None where none is asked for
    is_mended: bool | None  # the fix gives the meaning back

    @property
    def is_right(self) -> bool:
        wrong = (self.is_found, self.is_placed, self.is_led, self.is_mended)
        return False not in wrong and len(self.found) == 1

    def __str__(self) -> str:
        spec, kind, change = self.defect
        wanted = f"{kind.name}: {spec.name}: {'/'.join(change.codes)} on {change.text[change.start : change.end]!r}"
        told = [f"    {one.code} on {one.span.text!r}: {one.message} ({one.help})" for one in self.found]
        return "\n".join([f"{wanted}, wants {change.word or change.help or change.suggests}", *told])


def outcomes(defects: Iterable[Defect], folder: Path) -> Iterator[Outcome]:
    """What check says about each defect; the specs are written to `folder`."""
    for defect in defects:
        lend(defect.spec, folder)
        yield outcome(defect, findings(defect.spec, defect.change.text, folder))


def outcome(defect: Defect, found: list[Diagnostic]) -> Outcome:
    """A defect against its findings."""
    change = defect.change
    own = [one for one in found if one.code in change.codes]
    here = [one for one in own if (one.span.start, one.span.end) == (change.start, change.end)]
    best = next(iter(here or own), None)
    return Outcome(defect, found, bool(own), bool(here), _leads(best, change), _mends(best, defect))


def _leads(found: Diagnostic | None, change: Change) -> bool | None:
    if change.suggests is False:
        return found is None or "did you mean" not in (found.help or "")
    if change.word is None and not change.help:
        return None
    if found is None:
        return False
    return change.help in (found.help or "") and (change.word is None or change.word in words_offered(found))


def words_offered(found: Diagnostic) -> list[str]:
    """The word that the fix writes, and the one that the help names first."""
    offered = [edit.text.strip("\"'") for edit in found.fix.edits[:1]] if found.fix else []
    return [*offered, *(found.help or "").split("`")[1:2]]


def _mends(found: Diagnostic | None, defect: Defect) -> bool | None:
    if not defect.change.mends:
        return None
    if found is None or found.fix is None:
        return False
    text = defect.change.text
    for edit in sorted(found.fix.edits, key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    name = f"spec{defect.spec.ending}"
    left, right = (parse(Source(name, each)).documents for each in (text, defect.spec.text))
    return len(left) == len(right) and all(same(a.root, b.root) for a, b in zip(left, right, strict=True))


class Tally(NamedTuple):
    """What many outcomes come to. Shares are of those that were asked for it; 1.0 where none was."""

    defects: int
    found: float
    placed: float
    led: float
    mended: float
    findings: float


def tally(told: Iterable[Outcome]) -> Tally:
    """The shares of what was found, placed, led and mended, and the findings per defect."""
    told = tuple(told)
    return Tally(
        len(told),
        _share(one.is_found for one in told),
        _share(one.is_placed for one in told),
        _share(one.is_led for one in told if one.is_led is not None),
        _share(one.is_mended for one in told if one.is_mended is not None),
        sum(len(one.found) for one in told) / max(1, len(told)),
    )


def _share(claims: Iterable[bool | None]) -> float:
    asked = list(claims)
    return sum(map(bool, asked)) / len(asked) if asked else 1.0


def whole_score(folder: Path) -> list[Outcome]:
    """Mistakes of every class in every spec of the repository, and fewer in each in its other dresses."""
    plain = list(valid(written(), folder))
    others = valid(dressed(plain), folder)
    return [*outcomes(defects(plain, KINDS, 3), folder), *outcomes(defects(others, KINDS, 1, one_in=4), folder)]


def all_lines(told: Iterable[Outcome]) -> Iterator[str]:
    """A line of Markdown for each class of mistakes, and one for all of them."""
    told = tuple(told)
    by_kind: dict[str, list[Outcome]] = {}
    for one in told:
        by_kind.setdefault(one.defect.kind.name, []).append(one)
    for name, own in sorted(by_kind.items()):
        yield line(name, tally(own))
    yield line("all", tally(told))


def line(name: str, row: Tally) -> str:
    """One line of Markdown."""
    shares = " | ".join(f"{100 * share:.1f} %" for share in (row.found, row.placed, row.led, row.mended))
    return f"| {name} | {row.defects} | {shares} | {row.findings:.2f} |"
