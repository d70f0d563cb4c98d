"""laws: what `fmt` and `convert` promise of any text that can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agentspec.syntax import dsl, yaml
from agentspec.syntax.format import Form, convert, format_text
from agentspec.syntax.format.order import head_of
from agentspec.syntax.tree import Document, Entry, Mapping, Node, Parsed, Scalar, Sequence
from agentspec.syntax.yaml.comments import attach
from agentspec.text.source import LINE_END, Source


def check_laws(parsed: Parsed) -> None:
    """Every law, from the spelling of the text to itself and to the other, and back."""
    own: Form = parsed.spelling
    text = format_text(parsed)
    again = reading(text, own)
    if "\r" in parsed.source.text:  # line ends inside an expression of the DSL are all that the two differ in
        parsed = reading(LINE_END.sub("\n", parsed.source.text), own)
    assert format_text(again) == text, "formatting twice changes the text again"
    assert meanings(again) == meanings(parsed)
    assert said(again) == said(parsed)
    if all(head_of(each.root) for each in parsed.documents):
        check_both_ways(parsed, text)


def check_both_ways(parsed: Parsed, text: str) -> None:
    own: Form = parsed.spelling
    other: Form = "dsl" if own == "yaml" else "yaml"
    converted = convert(parsed, other)
    there = reading(converted, other)
    assert meanings(there) == meanings(parsed)
    assert said(there) == said(parsed)
    assert format_text(there) == converted, "what `convert` writes is not in its form"
    back = convert(there, own)
    if not any(mark in parsed.source.text for mark in "&*"):  # aliases are YAML's own
        assert back == text, "the way there and back changes the text"


def reading(text: str, form: Form) -> Parsed:
    """A text that was written, which has to read without a finding that it is not what it was."""
    parsed = dsl.parse(Source("x.agent", text)) if form == "dsl" else yaml.parse(Source("x.yaml", text))
    assert [found for found in parsed.diagnostics if found.severity == "error"] == []
    return parsed


def meanings(parsed: Parsed) -> list[object]:
    return [meaning(document.root) for document in parsed.documents]


def meaning(node: Node) -> object:
    """A node as plain data that compares by what it says: the order of keys does not count, types do."""
    match node:
        case Scalar():
            return type(node.value).__name__, node.value
        case Mapping():
            return {entry.name: (entry.operation, entry.final, meaning(entry.value)) for entry in node.entries}
        case Sequence():
            return [meaning(item) for item in node.items]
    return None


def said(parsed: Parsed) -> Counter[str]:
    """All comments."""
    if parsed.spelling == "yaml":
        attach(parsed)
    return Counter(text for document in parsed.documents for text in all_of(document))


def all_of(document: Document) -> list[str]:
    return [*_comments(document.root), *document.tail_comments]


def _comments(keeper: Entry | Node) -> Iterator[str]:
    if keeper.comments is not None:
        yield from keeper.comments.before
        yield from [keeper.comments.inline] if keeper.comments.inline is not None else []
        yield from keeper.comments.after
    match keeper:
        case Entry(merged=None):
            yield from _comments(keeper.value)
        case Mapping(anchor=None):
            for entry in keeper.entries:
                yield from _comments(entry)
        case Sequence(anchor=None):
            for item in keeper.items:
                yield from _comments(item)
