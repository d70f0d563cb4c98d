"""compose: YAML events to document trees, every node at its true place.

Aliases are never expanded: they share their anchor's children. Findings are collected in the `Reading`; only a limit
(`Refused`) and the parser's own `YAMLError` leave this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from agentspec.syntax.findings import quoted
from agentspec.syntax.offsets import decoded, last_line_end, line_start, lost_indent
from agentspec.syntax.tape import BLOCK
from agentspec.syntax.tree import Broken, Document, Entry, Mapping, Node, Scalar, Sequence, Style
from agentspec.syntax.yaml.aliases import alias
from agentspec.syntax.yaml.entries import OWN_TAGS, Key, Merge, entry, merged, read_key, refuse_tag, refuse_twin
from agentspec.syntax.yaml.events import end_of, reader, start_of
from agentspec.syntax.yaml.notes import check_hidden, check_windows_path, is_half_character, note_leading_zero
from agentspec.syntax.yaml.reading import Anchor, Reading, Weight
from agentspec.syntax.yaml.scalars import Valueless, has_leading_zero, resolve
from agentspec.syntax.yaml.wounds import cut_by_commas, cut_by_comment, tight_colon
from agentspec.text.diagnostic import Related
from agentspec.text.source import Span

STYLES: dict[str, Style] = {"": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}


class Composer:
    """Reads one stretch of a file. A document's anchors and all counts live in the `Reading`."""

    def __init__(self, reading: Reading, begin: int = 0, end: int | None = None) -> None:
        self.reading = reading
        self.text = reading.source.text
        self.is_exact = reading.prepared.is_exact
        text = reading.prepared.text
        lead = begin - line_start(text, begin)  # columns stay what they are
        self.begin = begin - lead
        self.next_event = reader(" " * lead + text[begin:end], reading.parser)
        self.depth = len(reading.path)
        self.done = begin  # up to here, whole documents have been read
        self.state = reading.save()  # as it was before the document that is being read

    def documents(self) -> Iterator[Document]:
        """All documents of the stretch; an empty one between two marks is none.

        One is given when the next event shows that it ended where it should; then `done` and `state` move on.
        """
        reading = self.reading
        ended: tuple[Node, int] | None = None
        while True:
            event = self.next_event()
            if ended is not None:
                root, self.done = ended
                if not (isinstance(root, Scalar) and root.value is None and root.span.start == root.span.end):
                    yield Document(root=root, span=root.span, has_broken=reading.has_broken)
                ended = None
            if type(event) is StreamEndEvent:
                return
            if type(event) is DocumentStartEvent:
                self.state = reading.save()
                reading.anchors.clear()
                reading.has_broken = False
                root = self.node(self.next_event())
                if tight_colon(reading, root):
                    root = self._broken(root.span)
                ended = root, self.begin + end_of(self.next_event())

    def fragment(self) -> Node | None:
        """The one value of a stretch, with the anchors of the document it stands in."""
        node: Node | None = None
        while type(event := self.next_event()) is not StreamEndEvent:
            if type(event) is DocumentStartEvent:
                node = self.node(self.next_event())
        return node

    def node(self, event: Event, own_tag: str | None = None) -> Node:
        """The node that begins with an event; `own_tag` is the tag that its entry has taken already."""
        assert isinstance(event, NodeEvent)
        start = self.begin + start_of(event)
        self.reading.spend_node(start)
        if type(event) is AliasEvent:
            span = self.reading.span(start, self.begin + end_of(event))
            return alias(self.reading, event.anchor or "", span, self.depth)
        node = self._bare(event) if event.anchor is None else self._anchored(event)
        tag: str | None = getattr(event, "tag", None)
        if tag is None or tag == own_tag:
            return node
        refuse_tag(self.reading, start, node)
        return self._broken(node.span)

    def _bare(self, event: NodeEvent) -> Node:
        if type(event) is ScalarEvent:
            return self._scalar(event)
        self.depth += 1
        self.reading.spend_depth(self.depth, self.begin + start_of(event))
        node = self._mapping(event) if type(event) is MappingStartEvent else self._sequence(event)
        self.depth -= 1
        return node

    def _broken(self, span: Span) -> Broken:
        self.reading.has_broken = True
        return Broken(span=span)

    def _content_start(self, event: NodeEvent, end: int) -> int:
        """Where a node begins behind its anchor and tag."""
        start = self.begin + start_of(event)
        if event.anchor is None and getattr(event, "tag", None) is None:
            return start
        found = _properties().match(self.text, start, end)
        return found.end() if found else start

    def _scalar(self, event: ScalarEvent) -> Node:
        node = self._text(event)
        if node.style != "plain":
            if self.reading.prepared.has_surrogates and is_half_character(self.reading, node):
                return self._broken(node.span)
            return node
        text = str(node.value)
        meaning = resolve(text)
        if type(meaning) is str:
            if self.reading.has_trailing_comment and cut_by_comment(self.reading, node):
                return self._broken(node.span)
            return node
        if isinstance(meaning, Valueless):
            self.reading.report("AS016", f"{quoted(text)} {meaning.reason}", node.span)
            return self._broken(node.span)
        node.value = meaning
        if type(meaning) is int and has_leading_zero(text):
            note_leading_zero(self.reading, text, meaning, node.span)
        return node

    def _text(self, event: ScalarEvent, *, is_key: bool = False) -> Scalar:
        """A scalar with the text of its value, whatever that means."""
        end = self.begin + end_of(event)
        start = self._content_start(event, end)
        style = STYLES[event.style or ""]
        value = event.value
        indent = 0
        if start == end:
            start = end = self._behind(end)
        elif style in BLOCK:
            indent = lost_indent(self.text, start, end, value)
            end = last_line_end(self.text, start, end)
        if not self.is_exact:
            value = self._as_written(value, style, start, end, indent)
        span = Span(self.reading.source, start, end)
        if style == "double" and self.text.startswith(":\\", start + 2):
            check_windows_path(self.reading, span)
        if self.reading.has_hidden:
            check_hidden(self.reading, value, span, style, is_key=is_key)
        return Scalar(value=value, span=span, style=style, base_indent=indent)

    def _behind(self, at: int) -> int:
        """The place of an empty value: right behind what comes before it."""
        while at > 0 and self.text[at - 1] in " \t\r\n":
            at -= 1
        return at

    def _as_written(self, value: str, style: Style, start: int, end: int, indent: int) -> str:
        prepared = self.reading.prepared
        is_escaped = prepared.has_surrogates and "\\u" in self.text[start:end]
        if is_escaped or (prepared.tab is not None and prepared.tab in value):
            return decoded(self.text, start, end, style, indent)
        return value.translate(prepared.restore) if prepared.restore else value

    def _sequence(self, event: NodeEvent) -> Node:
        assert isinstance(event, SequenceStartEvent)
        start = self._content_start(event, len(self.text))
        end = start + 1
        items: list[Node] = []
        path = self.reading.path
        while type(item := self.next_event()) is not SequenceEndEvent:
            path.append(len(items))
            items.append(self.node(item))
            path.pop()
            end = max(end, items[-1].span.end)
        if event.flow_style:
            end = self.begin + end_of(item)
        return Sequence(items=items, span=Span(self.reading.source, start, end), flow=bool(event.flow_style))

    def _mapping(self, event: MappingStartEvent) -> Node:
        start = end = self._content_start(event, len(self.text))
        entries: dict[str, Entry] = {}
        merges: list[Merge] = []
        while type(key := self.next_event()) is not MappingEndEvent:
            end = max(end, self._entry(key, entries, merges))
        if event.flow_style:
            end = max(end, self.begin + end_of(key))
            cut_by_commas(self.reading, entries)
        written = list(entries.values())
        return Mapping(
            entries=merged(self.reading, written, merges) if merges else written,
            span=Span(self.reading.source, start, end),
            flow=bool(event.flow_style),
        )

    def _entry(self, event: Event, entries: dict[str, Entry], merges: list[Merge]) -> int:
        """Read one entry into `entries` or `merges`; gives the offset after it."""
        key = self._key(event)
        value_event = self.next_event()
        if key is None:
            self.reading.has_broken = True
            return self.node(value_event).span.end
        name, path = key.name, self.reading.path
        path.append(name)
        tag: str | None = getattr(value_event, "tag", None)
        own = tag if tag in OWN_TAGS else None
        value = self.node(value_event, own)
        if self._is_below(key, value) and tight_colon(self.reading, value):
            value = self._broken(value.span)
        end = max(value.span.end, self.begin + end_of(value_event)) if tag else value.span.end
        twin = entries.get(name) if not key.is_merge else None
        if key.is_merge:
            merges.append(Merge(key.scalar.span, len(entries), value))
        elif twin is not None:
            refuse_twin(self.reading, key, twin)
        else:
            entries[name] = entry(self.reading, key, value, own, self.begin + start_of(value_event))
        path.pop()
        return end

    def _is_below(self, key: Key, value: Node) -> bool:
        return type(value) is Scalar and self.text.find("\n", key.scalar.span.end, value.span.start) >= 0

    def _key(self, event: Event) -> Key | None:
        if type(event) is not ScalarEvent:
            span = self.reading.span(self.begin + start_of(event), self.begin + end_of(event))
            if type(event) is not AliasEvent:
                span = self.node(event).span
            is_doubled = self.text.startswith("{", span.start) and self.text.endswith("{", 0, span.start)
            advice = (
                "a text that begins with `{{` needs quotes" if is_doubled else "write the key out, in quotes if need be"
            )
            self.reading.report("AS011", "a key must be a plain or a quoted text", span, help=advice)
            return None
        self.reading.spend_node(self.begin + start_of(event))
        if event.anchor is not None or event.tag is not None:
            self.node(event)
        return read_key(self.reading, self._text(event, is_key=True))

    def _anchored(self, event: NodeEvent) -> Node:
        reading, name = self.reading, event.anchor
        assert name is not None
        begin = self.text.index(f"&{name}", self.begin + start_of(event))
        name_span = reading.span(begin, begin + 1 + len(name))
        if name in reading.anchors:
            twin = reading.anchors[name].name_span
            message = f"anchor `&{name}` is defined twice in the document"
            reading.report("AS008", message, name_span, related=(Related(twin, "first defined here"),))
        nodes, expanded, deepest = reading.nodes, reading.expanded, reading.deepest
        reading.anchors[name] = Anchor(name_span)
        reading.deepest = self.depth
        node = self._bare(event)
        weight = Weight(
            reading.nodes - nodes + 1,
            node.span.end - node.span.start + reading.expanded - expanded,
            reading.deepest - self.depth,
        )
        reading.deepest = max(deepest, reading.deepest)
        reading.anchors[name] = Anchor(name_span, node, weight)
        return node


@cache
def _properties() -> re.Pattern[str]:
    """Anchors and tags in front of a node, with the blanks and comments behind them (YAML 1.2.2, 6.9)."""
    return re.compile(r"(?:(?:&[0-9A-Za-z_-]+|!<[^>\s]*>|![^\s,\[\]{}]*)(?:[ \t\r\n]|(?<=\s)#[^\r\n]*)*)+")
