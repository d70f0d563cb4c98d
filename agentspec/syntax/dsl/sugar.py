"""sugar: build the document tree while the parser runs: types, inputs, what a capability grants, and heads.

Sugar becomes the keys that YAML writes out, each with the place of the sign or word that spelled it.
"""

from __future__ import annotations

from typing import Any

from agentspec.syntax.dsl import types
from agentspec.syntax.dsl.lower import Gap, Grant, Lowering, Site, Token
from agentspec.syntax.dsl.types import Form, Literal, entry
from agentspec.syntax.tree import Broken, Document, Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.source import Span

GROUPS = {"TOOL": "tools", "TOOLKIT": "toolkits", "MCP": "mcp", "RESOURCE": "resources", "SKILL": "skills"}


class Sugar:
    """The constructions that have a form of their own in the DSL only."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._report = lowering.report

    def _span(self, start: int, end: int) -> Span:
        return Span(self._report.source, start, end)

    def _string(self, token: Token) -> Scalar:
        return self._lowering.string(token[1], token[2], token)

    # Types.

    def named(self, _start: int, _end: int, name: Scalar) -> Form:
        return name

    def literal(self, start: int, _end: int, token: Token) -> Form:
        self._lowering.count(start)
        return Literal(self._string(token))

    def schema(self, start: int, end: int, word: Token, token: Token) -> Form:
        made = entry("schema", self._span(word[1], word[2]), self._string(token))
        return Mapping(entries=[made], span=self._span(start, end))

    def fields(self, start: int, end: int, items: list[Any]) -> Form:
        inner = self._lowering.block(start, end, items)
        return Mapping(entries=[entry("fields", inner.span, inner)], span=inner.span)

    def field(self, start: int, end: int, key: Scalar, form: Form) -> Entry:
        return self._lowering.entry(start, end, key, types.node(form))

    def optional(self, _start: int, end: int, form: Form) -> Form:
        sign = self._span(end - 1, end)
        if types.is_optional(form):
            fix = self._report.replace("remove `?`", sign.start, end, "", "equivalent")
            self._report.add("AS050", sign.start, end, "`?` stands twice", fix=fix)
        return types.optional(form, sign)

    def array(self, start: int, end: int, form: Form) -> Form:
        self._lowering.count(start)
        return types.array(form, self._span(self._report.source.text.rindex("[", 0, end), end))

    def union(self, _start: int, _end: int, arms: list[Form]) -> Node:
        return types.node(types.union(arms))

    def input(self, start: int, end: int, key: Scalar, form: Node, default: Node | None) -> Entry:
        return self._lowering.entry(start, end, key, types.declared(form, default, None))

    def parameter(self, start: int, end: int, *parts: Any) -> Entry:
        key, form, default, doc = parts
        return self._lowering.entry(start, end, key, types.declared(form, default, doc))

    def no_parameters(self, _start: int, _end: int) -> None:
        return None

    def typed_entry(self, start: int, end: int, word: Token, value: Mapping) -> Entry:
        key = self._lowering.word(word[1], word[2], word)
        return self._lowering.entry(start, end, key, value)

    # What a capability grants.

    def returns(self, start: int, _end: int, form: Node) -> Entry:
        return entry("returns", self._span(start, start + 2), form)

    def tool_expression(self, start: int, end: int, token: Token) -> Mapping:
        made = entry("expr", self._span(start, start + 1), self._lowering.expression(token))
        return Mapping(entries=[made], span=self._span(start, end))

    def tool(self, start: int, end: int, *parts: Any) -> Grant | Gap:
        word, name, parameters, returns, doc, rest = parts
        first = parameters.span.start if parameters else 0
        said = [
            entry("description", doc.span, doc) if doc else None,
            entry("parameters", self._span(first, first + 1), parameters) if parameters else None,
            returns,
        ]
        entries = self._lowering.unique([*said, *rest.entries])
        value = Mapping(entries=entries, span=self._span(name.span.end, end))
        self._lowering.adopt(rest, value)
        return self._grant(word, name, self._lowering.entry(start, end, name, value))

    def toolkit(self, start: int, end: int, *parts: Any) -> Grant | Gap:
        word, name, options = parts
        item: Node = name
        if options is not None:
            item = Mapping(entries=[Entry(key=name, value=options)], span=self._span(name.span.start, end))
        self._lowering.sites.append(Site(start, end, item, is_container=False))
        return self._grant(word, name, item)

    def mcp(self, start: int, end: int, *parts: Any) -> Grant | Gap:
        word, name, value = parts
        return self._grant(word, name, self._lowering.entry(start, end, name, value))

    resource = skill = mcp

    def _grant(self, word: Token, name: Scalar | Broken, item: Entry | Node) -> Grant | Gap:
        if isinstance(name, Broken):
            return Gap(None)
        return Grant(GROUPS[word[0]], self._span(word[1], word[2]), item)

    def grants(self, start: int, end: int, items: list[Entry | Grant | Gap]) -> Mapping:
        """The entries of a capability block; its `tool`s, `toolkit`s and so on join the group that they belong to."""
        groups = _Groups()
        for item in items:
            found = item.found if isinstance(item, Gap) else item
            match found:
                case Grant():
                    groups.join(found)
                case Entry():
                    groups.add(found)
        for made in groups.entries:
            if isinstance(made.value, Mapping):
                made.value.entries = self._lowering.unique(made.value.entries)
        self._lowering.groups |= groups.begun_at()
        return self._lowering.block(start, end, groups.entries)

    # Heads.

    def extends(self, start: int, end: int, word: Token, names: list[Node]) -> list[Entry]:
        several = Sequence(items=names, span=self._span(names[0].span.start, end), flow=True)
        return [entry("extends", self._span(start, word[2]), names[0] if len(names) == 1 else several)]

    def agent(self, start: int, end: int, *parts: Any) -> Document:
        word, name, extends, body = parts
        return self._head(start, end, [self._said(word, "name", name), *extends], body)

    def preset(self, start: int, end: int, *parts: Any) -> Document:
        word, name, extends, body = parts
        return self._head(start, end, [self._said(word, "preset", name), *extends], body)

    def library(self, start: int, end: int, *parts: Any) -> Document:
        word, name, version, body = parts
        said = [self._said(word, "library", name)]
        if version is not None:
            value = self._string(version)
            said.append(entry("version", value.span, value))
        return self._head(start, end, said, body)

    def scenario(self, start: int, end: int, *parts: Any) -> Document:
        word, title, preposition, name, body = parts
        said = [self._said(word, "scenario", self._string(title))]
        if preposition is not None:
            said.append(self._said(preposition, "for", name))
        return self._head(start, end, said, body)

    def _said(self, word: Token, key: str, value: Node) -> Entry:
        return entry(key, self._span(word[1], word[2]), value)

    def _head(self, start: int, end: int, said: list[Entry], body: Mapping) -> Document:
        lowering = self._lowering
        lowering.count(start, 2)
        root = Mapping(entries=lowering.unique([*said, *body.entries]), span=self._span(start, end))
        lowering.adopt(body, root)
        lowering.sites.append(Site(start, end, root, is_container=False))
        document = Document(root=root, span=root.span, has_broken=lowering.has_broken)
        lowering.has_broken = False
        lowering.documents.append(document)
        return document

    def broken_head(self, start: int, end: int, is_head: bool) -> None:
        """What stands at the top and is no document; one that its word began is a broken document."""
        span = self._span(start, end)
        if is_head:
            self._lowering.documents.append(Document(root=Broken(span=span), span=span, has_broken=True))
        self._lowering.has_broken = False


class _Groups:
    """The entries of a capability block, and which of them a head has begun."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._open: dict[str, Entry] = {}  # what further heads join
        self._begun: set[str] = set()

    def begun_at(self) -> dict[int, Entry]:
        """The groups that heads alone have made, by the start of their first head."""
        return {self._open[name].key.span.start: self._open[name] for name in self._begun}

    def add(self, found: Entry) -> None:
        """An entry that is written out. `tools { … }` takes what `tool` heads have made before it."""
        if found.operation != "set" or found.final:
            self.entries.append(found)
            return
        earlier = self._open.get(found.name)
        if found.name in self._begun and earlier is not None and _put_first(earlier.value, found.value):
            self.entries = [found if each is earlier else each for each in self.entries]
            self._begun.discard(found.name)
            self._open[found.name] = found
            return
        self.entries.append(found)
        self._open.setdefault(found.name, found)

    def join(self, grant: Grant) -> None:
        """What a head grants goes to the end of its group, which begins with it if need be."""
        group = self._open.get(grant.group)
        if group is not None and _put_last(group.value, grant.item):
            return
        end = grant.item.value.span.end if isinstance(grant.item, Entry) else grant.item.span.end
        span = Span(grant.word.source, grant.word.start, end)
        made: Node = Mapping(entries=[], span=span) if isinstance(grant.item, Entry) else Sequence(items=[], span=span)
        _put_last(made, grant.item)
        group = entry(grant.group, grant.word, made)
        self.entries.append(group)
        if self._open.setdefault(grant.group, group) is group:
            self._begun.add(grant.group)


def _put_last(value: Node, item: Entry | Node) -> bool:
    """Whether a group takes an item: entries go into mappings, anything else into lists."""
    match value, item:
        case Mapping(), Entry():
            value.entries.append(item)
            end = item.value.span.end
        case Sequence(), (Scalar() | Mapping() | Broken()):
            value.items.append(item)
            end = item.span.end
        case _:
            return False
    value.span = Span(value.span.source, value.span.start, max(value.span.end, end))
    return True


def _put_first(heads: Node, value: Node) -> bool:
    """Whether what heads have made goes before what is written out."""
    match heads, value:
        case Mapping(), Mapping():
            value.entries = [*heads.entries, *value.entries]
        case Sequence(), Sequence():
            value.items = [*heads.items, *value.items]
        case _:
            return False
    value.span = Span(value.span.source, heads.span.start, value.span.end)
    return True
