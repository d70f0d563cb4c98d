"""values: plain values as a spec, as if somebody had written them in one of the spellings."""

from __future__ import annotations

from typing import Any

from agentspec.syntax.format.rewrite import Form, written
from agentspec.syntax.format.settle import settle
from agentspec.syntax.tree import Document, Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.source import Source, Span

_NOWHERE = Span(Source("", ""), 0, 0)


def text_of(values: dict[str, Any], form: Form) -> str:
    """The document that says these values. Raises `SpecInvalid` where it has no such form.

    >>> text_of({"name": "x", "model": {"provider": "openai"}}, "dsl")
    'agent x {\\n  model { provider: openai }\\n}\\n'
    """
    document = Document(root=tree_of(values), span=_NOWHERE)
    return written([settle(document, keeps_aliases=False)], form)


def tree_of(value: Any) -> Node:
    """The node of a dict, list, str, int, float, bool or None."""
    match value:
        case dict():
            entries = [Entry(key=_scalar(str(name)), value=tree_of(inner)) for name, inner in value.items()]
            return Mapping(entries=entries, span=_NOWHERE)
        case list() | tuple():
            return Sequence(items=[tree_of(inner) for inner in value], span=_NOWHERE)
    return _scalar(value)


def _scalar(value: Any) -> Scalar:
    return Scalar(value=value, span=_NOWHERE)
