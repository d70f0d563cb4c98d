"""pending: the authored keys of a document that nothing acts on yet. It words nothing."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.checker.reading import Pending
from agentspec.checker.subject import Subject
from agentspec.spec.in_effect import Known, below, everything
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence, dotted
from agentspec.text.source import Span

UNKNOWN = ("AS102", "AS204")  # shape knows no such key, no such word
NAMED_ITEMS = (("capability", "toolkits"), ("capability", "middleware"))  # lists of names, or of names with options
SHOWN = 6  # of a preset's keys


def pending_keys(subject: Subject) -> list[Pending]:
    """Every authored key that is not in effect. What shape does not know is left out: it waits for nothing."""
    if subject.pending is None:
        subject.pending = list(_of_subject(subject))
    return subject.pending


def _of_subject(subject: Subject) -> Iterator[Pending]:
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
    if known is not None and not known:
        return
    match node:
        case Mapping():
            for entry in node.entries:
                if entry.operation == "unset" or entry.name.startswith("x-"):
                    continue
                inside = _inside(known, entry.name)
                if inside is None:
                    yield (*path, entry.name)
                else:
                    yield from _pending(entry.value, (*path, entry.name), inside)
        case Sequence():
            for index, item in enumerate(node.items):
                yield from _pending(item, (*path, index), _inside(known, index))
        case Scalar(value=str(name)) if path[:-1] in NAMED_ITEMS and _inside(known, name) is None:
            yield path


def _inside(known: Known | None, step: str | int) -> Known | None:
    return None if known is None else below(known, step)
