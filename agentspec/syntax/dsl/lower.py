"""lower: build the document tree while the parser runs: values, blocks, entries and rules.

One method for each `-> name` of the grammar: it gets the start and end of its text, then its parts. Nothing here
decides what is right; names stay unique, and what the DSL leaves out (a rule's `true`, a key) is put in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agentspec.syntax.dsl.report import TOO_MANY, Refused, Report
from agentspec.syntax.dsl.strings import dedent, unquote
from agentspec.syntax.dsl.types import entry
from agentspec.syntax.findings import quoted
from agentspec.syntax.limits import MAX_DIGITS, MAX_NODES
from agentspec.syntax.tape import BREAK
from agentspec.syntax.tree import Broken, Document, Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.diagnostic import Related
from agentspec.text.source import Span

Token = tuple[str, int, int]  # kind, start, end


class Grant(NamedTuple):
    """A `tool`, `toolkit`, `mcp`, `resource` or `skill` of a capability block: the group it joins, and what it adds."""

    group: str
    word: Span
    item: Entry | Node


class Gap(NamedTuple):
    """An entry that could not be read; `found` is what can be said of it."""

    found: Entry | Grant | None


class Site(NamedTuple):
    """A place that comments can belong to. `keeper` has the comments; a container takes those after its last entry."""

    start: int
    end: int
    keeper: Entry | Node
    is_container: bool


class Lowering:
    """The tree of one parse, and the places in it where comments can go."""

    def __init__(self, report: Report, blanked: dict[int, list[tuple[int, int]]]) -> None:
        self.report = report
        self.source = report.source
        self.text = report.source.text
        self.documents: list[Document] = []
        self.sites: list[Site] = []
        self.groups: dict[int, Entry] = {}  # what heads have joined into, by the start of the first of them
        self.has_broken = False
        self._blanked = blanked
        self._nodes = 0

    # Lists.

    def none(self, _start: int, _end: int) -> list[Any]:
        return []

    def first(self, _start: int, _end: int, item: Any) -> list[Any]:
        return [item]

    def more(self, _start: int, _end: int, items: list[Any], item: Any) -> list[Any]:
        items.append(item)
        return items

    def first_item(self, start: int, _end: int, item: Node) -> list[Node]:
        self.count(start)
        return [item]

    def next_item(self, start: int, _end: int, items: list[Node], item: Node) -> list[Node]:
        self.count(start)
        items.append(item)
        return items

    # Scalars.

    def count(self, at: int, nodes: int = 1) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise Refused(TOO_MANY, at)

    def word(self, start: int, end: int, _token: Token) -> Scalar:
        return Scalar(value=self.text[start:end], span=Span(self.source, start, end), style="word")

    def string(self, start: int, end: int, _token: Token) -> Scalar:
        text = self.text[start:end]
        value = unquote(text, start, self.report) if text[0] == '"' else text  # a loose word that is reported already
        return Scalar(value=value, span=Span(self.source, start, end), style="string")

    def raw_text(self, start: int, end: int, _token: Token) -> Scalar:
        value, lost = dedent(self.text[start:end], start, self.report)
        return Scalar(value=value, span=Span(self.source, start, end), style="text", base_indent=lost)

    def number(self, start: int, end: int, _token: Token) -> Node:
        text, span = self.text[start:end], Span(self.source, start, end)
        is_float = "." in text or "e" in text or "E" in text
        value = float(text) if is_float else int(text) if len(text) <= MAX_DIGITS else None
        if value is None or value in (float("inf"), float("-inf")):
            reason = "is too large for a number" if is_float else f"is a number of more than {MAX_DIGITS} digits"
            self.report.add("AS016", start, end, f"{quoted(self.text[start:end])} {reason}")
            return self.gap(start, end)
        return Scalar(value=value, span=span, style="number")

    def quantity(self, start: int, end: int, _token: Token) -> Scalar:
        return Scalar(value=self.text[start:end], span=Span(self.source, start, end), style="quantity")

    def constant(self, start: int, end: int, token: Token) -> Scalar:
        value = {"TRUE": True, "FALSE": False, "NULL": None}[token[0]]
        return Scalar(value=value, span=Span(self.source, start, end), style="word")

    def broken(self, start: int, end: int, _token: Token) -> Broken:
        return self.gap(start, end)

    def gap(self, start: int, end: int) -> Broken:
        self.has_broken = True
        return Broken(span=Span(self.source, start, end))

    def expression(self, token: Token) -> Node:
        _, start, end = token
        if start == end:
            self.report.add("AS056", start, end, "an expression is missing here")
            return self.gap(start, end)
        pieces: list[str] = []
        at = start
        for first, last in self._blanked.get(start, ()):
            pieces += (self.text[at:first], " " * (last - first))
            at = last
        value = BREAK.sub("\n", "".join((*pieces, self.text[at:end])))
        return Scalar(value=value, span=Span(self.source, start, end), style="expression")

    # Lists and blocks.

    def empty_sequence(self, start: int, end: int) -> Sequence:
        return self.sequence(start, end, [])

    def sequence(self, start: int, end: int, items: list[Node]) -> Sequence:
        made = Sequence(items=items, span=Span(self.source, start, end), flow=True)
        self._sites(items)
        self.sites.append(Site(start, end, made, is_container=True))
        return made

    def _sites(self, items: list[Node]) -> None:
        self.sites.extend(Site(item.span.start, item.span.end, item, is_container=False) for item in items)

    def block(self, start: int, end: int, items: list[Any]) -> Mapping:
        """Entries in braces or parentheses."""
        made = Mapping(entries=self.unique(items), span=Span(self.source, start, end))
        self.sites.append(Site(start, end, made, is_container=True))
        return made

    def unique(self, items: list[Any]) -> list[Entry]:
        """The entries, the first of each name; the others are reported with both places."""
        seen: dict[str, Entry] = {}
        for item in items:
            found = item.found if isinstance(item, Gap) else item
            if not isinstance(found, Entry):
                continue
            earlier = seen.setdefault(found.name, found)
            if earlier is not found and not isinstance(item, Gap) and not isinstance(earlier.value, Broken):
                self._duplicate(found, earlier)
        return list(seen.values())

    def _duplicate(self, found: Entry, earlier: Entry) -> None:
        related = (Related(earlier.key.span, "first here"),)
        span = found.key.span
        operations = {found.operation, earlier.operation}
        message = f"duplicate key {quoted(found.name)}"
        if "append" in operations:
            message = f"{quoted(found.name)} is both set and appended to here"
            message = f"`{found.name} +=` stands twice here" if len(operations) == 1 else message
        self.report.add("AS005", span.start, span.end, message, help="keep one of them", related=related)

    # Entries. Their parts are a key and a value.

    def entry(self, start: int, end: int, key: Scalar, value: Node) -> Entry:
        self.count(start)
        made = Entry(key=key, value=value)
        self.sites.append(Site(start, end, made, is_container=False))
        return made

    def append(self, start: int, end: int, key: Scalar, value: Node) -> Entry:
        made = self.entry(start, end, key, value)
        made.operation = "append"
        return made

    def expression_entry(self, start: int, end: int, key: Scalar, token: Token) -> Entry:
        return self.entry(start, end, key, self.expression(token))

    def unset(self, start: int, end: int, word: Token, key: Scalar) -> Entry:
        value = Scalar(value=None, span=Span(self.source, word[1], word[2]), style="word")
        made = self.entry(start, end, key, value)
        made.operation = "unset"
        return made

    def final(self, start: int, end: int, _word: Token, key: Scalar, value: Node) -> Entry:
        made = self.entry(start, end, key, value)
        made.final = True
        return made

    def final_append(self, start: int, end: int, word: Token, key: Scalar, value: Node) -> Entry:
        made = self.final(start, end, word, key, value)
        made.operation = "append"
        return made

    def final_expression(self, start: int, end: int, word: Token, key: Scalar, token: Token) -> Entry:
        return self.final(start, end, word, key, self.expression(token))

    def broken_entry(self, start: int, end: int, what: Gap | Token) -> Gap:
        self.gap(start, end)
        return what if isinstance(what, Gap) else Gap(None)

    # Rules.

    def rules(self, start: int, end: int, items: list[Node]) -> Sequence:
        self.count(start, 3 * len(items))
        made = Sequence(items=items, span=Span(self.source, start, end))
        self._sites(items)
        self.sites.append(Site(start, end, made, is_container=True))
        return made

    def rule(self, start: int, end: int, *parts: Any) -> Mapping:
        when, condition, verb, operand, reason, rest = parts
        value = Scalar(value=True, span=verb.span, style="word") if operand is None else operand
        made = [self._condition(when, condition), Entry(key=verb, value=value)]
        if reason is not None:
            made.append(entry("reason", reason.span, reason))
        return self._rule(start, end, made, rest)

    def rule_of_keys(self, start: int, end: int, when: Token, condition: Token, keys: Mapping) -> Mapping:
        return self._rule(start, end, [self._condition(when, condition)], keys)

    def _condition(self, when: Token, condition: Token) -> Entry:
        return entry("when", Span(self.source, when[1], when[2]), self.expression(condition))

    def _rule(self, start: int, end: int, said: list[Entry], rest: Mapping | None) -> Mapping:
        entries = self.unique([*said, *(rest.entries if rest else ())])
        made = Mapping(entries=entries, span=Span(self.source, start, end))
        if rest is not None:
            self.adopt(rest, made)
        return made

    def adopt(self, block: Mapping, keeper: Node) -> None:
        """What comments say inside the braces of `block` belongs to the mapping that its entries went to."""
        if self.sites and self.sites[-1].keeper is block:  # it is the last that was finished
            self.sites[-1] = self.sites[-1]._replace(keeper=keeper)
