"""spot: what stands at an offset of a document: a key or a value, and its path."""

from __future__ import annotations

from typing import NamedTuple

from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.source import Source, Span


class Spot(NamedTuple):
    """A key or a value: its path, the node that stands there, and the entry that it belongs to, if it is in one."""

    path: Path
    node: Node
    entry: Entry | None
    is_key: bool

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.entry.key.span if self.is_key and self.entry is not None else self.node.span


def spot_at(root: Node, source: Source, offset: int) -> Spot:
    """The innermost key or value of a file at an offset; the whole document where there is nothing closer."""
    spot = Spot((), root, None, is_key=False)
    while True:
        inner = _inner(spot, source, offset)
        if inner is None or inner.is_key:
            return inner or spot
        spot = inner


def _inner(spot: Spot, source: Source, offset: int) -> Spot | None:
    match spot.node:
        case Mapping(entries=entries):
            for entry in entries:
                path = (*spot.path, entry.name)
                # What the DSL lets be left out has a place in its value for a key.
                is_written = entry.key.span.start < entry.value.span.start and not isinstance(entry.value, Scalar)
                is_in_value = _holds(entry.value.span, source, offset)
                if _holds(entry.key.span, source, offset) and (is_written or not is_in_value):
                    return Spot(path, entry.value, entry, is_key=True)
                if is_in_value:
                    return Spot(path, entry.value, entry, is_key=False)
        case Sequence(items=items):
            for index, item in enumerate(items):
                if _holds(item.span, source, offset):
                    return Spot((*spot.path, index), item, None, is_key=False)
    return None


def _holds(span: Span, source: Source, offset: int) -> bool:
    return span.source is source and span.start <= offset <= span.end
