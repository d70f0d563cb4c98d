"""dsl_lower: build the document tree while the parser runs: one method for each `-> name` of the grammar.

Each method gets the start and end of its text, then its parts. Nothing here decides what is right: sugar becomes the
keys that YAML writes out, with the place of the sign that spelled them, and names stay unique.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agentspec.syntax import dsl_types as types
from agentspec.syntax.dsl_report import TOO_MANY, Refused, Report
from agentspec.syntax.dsl_strings import dedent, unquote
from agentspec.syntax.dsl_types import Form, Literal, entry
from agentspec.syntax.findings import quoted
from agentspec.syntax.limits import MAX_DIGITS, MAX_NODES
from agentspec.syntax.tree import Broken, Document, Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.diagnostic import Related
from agentspec.text.source import Span

GROUPS = {"TOOL": "tools", "TOOLKIT": "toolkits", "MCP": "mcp", "RESOURCE": "resources", "SKILL": "skills"}

Token = tuple[str, int, int]


class Grant(NamedTuple):
    """A `tool`, `toolkit`, `mcp`, `resource` or `skill` of a capability block: the group it joins, and what it adds."""

    group: str
    word: Span
    item: Entry | Node


class Gap(NamedTuple):
    """An entry or head that could not be read; `found` is what can be said of it."""

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
        self._count(start)
        return [item]

    def next_item(self, start: int, _end: int, items: list[Node], item: Node) -> list[Node]:
        self._count(start)
        items.append(item)
        return items

    # Scalars.

    def _count(self, at: int, nodes: int = 1) -> None:
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
            return self._broken(start, end)
        return Scalar(value=value, span=span, style="number")

    def quantity(self, start: int, end: int, _token: Token) -> Scalar:
        return Scalar(value=self.text[start:end], span=Span(self.source, start, end), style="quantity")

    def constant(self, start: int, end: int, token: Token) -> Scalar:
        value = {"TRUE": True, "FALSE": False, "NULL": None}[token[0]]
        return Scalar(value=value, span=Span(self.source, start, end), style="word")

    def broken(self, start: int, end: int, _token: Token) -> Broken:
        return self._broken(start, end)

    def _broken(self, start: int, end: int) -> Broken:
        self.has_broken = True
        return Broken(span=Span(self.source, start, end))

    def _expression(self, token: Token) -> Node:
        _, start, end = token
        if start == end:
            self.report.add("AS056", start, end, "an expression is missing here")
            return self._broken(start, end)
        pieces: list[str] = []
        at = start
        for first, last in self._blanked.get(start, ()):
            pieces += (self.text[at:first], " " * (last - first))
            at = last
        value = "".join((*pieces, self.text[at:end]))
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
        made = Mapping(entries=self._unique(items), span=Span(self.source, start, end))
        self.sites.append(Site(start, end, made, is_container=True))
        return made

    def no_parameters(self, _start: int, _end: int) -> None:
        return None

    def _unique(self, items: list[Any]) -> list[Entry]:
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
        self._count(start)
        made = Entry(key=key, value=value)
        self.sites.append(Site(start, end, made, is_container=False))
        return made

    def append(self, start: int, end: int, key: Scalar, value: Node) -> Entry:
        made = self.entry(start, end, key, value)
        made.operation = "append"
        return made

    def expression_entry(self, start: int, end: int, key: Scalar, token: Token) -> Entry:
        return self.entry(start, end, key, self._expression(token))

    def unset(self, start: int, end: int, word: Token, key: Scalar) -> Entry:
        value = Scalar(value=None, span=Span(self.source, word[1], word[2]), style="word")
        made = self.entry(start, end, key, value)
        made.operation = "unset"
        return made

    def final(self, start: int, end: int, _word: Token, key: Scalar, value: Node) -> Entry:
        made = self.entry(start, end, key, value)
        made.final = True
        return made

    def final_expression(self, start: int, end: int, word: Token, key: Scalar, token: Token) -> Entry:
        return self.final(start, end, word, key, self._expression(token))

    def typed_entry(self, start: int, end: int, word: Token, value: Mapping) -> Entry:
        return self.entry(start, end, self.word(word[1], word[2], word), value)

    def broken_entry(self, start: int, end: int, what: Gap | Token) -> Gap:
        self._broken(start, end)
        return what if isinstance(what, Gap) else Gap(None)

    # Rules.

    def rules(self, start: int, end: int, items: list[Node]) -> Sequence:
        self._count(start, 3 * len(items))
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
        return entry("when", Span(self.source, when[1], when[2]), self._expression(condition))

    def _rule(self, start: int, end: int, said: list[Entry], rest: Mapping | None) -> Mapping:
        entries = self._unique([*said, *(rest.entries if rest else ())])
        made = Mapping(entries=entries, span=Span(self.source, start, end))
        if rest is not None:
            self._adopt(rest, made)
        return made

    def _adopt(self, block: Mapping, keeper: Node) -> None:
        """What comments say inside the braces of `block` belongs to the mapping that its entries went to."""
        if self.sites and self.sites[-1].keeper is block:  # it is the last that was finished
            self.sites[-1] = self.sites[-1]._replace(keeper=keeper)

    # Types.

    def named(self, _start: int, _end: int, name: Scalar) -> Form:
        return name

    def literal(self, start: int, end: int, token: Token) -> Form:
        self._count(start)
        return Literal(self.string(start, end, token))

    def schema(self, start: int, end: int, word: Token, token: Token) -> Form:
        made = entry("schema", Span(self.source, word[1], word[2]), self.string(token[1], token[2], token))
        return Mapping(entries=[made], span=Span(self.source, start, end))

    def fields(self, start: int, end: int, items: list[Any]) -> Form:
        span = Span(self.source, start, end)
        inner = self.block(start, end, items)
        return Mapping(entries=[entry("fields", span, inner)], span=span)

    def field(self, start: int, end: int, key: Scalar, form: Form) -> Entry:
        return self.entry(start, end, key, types.node(form))

    def optional(self, _start: int, end: int, form: Form) -> Form:
        sign = Span(self.source, end - 1, end)
        if types.is_optional(form):
            fix = self.report.replace("remove `?`", sign.start, end, "", "equivalent")
            self.report.add("AS050", sign.start, end, "`?` stands twice", fix=fix)
        return types.optional(form, sign)

    def array(self, start: int, end: int, form: Form) -> Form:
        self._count(start)
        return types.array(form, Span(self.source, self.text.rindex("[", 0, end), end))

    def union(self, _start: int, _end: int, arms: list[Form]) -> Node:
        return types.node(types.union(arms))

    def input(self, start: int, end: int, key: Scalar, form: Node, default: Node | None) -> Entry:
        return self.entry(start, end, key, types.declared(form, default, None))

    def parameter(self, start: int, end: int, *parts: Any) -> Entry:
        key, form, default, doc = parts
        return self.entry(start, end, key, types.declared(form, default, doc))

    # Capability.

    def returns(self, start: int, _end: int, form: Node) -> Entry:
        return entry("returns", Span(self.source, start, start + 2), form)

    def tool_expression(self, start: int, end: int, token: Token) -> Mapping:
        made = entry("expr", Span(self.source, start, start + 1), self._expression(token))
        return Mapping(entries=[made], span=Span(self.source, start, end))

    def tool(self, start: int, end: int, *parts: Any) -> Grant | Gap:
        word, name, parameters, returns, doc, rest = parts
        first = parameters.span.start if parameters else 0
        head = [
            entry("description", doc.span, doc) if doc else None,
            entry("parameters", Span(self.source, first, first + 1), parameters) if parameters else None,
            returns,
        ]
        entries = self._unique([*head, *rest.entries])
        value = Mapping(entries=entries, span=Span(self.source, name.span.end, end))
        self._adopt(rest, value)
        return self._grant(word, name, self.entry(start, end, name, value))

    def toolkit(self, start: int, end: int, *parts: Any) -> Grant | Gap:
        word, name, options = parts
        item: Node = name
        if options is not None and isinstance(name, Scalar):
            span = Span(self.source, name.span.start, end)
            item = Mapping(entries=[Entry(key=name, value=options)], span=span)
        self.sites.append(Site(start, end, item, is_container=False))
        return self._grant(word, name, item)

    def mcp(self, start: int, end: int, *parts: Any) -> Grant | Gap:
        word, name, value = parts
        return self._grant(word, name, self.entry(start, end, name, value))

    resource = skill = mcp

    def _grant(self, word: Token, name: Scalar | Broken, item: Entry | Node) -> Grant | Gap:
        found = Grant(GROUPS[word[0]], Span(self.source, word[1], word[2]), item)
        return Gap(None) if isinstance(name, Broken) else found

    def grants(self, start: int, end: int, items: list[Entry | Grant | Gap]) -> Mapping:
        """The entries of a capability block; its `tool`s, `toolkit`s and so on join the group that they belong to."""
        made: list[Entry] = []
        groups: dict[str, Entry] = {}
        for item in items:
            found = item.found if isinstance(item, Gap) else item
            if isinstance(found, Grant):
                self._join(found, groups, made)
            elif found is not None and not self._absorb(found, groups, made):
                made.append(found)
                if found.operation == "set" and not found.final:
                    groups.setdefault(found.name, found)
        for group in groups.values():
            if isinstance(group.value, Mapping):
                group.value.entries = self._unique(group.value.entries)
        return self.block(start, end, made)

    def _absorb(self, found: Entry, groups: dict[str, Entry], made: list[Entry]) -> bool:
        """Whether a group that its heads have made so far goes into this entry, which spells it out: `tools { … }`."""
        group = groups.get(found.name)
        if group is None or group.key.value == group.key.span.text or found.operation != "set" or found.final:
            return False
        match group.value, found.value:
            case Mapping() as heads, Mapping() as block:
                block.entries = [*heads.entries, *block.entries]
            case Sequence() as heads, Sequence() as block:
                block.items = [*heads.items, *block.items]
            case _:
                return False
        block.span = Span(self.source, heads.span.start, block.span.end)
        groups[found.name] = found
        made[:] = [found if each is group else each for each in made]
        return True

    def _join(self, grant: Grant, groups: dict[str, Entry], made: list[Entry]) -> None:
        value = groups[grant.group].value if grant.group in groups else None
        item = grant.item
        end = item.value.span.end if isinstance(item, Entry) else item.span.end
        match value, item:
            case Mapping(), Entry():
                value.entries.append(item)
            case Sequence(), (Scalar() | Mapping() | Broken()):
                value.items.append(item)
            case _:
                span = Span(self.source, grant.word.start, end)
                several: Node = (
                    Mapping(entries=[item], span=span) if isinstance(item, Entry) else Sequence(items=[item], span=span)
                )
                new = entry(grant.group, grant.word, several)
                made.append(new)
                groups.setdefault(grant.group, new)
                return
        value.span = Span(self.source, value.span.start, max(end, value.span.end))

    # Heads.

    def extends(self, start: int, end: int, word: Token, names: list[Node]) -> list[Entry]:
        span = Span(self.source, names[0].span.start, end)
        value = names[0] if len(names) == 1 else Sequence(items=names, span=span, flow=True)
        return [entry("extends", Span(self.source, start, word[2]), value)]

    def agent(self, start: int, end: int, *parts: Any) -> Document:
        word, name, extends, body = parts
        return self._head(start, end, [self._said(word, "name", name), *extends], body)

    def preset(self, start: int, end: int, *parts: Any) -> Document:
        word, name, extends, body = parts
        return self._head(start, end, [self._said(word, "preset", name), *extends], body)

    def library(self, start: int, end: int, *parts: Any) -> Document:
        word, name, version, body = parts
        head = [self._said(word, "library", name)]
        if version is not None:
            value = self.string(version[1], version[2], version)
            head.append(entry("version", value.span, value))
        return self._head(start, end, head, body)

    def scenario(self, start: int, end: int, *parts: Any) -> Document:
        word, title, preposition, name, body = parts
        head = [self._said(word, "scenario", self.string(title[1], title[2], title))]
        if preposition is not None:
            head.append(self._said(preposition, "for", name))
        return self._head(start, end, head, body)

    def _said(self, word: Token, key: str, value: Node) -> Entry:
        return entry(key, Span(self.source, word[1], word[2]), value)

    def _head(self, start: int, end: int, head: list[Entry], body: Mapping) -> Document:
        span = Span(self.source, start, end)
        self._count(start, 2)
        root = Mapping(entries=self._unique([*head, *body.entries]), span=span)
        self._adopt(body, root)
        self.sites.append(Site(start, end, root, is_container=False))
        document = Document(root=root, span=span, has_broken=self.has_broken)
        self.has_broken = False
        self.documents.append(document)
        return document

    def broken_head(self, start: int, end: int, is_head: bool) -> None:
        if is_head:
            span = Span(self.source, start, end)
            self.documents.append(Document(root=Broken(span=span), span=span, has_broken=True))
        self.has_broken = False
