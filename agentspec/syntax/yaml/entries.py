"""entries: what makes an entry of a mapping: its key, `+key`, `!unset` and `!final`, and what `<<` brings in.

Every other tag is refused here: no tag ever constructs anything.
"""

from __future__ import annotations

from typing import NamedTuple

from agentspec.syntax.findings import quoted
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Operation, Scalar, Sequence
from agentspec.syntax.yaml.quotes import quote_fix
from agentspec.syntax.yaml.reading import Reading
from agentspec.syntax.yaml.scalars import resolve
from agentspec.text.diagnostic import Edit, Fix, Related
from agentspec.text.source import Span

OWN_TAGS = frozenset(("!final", "!unset"))
FORMS = {"$unset": "!unset", "$final": "!final"}  # JSON has no tags
BLANKS = frozenset(" \t\r\n")
TAG_ENDS = BLANKS | frozenset(",[]{}")
EXPRESSION_KEYS = frozenset(("when", "where", "expr", "rank", "that", "until"))


class Key(NamedTuple):
    """The key of an entry; `is_merge` for a plain `<<`."""

    scalar: Scalar
    operation: Operation = "set"
    is_merge: bool = False

    @property
    def name(self) -> str:
        return str(self.scalar.value)


class Merge(NamedTuple):
    """One `<<`: where it stands, how many entries were before it, and what it merges."""

    span: Span
    position: int
    value: Node


def read_key(reading: Reading, node: Scalar) -> Key | None:
    """The key that a scalar is; its value is always text, whatever the scalar would mean elsewhere."""
    name = str(node.value)
    if not name:
        reading.report("AS011", "a key is empty", node.span, help="write the key, in quotes if need be")
        return None
    if node.style != "plain":
        is_append = reading.is_json and name[0] == "+" and len(name) > 1
        key = Scalar(value=name[1:], span=node.span, style=node.style) if is_append else node
        return Key(key, "append" if is_append else "set")
    if name == "<<":
        return Key(node, is_merge=True)
    if name[0] == "+" and len(name) > 1:
        span = node.span
        return Key(Scalar(value=name[1:], span=Span(span.source, span.start + 1, span.end)), "append")
    if not isinstance(resolve(name), str):
        fix = Fix(f'write `"{name}"`', (Edit(node.span, f'"{name}"'),), "equivalent")
        advice = "other YAML tools read something else; quote it"
        reading.path.append(name)
        reading.report("AS024", f"key `{name}` is read as text", node.span, help=advice, fix=fix)
        reading.path.pop()
    return Key(node)


def refuse_twin(reading: Reading, key: Key, first: Entry) -> None:
    """A second entry of one name: an error at it that shows the first."""
    name = quoted(key.name)
    if first.operation == "append" and key.operation == "append":
        message = f"`+{key.name}` stands twice in this mapping"
    elif "append" in (first.operation, key.operation):
        message = f"{name} and `+{key.name}` stand in one mapping"
    else:
        message = f"duplicate key {name}"
    related = (Related(first.key.span, "first here"),)
    reading.report("AS005", message, key.scalar.span, help="keep one of them", related=related)


def entry(reading: Reading, key: Key, value: Node, tag: str | None, offset: int) -> Entry:
    """An entry as written, `tag` being the value's `!unset` or `!final` that stands behind `offset`."""
    span = value.span
    if tag is not None:
        start = reading.source.text.index(tag, offset)
        span = reading.span(start, start + len(tag))
    elif isinstance(value, Mapping) and len(value.entries) == 1 and value.entries[0].name in FORMS:
        tag = FORMS[value.entries[0].name]
        value = value.entries[0].value
        if tag == "!unset" and isinstance(value, Scalar) and value.value is True:
            value = Scalar(value=None, span=span)
    if tag == "!unset":
        return _unset_entry(reading, key, value, span)
    return Entry(key=key.scalar, value=value, operation=key.operation, final=tag == "!final")


def _unset_entry(reading: Reading, key: Key, value: Node, span: Span) -> Entry:
    if not isinstance(value, Scalar) or value.value is not None:
        reading.report("AS023", "`!unset` takes no value", span, help="`key: !unset` removes the key")
    elif key.operation == "append":
        reading.report("AS023", f"`+{key.name}` appends and `!unset` removes; one key cannot do both", span)
    return Entry(key=key.scalar, value=Scalar(value=None, span=span), operation="unset")


def refuse_tag(reading: Reading, offset: int, node: Node) -> None:
    """The error of a tag that stands behind `offset`, before `node`."""
    text = reading.source.text
    start = text.index("!", offset)
    end = start
    ends = TAG_ENDS if not text.startswith("!<", start) else BLANKS
    while end < len(text) and text[end] not in ends:
        end += 1
    tag, span = text[start:end], reading.span(start, end)
    if tag in OWN_TAGS:
        reading.report("AS023", f"`{tag}` stands in the wrong place", span, help="it goes before the value of a key")
        return
    where = reading.path[-1] if reading.path else None
    is_expression = where in EXPRESSION_KEYS and isinstance(node, Scalar)
    reading.report(
        "AS010",
        f"YAML tag {quoted(tag)} is refused",
        span,
        help="an expression that begins with `!` needs quotes"
        if is_expression
        else "the only tags are `!unset` and `!final`; a text that begins with `!` needs quotes",
        fix=quote_fix(reading.span(start, max(end, node.span.end))) if is_expression else None,
    )


def merged(reading: Reading, written: list[Entry], merges: list[Merge]) -> list[Entry]:
    """The entries of a mapping with `<<`: written ones win, then the mappings of a list from left to right."""
    if len(merges) > 1:
        related = (Related(merges[0].span, "first here"),)
        reading.report(
            "AS005", "duplicate key `<<`", merges[1].span, help="merge a list: `<<: [*a, *b]`", related=related
        )
    merge = merges[0]
    seen = {entry.name for entry in written}
    brought: list[Entry] = []
    for mapping in _mappings(reading, merge):
        for each in mapping.entries:
            if each.name not in seen:
                seen.add(each.name)
                brought.append(
                    Entry(key=each.key, value=each.value, operation=each.operation, final=each.final, merged=merge.span)
                )
    return written[: merge.position] + brought + written[merge.position :]


def _mappings(reading: Reading, merge: Merge) -> list[Mapping]:
    parts = merge.value.items if isinstance(merge.value, Sequence) else [merge.value]
    for part in parts:
        if not isinstance(part, Mapping | Broken):
            advice = 'it takes a mapping or a list of mappings; as an ordinary key write `"<<"`'
            reading.report("AS022", "`<<` merges something that is not a mapping", part.span, help=advice)
    return [part for part in parts if isinstance(part, Mapping)]
