"""recovery: the intact parts of an unreadable YAML file, and one finding for each broken one.

The text is cut by indentation into blocks, and each block is read on its own, where it stands. A block that cannot be
read is cut again; the smallest one becomes `Broken`. An intact file never comes here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from yaml.error import YAMLError

from agentspec.syntax.findings import quoted
from agentspec.syntax.limits import MAX_DEPTH, MAX_SYNTAX_ERRORS
from agentspec.syntax.tree import Broken, Document, Entry, Mapping, Node, Scalar, Sequence
from agentspec.syntax.yaml.blocks import Block, Line, blocks_of, has_content, is_item, item_of, lines_of
from agentspec.syntax.yaml.compose import Composer
from agentspec.syntax.yaml.diagnose import diagnose
from agentspec.syntax.yaml.entries import Key, refuse_twin
from agentspec.syntax.yaml.events import stumbled_at
from agentspec.syntax.yaml.reading import Anchor, Reading, Weight
from agentspec.syntax.yaml.tabs import replace_tabs
from agentspec.syntax.yaml.tokens import Cutter
from agentspec.text.source import Span

EFFORT = 16  # the text may be read this many times over; then blocks stay as broken as they are
MAX_REACH = 20_000  # characters within which a bracket or quote that spans blocks must close


class Recovery:
    """Reads what can be read of one file. `stumbled` is where the parser failed last."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.left = EFFORT * len(reading.prepared.text)
        self.found = 0
        self.tabbed: set[int] = set()
        self.stumbled = 0

    @property
    def text(self) -> str:
        return self.reading.prepared.text

    @property
    def goes_on(self) -> bool:
        """Whether more findings would be listed."""
        return self.found <= MAX_SYNTAX_ERRORS

    def document(self, begin: int, end: int, *, may_be_intact: bool) -> Document:
        """The document that stands in a stretch."""
        reading = self.reading
        reading.anchors.clear()
        reading.has_broken = False
        intact = self._fragment(begin, end) if may_be_intact else None
        root = self._collection(lines_of(self.text, begin, end)) if intact is None else intact
        return Document(root=root, span=root.span, has_broken=reading.has_broken)

    def _fragment(self, begin: int, end: int) -> Node | None:
        """The value that a stretch holds; None, with nothing noted, where it cannot be read."""
        if self.left < 0:
            return None
        composer = Composer(self.reading, begin, end)
        try:
            node = composer.fragment()
        except YAMLError as error:
            self.reading.restore(composer.state)
            self.stumbled = composer.begin + stumbled_at(error)
            self.left -= max(0, self.stumbled - begin)
            return None
        self.left -= end - begin
        return node

    def _collection(self, lines: list[Line]) -> Node:
        """A mapping or sequence, block by block."""
        blocks = blocks_of(self.text, lines)
        head = blocks[0].head
        if len(self.reading.path) >= MAX_DEPTH or self.left < 0 or self.text[head.content] in "[{":
            return self._broken(head.content, lines[-1].end)
        if is_item(self.text, head):
            return self._sequence(blocks)
        return self._mapping(blocks)

    def _sequence(self, blocks: list[Block]) -> Sequence:
        items: list[Node] = []
        for block, node in self._runs(blocks, Sequence):
            if isinstance(node, Sequence):
                items += node.items
                continue
            self.reading.path.append(len(items))
            items.append(self._item(block) if block.fits else self._misfit(block))
            self.reading.path.pop()
        return Sequence(items=items, span=self._around(blocks, items))

    def _item(self, block: Block) -> Node:
        if not is_item(self.text, block.head):
            return self._no_item(block)
        lines = item_of(self.text, block)
        if any(has_content(self.text, line) for line in lines):
            first = blocks_of(self.text, lines)[0]
            if self._key(first) is not None or is_item(self.text, first.head):
                return self._collection(lines)
        return self._broken(lines[0].begin, block.end)

    def _no_item(self, block: Block) -> Broken:
        """A key at the column of list items."""
        if self._key(block) is None:
            return self._broken(block.head.content, block.end)
        line = self._extent(block.head.content, block.head.end)
        message = f"{quoted(line.text)} stands among list items and is none"
        self.reading.report("AS028", message, line, help="begin it with `- `, or indent it")
        self.reading.has_broken = True
        return Broken(span=self._extent(block.head.content, block.end))

    def _mapping(self, blocks: list[Block]) -> Mapping:
        entries: dict[str, Entry] = {}
        for block, node in self._runs(blocks, Mapping):
            if not block.fits:
                self._misfit(block)
                if block.head.content in self.tabbed:
                    leave_open(list(entries.values()))  # what the tab keeps from it is unknown, not missing
                continue
            for entry in node.entries if isinstance(node, Mapping) else self._entry(block):
                self._add(entries, entry)
        written = [entry.value for entry in entries.values() if entry.merged is None]
        return Mapping(entries=list(entries.values()), span=self._around(blocks, written))

    def _runs(self, blocks: list[Block], kind: type[Mapping | Sequence]) -> Iterator[tuple[Block, Node | None]]:
        """As many blocks at a time as can be read together, with their value; a broken one alone, with None."""
        at = 0
        size = self._before(blocks)
        while at < len(blocks) and self.goes_on:
            run = blocks[at : at + size]
            node = self._run(run, kind)
            if node is None and len(run) > 1:
                # The parser tells where it stumbled. Where that does not help, halving does.
                size = min(self._before(run), len(run) // 2) if size < len(blocks) - at else self._before(run)
                continue
            block, used = run[0], len(run)
            if node is None and block.fits:
                block, node, used = self._mended(blocks[at:], kind)
            yield block, node
            at += used
            size = len(blocks) - at
        self.reading.has_broken = self.reading.has_broken or at < len(blocks)

    def _before(self, blocks: list[Block]) -> int:
        """How many blocks end before the place where reading failed; at least one, and fewer than all."""
        count = bisect_right(blocks, self.stumbled, key=lambda block: block.end)
        return max(1, min(count, len(blocks) - 1))

    def _run(self, run: list[Block], kind: type[Mapping | Sequence]) -> Node | None:
        if not all(block.fits for block in run):
            return None
        node = self._fragment(run[0].begin, run[-1].end)
        return node if isinstance(node, kind) and not node.flow else None

    def _mended(self, blocks: list[Block], kind: type[Mapping | Sequence]) -> tuple[Block, Node | None, int]:
        """The first block again: without its tabs, or with the blocks that its brackets and quotes reach into."""
        block, rest = blocks[0], blocks[1:]
        tabbed = replace_tabs(self.reading, block)
        self.tabbed.update(tabbed)
        self.found += bool(tabbed)
        if tabbed and (node := self._run([block], kind)) is not None:
            return block, node, 1
        reach = self._reach(block, rest)
        joined = Block([line for each in blocks[: reach + 1] for line in each.lines], block.head)
        node = self._run([joined], kind) if reach else None
        if node is not None or (reach and self.text[rest[reach - 1].head.content] in "]}"):
            return joined, node, reach + 1
        return block, None, 1

    def _reach(self, block: Block, rest: list[Block]) -> int:
        """How many of the following blocks a bracket or quote of a block reaches into before it closes."""
        if not rest:
            return 0
        level = 0
        for token in Cutter(self.text, block.begin, min(rest[-1].end, block.end + MAX_REACH)).tokens():
            if token.is_open or (token.start >= block.end and level == 0):
                return 0
            level = token.level
            if token.end > block.end and level == 0:
                return sum(1 for each in rest if each.begin < token.end)
        return 0

    def _key(self, block: Block) -> tuple[Entry, bool] | None:
        """The entry that a block begins, and whether its value stands below; None where it begins with no key."""
        head = block.head
        tokens = list(Cutter(self.text, head.content, head.end).tokens())
        if len(tokens) < 2 or tokens[1].kind != "colon":
            return None
        whole = self._fragment(head.begin, head.end)
        alone = self._fragment(head.begin, tokens[1].end) if whole is None else whole
        if not isinstance(alone, Mapping) or alone.flow or len(alone.entries) != 1:
            return None
        [entry] = alone.entries
        is_below = whole is not None and entry.value.span.start == entry.value.span.end
        return entry, is_below

    def _entry(self, block: Block) -> list[Entry]:
        found = self._key(block)
        if found is None:
            self._broken(block.head.content, block.end)
            return []
        entry, is_below = found
        below = block.lines[block.lines.index(block.head) + 1 :]
        self.reading.path.append(entry.name)
        if is_below and any(has_content(self.text, line) for line in below):
            value = self._below(entry.value, below)
        else:
            value = self._broken(block.head.content, block.end, entry.key.span.end)
        self.reading.path.pop()
        return [Entry(key=entry.key, value=value, operation=entry.operation, final=entry.final)]

    def _below(self, empty: Node, lines: list[Line]) -> Node:
        """What stands below a key; an anchor behind the key is the anchor of all of it."""
        reading = self.reading
        name = next((name for name, anchor in reading.anchors.items() if anchor.node is empty), None)
        nodes, expanded, deepest = reading.nodes, reading.expanded, reading.deepest
        depth = reading.deepest = len(reading.path)
        value = self._collection(lines)
        characters = value.span.end - value.span.start + reading.expanded - expanded
        weight = Weight(reading.nodes - nodes + 1, characters, reading.deepest - depth)
        reading.deepest = max(deepest, reading.deepest)
        if name is not None:
            reading.anchors[name] = reading.anchors[name]._replace(node=value, weight=weight)
        return value

    def _misfit(self, block: Block) -> Broken:
        """A block that is indented as none beside it; a tab has been reported already."""
        extent = self._extent(block.head.content, block.end)
        if block.head.content not in self.tabbed:
            line = self._extent(block.head.content, block.head.end)
            advice = "indent it as the lines that it belongs to"
            self.reading.report(
                "AS028", f"the indentation of {quoted(line.text)} fits no line above", line, help=advice
            )
        self.reading.has_broken = True
        return Broken(span=extent)

    def _add(self, entries: dict[str, Entry], entry: Entry) -> None:
        """One more entry of a mapping that is read in pieces; what `<<` brought in gives way to what is written."""
        twin = entries.get(entry.name)
        if twin is None or (twin.merged is not None and entry.merged is None):
            entries[entry.name] = entry
        elif entry.merged is None:
            self.reading.path.append(entry.name)
            refuse_twin(self.reading, Key(entry.key, entry.operation), twin)
            self.reading.path.pop()

    def _broken(self, begin: int, end: int, value_begin: int | None = None) -> Broken:
        """Report why a stretch cannot be read. What it would have anchored is unknown, too."""
        reading = self.reading
        reading.has_broken = True
        extent = self._extent(begin, end)
        is_told = any(begin <= at < end for at in self.tabbed)
        self.found += not is_told
        if is_told:
            pass
        elif self.found <= MAX_SYNTAX_ERRORS:
            diagnose(reading, begin, end)
        elif self.found == MAX_SYNTAX_ERRORS + 1:
            reading.report(
                "AS001", f"more than {MAX_SYNTAX_ERRORS} places cannot be read; the rest is not listed", extent
            )
        if value_begin is not None:
            extent = self._value_extent(self.text.find(":", value_begin, end) + 1, end)
        for anchor in _anchors().finditer(self.text, begin, end):
            span = reading.span(*anchor.span())
            reading.anchors.setdefault(anchor.group(1), Anchor(span, Broken(span=extent)))
        return Broken(span=extent)

    def _value_extent(self, begin: int, end: int) -> Span:
        value = self.text[begin:end].strip()
        return self._extent(self.text.index(value, begin), end) if value else self.reading.span(begin, begin)

    def _around(self, blocks: list[Block], nodes: list[Node]) -> Span:
        """The span of a collection: its blocks, and all of its values even where they end with blanks."""
        extent = self._extent(blocks[0].head.content, blocks[-1].end)
        return extent._replace(end=max([extent.end, *(node.span.end for node in nodes)]))

    def _extent(self, begin: int, end: int) -> Span:
        return self.reading.span(begin, begin + len(self.text[begin:end].rstrip()))


def leave_open(entries: list[Entry]) -> None:
    """Take the value that the last of some entries lacks for unknown."""
    while entries:
        last = entries[-1]
        if isinstance(last.value, Scalar) and last.value.span.start == last.value.span.end:
            last.value = Broken(span=last.value.span)
        entries = last.value.entries if isinstance(last.value, Mapping) and last.merged is None else []


@cache
def _anchors() -> re.Pattern[str]:
    return re.compile(r"(?<![^\s,:\[{])&([0-9A-Za-z_-]+)")
