"""as_dsl: settled documents in the DSL, each with its head and its sugar.

A document that has no name, or one that is no plain text, has no DSL form: that is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.errors import SpecInvalid
from agentspec.syntax.format import words
from agentspec.syntax.format.blocks import entry_lines
from agentspec.syntax.format.grants import capability_lines, inputs_lines
from agentspec.syntax.format.layout import STEP
from agentspec.syntax.format.remarks import is_bare, is_noted
from agentspec.syntax.format.settle import Settled
from agentspec.syntax.tree import Comments, Entry, Mapping, Node, Scalar, Sequence

SECOND = {"library": "version", "scenario": "for"}  # what stands behind the name in a head


def dsl_text(documents: Iterable[Settled]) -> str:
    """The documents of a file, with an empty line between them. Raises `SpecInvalid` for one that has no DSL form."""
    return "\n".join("".join(f"{line}\n" for line in _lines(each)) for each in documents)


def _lines(settled: Settled) -> list[str]:
    root = settled.root
    if settled.kind is None or not isinstance(root, Mapping):
        raise SpecInvalid("a document without a name has no DSL form; give it a `name:`, or a `preset:`")
    named, *rest = root.entries
    name = _text(named.value)
    if name is None or named.operation != "set" or named.final:
        raise SpecInvalid(f"the document has no DSL form: its `{named.name}` is no plain text")
    head = f"{settled.kind} {words.string(name) if settled.kind == 'scenario' else words.key(name)}"
    head += _behind(settled.kind, rest)
    indent = STEP
    tail = [f"{' ' * indent}{line}" for line in settled.document.tail_comments]
    inner = [*(line for each in rest for line in _part(each, settled.kind, indent)), *tail]
    said = named.comments or Comments()
    inline = f"  {said.inline}" if said.inline is not None else ""
    if not inner and not inline:
        return [*said.before, f"{head} {{ }}"]
    return [*said.before, f"{head} {{{inline}", *inner, "}"]


def _part(entry: Entry, kind: str, indent: int) -> list[str]:
    if kind in ("agent", "preset") and entry.name == "inputs":
        return inputs_lines(entry, indent)
    if kind in ("agent", "preset") and entry.name == "capability":
        return capability_lines(entry, indent)
    return entry_lines(entry, indent)


def _behind(kind: str, rest: list[Entry]) -> str:
    """What the head says after the name; it is taken out of `rest`."""
    second = SECOND.get(kind)
    if second is not None:
        text = _text(rest[0].value) if rest and rest[0].name == second and is_bare(rest[0]) else None
        if text is None:
            return ""
        del rest[0]
        return f" {words.string(text)}" if second == "version" else f" for {words.key(text)}"
    is_short = bool(rest) and rest[0].name == "extends" and is_bare(rest[0]) and not is_noted(rest[0].value)
    names = _names(rest[0].value) if is_short else []
    if not names:
        return ""
    del rest[0]
    return f" extends {', '.join(map(words.key, names))}"


def _names(node: Node) -> list[str]:
    """The names of an `extends` that a head can have: one, or a list of several."""
    match node:
        case Scalar(value=str(text)):
            return [text]
        case Sequence(items=[_, _, *_] as items):
            names = [_text(item) for item in items]
            return [name for name in names if name is not None] if None not in names else []
    return []


def _text(node: Node) -> str | None:
    is_plain = isinstance(node, Scalar) and isinstance(node.value, str) and not node.comments
    return str(node.value) if isinstance(node, Scalar) and is_plain else None
