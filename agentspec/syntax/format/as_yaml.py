"""as_yaml: settled documents as YAML of the 1.2 core schema: blocks, and brackets around what is plain and short."""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.syntax.format.layout import STEP, WIDTH, after, commented, is_flat
from agentspec.syntax.format.scalars import folded, is_block, is_foldable, key, scalar
from agentspec.syntax.format.settle import Settled
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Scalar, Sequence


def yaml_text(documents: Iterable[Settled]) -> str:
    """The documents of a file, with `---` between them."""
    return "---\n".join("".join(f"{line}\n" for line in _Printer(each).lines()) for each in documents)


class _Printer:
    """Writes one document as lines, each with its indent."""

    def __init__(self, settled: Settled) -> None:
        self._root = settled.root
        self._lead = settled.lead
        self._anchors = settled.anchors
        self._tail = settled.document.tail_comments

    def lines(self) -> list[str]:
        root = self._root
        match root:
            case Mapping(entries=[_, *_]):
                lines = self._sections(root)
            case Sequence(items=[_, *_]):
                lines = self._items(root, 0)
            case _:
                lines = [*commented([self._flow(root, in_flow=False)], root, 0), *after(root, 0)]
        return [*lines, *self._tail]

    def _sections(self, root: Mapping) -> list[str]:
        """The entries of the document; below its head stands a blank line where the next takes several."""
        lines: list[str] = []
        for index, entry in enumerate(root.entries):
            section = self._entry(entry, 0, is_section=True)
            is_apart = index == self._lead and index > 0 and len(section) > 1
            lines += ["", *section] if is_apart else section
        return lines

    # Blocks.

    def _entries(self, mapping: Mapping, indent: int) -> list[str]:
        lines = [line for entry in mapping.entries for line in self._entry(entry, indent)]
        return [*lines, *after(mapping, indent)]

    def _entry(self, entry: Entry, indent: int, *, is_section: bool = False) -> list[str]:
        head = f"{' ' * indent}{self._key(entry)}:"
        if entry.operation == "unset":
            lines = [f"{head} !unset"]
        else:
            head += " !final" if entry.final else ""
            lines = self._value(head, entry.value, indent, is_section=is_section)
        return commented(lines, entry, indent)

    def _key(self, entry: Entry) -> str:
        if entry.key.anchor is not None:  # `<<` as it stands
            return entry.name
        return key(entry.name, appends=entry.operation == "append")

    def _items(self, sequence: Sequence, indent: int) -> list[str]:
        lines: list[str] = []
        for item in sequence.items:
            lines += commented(self._item(item, indent), item, indent)
        return [*lines, *after(sequence, indent)]

    def _item(self, item: Node, indent: int) -> list[str]:
        dash = f"{' ' * indent}-"
        anchor = self._anchor(item)
        is_rule = isinstance(item, Mapping) and (len(item.entries) == 1 or item.entry("when") is not None)
        match item:
            case Mapping(entries=[_, *_]) if is_rule or not self._fits(dash, item, is_item=True):
                block = self._entries(item, indent + STEP)
            case Sequence(items=[_, *_]) if not self._fits(dash, item):
                block = self._items(item, indent + STEP)
            case Mapping():
                return [f"{dash}{self._flow_value(item)}"]
            case _:
                return self._value(dash, item, indent)
        if anchor:
            return [f"{dash}{anchor}", *block]
        return [f"{dash} {block[0][indent + STEP :]}", *block[1:]]

    # Values.

    def _value(self, head: str, node: Node, indent: int, *, is_section: bool = False) -> list[str]:
        """A value behind its key or dash, on the same line if it can be."""
        head += self._anchor(node)
        match node:
            case Mapping(entries=[_, *_]) if is_section or not self._fits(head, node):
                return [head, *self._entries(node, indent + STEP)]
            case Sequence(items=[_, *_]) if not self._fits(head, node):
                return [head, *self._items(node, indent + STEP)]
            case Scalar(value=str(text), anchor=None) if is_block(text):
                lines = text.removesuffix("\n").split("\n")
                mark = "|" if text.endswith("\n") else "|-"
                return [f"{head} {mark}", *(f"{' ' * (indent + STEP)}{line}" if line else "" for line in lines)]
        text = self._flow(node, in_flow=False)
        if isinstance(node, Scalar) and len(head) + 1 + len(text) > WIDTH and is_foldable(node):
            width = WIDTH - indent - STEP
            return [f"{head} >-", *(f"{' ' * (indent + STEP)}{line}" for line in folded(str(node.value), width))]
        return [f"{head} {text}"]

    def _anchor(self, node: Node) -> str:
        name = self._anchors.get(id(node))
        return f" &{name}" if name is not None else ""

    def _fits(self, head: str, node: Mapping | Sequence, *, is_item: bool = False) -> bool:
        is_short = is_flat(node, is_item=is_item) and not _has_unset(node)
        return is_short and len(head) + 1 + len(self._flow(node, in_flow=True)) <= WIDTH

    def _flow(self, node: Node, *, in_flow: bool) -> str:
        match node:
            case Mapping():
                return "{" + ", ".join(self._flow_entry(entry) for entry in node.entries) + "}"
            case Sequence():
                return "[" + ", ".join(self._flow_item(item) for item in node.items) + "]"
            case Scalar():
                return scalar(node, in_flow=in_flow)
            case Broken():
                return node.span.text

    def _flow_entry(self, entry: Entry) -> str:
        head = f"{self._key(entry)}:"
        if entry.operation == "unset":
            return f"{head} !unset"
        return f"{head}{' !final' if entry.final else ''}{self._flow_value(entry.value)}"

    def _flow_value(self, node: Node) -> str:
        return f"{self._anchor(node)} {self._flow(node, in_flow=True)}"

    def _flow_item(self, item: Node) -> str:
        return self._flow_value(item).lstrip()


def _has_unset(node: Node) -> bool:
    """Whether a `!unset` is in it: in brackets, YAML would take the sign behind it for a part of it."""
    match node:
        case Mapping():
            return any(entry.operation == "unset" or _has_unset(entry.value) for entry in node.entries)
        case Sequence():
            return any(map(_has_unset, node.items))
    return False
