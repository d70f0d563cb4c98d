"""reading: what is shared while one YAML file is read: its text, findings, anchors, and how much it has used.

What aliases would expand to is counted here, never expanded.
"""

from __future__ import annotations

from typing import NamedTuple

from agentspec.syntax.findings import finding
from agentspec.syntax.limits import FREE_EXPANSION, MAX_DEPTH, MAX_EXPANSION, MAX_NODES
from agentspec.syntax.tree import Node, dotted
from agentspec.syntax.yaml.events import PARSER, ParserClass
from agentspec.syntax.yaml.text import Prepared, prepare
from agentspec.text.diagnostic import Diagnostic, Fix, Related
from agentspec.text.source import Source, Span
from agentspec.text.visible import has_hidden


class Refused(Exception):
    """The file is over a limit: reading stops, and `diagnostic` is all that is said about it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Weight(NamedTuple):
    """What one use of an anchored value costs: nodes, characters, and levels of nesting."""

    nodes: int
    characters: int
    height: int


class Anchor(NamedTuple):
    """An anchor: where `&name` stands, and its value; `node` is None while the value is still being read."""

    name_span: Span
    node: Node | None = None
    weight: Weight = Weight(0, 0, 0)


class State(NamedTuple):
    """Where a reading stands."""

    diagnostics: int
    anchors: dict[str, Anchor]
    counts: tuple[int, int, int]
    has_broken: bool
    path: int


class Reading:
    """One file on its way to a tree. `path` is where the composer stands; findings carry it."""

    def __init__(self, source: Source, parser: ParserClass = PARSER) -> None:
        self.parser = parser
        self.source = source
        self.prepared: Prepared = prepare(source.text)
        self.is_json = source.name.endswith(".json")
        self.has_trailing_comment = " #" in source.text or "\t#" in source.text
        self.has_hidden = has_hidden(source.text)
        self.diagnostics: list[Diagnostic] = []
        self.anchors: dict[str, Anchor] = {}
        self.path: list[str | int] = []
        self.has_broken = False
        self.unknown_aliases = 0
        self.nodes = 0
        self.expanded = 0
        self.deepest = 0
        self.most_expanded = max(FREE_EXPANSION, MAX_EXPANSION * len(source.text))

    def save(self) -> State:
        """What `restore` needs to forget a stretch that could not be read."""
        counts = (self.nodes, self.expanded, self.deepest)
        return State(len(self.diagnostics), dict(self.anchors), counts, self.has_broken, len(self.path))

    def restore(self, state: State) -> None:
        del self.diagnostics[state.diagnostics :]
        self.anchors = state.anchors
        self.nodes, self.expanded, self.deepest = state.counts
        self.has_broken = state.has_broken
        del self.path[state.path :]

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        *,
        help: str | None = None,  # noqa: A002 - named as the field that it fills
        fix: Fix | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        path = dotted(tuple(self.path))
        self.diagnostics.append(finding(code, message, span, path=path, help=help, fix=fix, related=related))

    def spend_node(self, offset: int) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self._refusal(f"the file has more than {MAX_NODES} keys and values", offset)

    def spend_depth(self, depth: int, offset: int) -> None:
        if depth > self.deepest:
            self.deepest = depth
            if depth > MAX_DEPTH:
                raise self._refusal(f"values are nested deeper than {MAX_DEPTH} levels", offset)

    def spend_alias(self, weight: Weight, depth: int, offset: int) -> None:
        self.nodes += weight.nodes
        self.expanded += weight.characters
        if self.expanded > self.most_expanded:
            raise self._refusal(f"aliases expand to more than {MAX_EXPANSION} times the file", offset)
        if self.nodes > MAX_NODES:
            raise self._refusal(f"aliases expand to more than {MAX_NODES} keys and values", offset)
        self.spend_depth(depth + weight.height, offset)

    def _refusal(self, message: str, offset: int) -> Refused:
        return Refused(finding("AS004", message, self.span(offset, offset + 1), path=dotted(tuple(self.path))))
