"""pending: the authored keys of a document that nothing acts on yet. It words nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.checker.subject import Subject
from agentspec.spec.in_effect import Known, below, everything
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence, dotted
from agentspec.text.source import Span

UNKNOWN = ("AS102", "AS204")  # shape knows no such key, no such word
NAMED_ITEMS = (("capability", "toolkits"), ("capability", "middleware"))  # lists of names, or of names with options
SHOWN = 6  # of a preset's keys


class Pending(NamedTuple):
    """A key that nothing acts on yet, where it stands, and whether an extended document brought it."""

    path: Path
    span: Span
    is_inherited: bool


def pending_keys(subject: Subject) -> Iterator[Pending]:
    """Every authored key that is not in effect. What shape does not know is left out: it waits for nothing."""
    if subject.kind not in ("agent", "preset"):
        return
    unknown = {error.path for error in subject.errors if error.code in UNKNOWN}
    for path in _pending(subject.root, (), everything()):
        if dotted(path) in unknown:
            continue
        span = subject.key(*path)
        if subject.is_authored(*path):
            # `--set` has a place of its own
            is_inherited = not subject.is_own(span) and not span.source.name.startswith("--")
            yield Pending(path, span, is_inherited)


def listed(spans: list[Span]) -> str:
    """The names of a preset's keys, the first few of them."""
    names = ", ".join(f"`{span.text}`" for span in spans[:SHOWN])
    return names + (f" and {len(spans) - SHOWN} more" * (len(spans) > SHOWN))


def _pending(node: Node, path: Path, known: Known | None) -> Iterator[Path]:
    """The keys at a node of which nothing is in effect; `known` is what is in effect of the node itself."""
    match node:
        case Mapping():
            for entry in node.entries:
                if entry.operation == "unset" or entry.name.startswith("x-"):
                    continue
                inside = _inside(known, entry.name)
                if inside is None:
                    yield (*path, entry.name)
                elif inside:
                    yield from _pending(entry.value, (*path, entry.name), inside)
        case Sequence():
            for index, item in enumerate(node.items):
                inside = _inside(known, index)
                if inside is None or inside:
                    yield from _pending(item, (*path, index), inside)
        case Scalar(value=str(name)) if path[:-1] in NAMED_ITEMS and _inside(known, name) is None:
            yield path


def _inside(known: Known | None, step: str | int) -> Known | None:
    return None if known is None else below(known, step)
