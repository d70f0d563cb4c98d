"""types: types of parameters and inputs, from their DSL form to the document form that YAML has too.

`number?` stays a word; literals become `enum`, other compounds `items`, `fields`, `schema` and `any_of` mappings.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from agentspec.syntax.dsl.report import TOO_DEEP, Refused
from agentspec.syntax.limits import MAX_DEPTH
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.source import Span


class Literal(NamedTuple):
    """A string literal as a type, before it is known which others stand beside it."""

    scalar: Scalar


Form: TypeAlias = Node | Literal


def entry(name: str, key: Span, value: Node) -> Entry:
    """An entry whose key is spelled by a sign or by its place; `key` is where that stands."""
    return Entry(key=Scalar(value=name, span=key, style="word"), value=value)


def node(form: Form) -> Node:
    """The document form of a type; a literal alone is an `enum` of one."""
    return enum([form]) if isinstance(form, Literal) else form


def enum(literals: list[Literal]) -> Mapping:
    """`"a" | "b"` as `{enum: [a, b]}`."""
    span = _across([literal.scalar for literal in literals])
    items: list[Node] = [literal.scalar for literal in literals]
    return Mapping(entries=[entry("enum", span, Sequence(items=items, span=span))], span=span)


def union(arms: list[Form]) -> Form:
    """`A | B`: neighbouring literals are one `enum`, and what is then more than one arm is `{any_of: […]}`."""
    joined: list[Node] = []
    run: list[Literal] = []
    for arm in [*arms, None]:
        if isinstance(arm, Literal):
            run.append(arm)
            continue
        if run:
            joined.append(enum(run))
            run = []
        if arm is not None:
            joined.append(arm)
    if len(arms) == 1:
        return arms[0]
    if len(joined) == 1:
        return joined[0]
    span = _across(joined)
    return Mapping(entries=[entry("any_of", span, Sequence(items=joined, span=span))], span=span)


def is_optional(form: Form) -> bool:
    """Whether a type has its `?` already."""
    inner = node(form)
    if isinstance(inner, Scalar):
        return str(inner.value).endswith("?")
    return isinstance(inner, Mapping) and inner.entry("optional") is not None


def optional(form: Form, sign: Span) -> Form:
    """`T?`."""
    inner = node(form)
    whole = Span(sign.source, inner.span.start, sign.end)
    if is_optional(form) or isinstance(inner, Broken | Sequence):
        return inner
    if isinstance(inner, Scalar):
        return Scalar(value=f"{inner.value}?", span=whole, style="word")
    flag = entry("optional", sign, Scalar(value=True, span=sign, style="word"))
    return Mapping(entries=[*inner.entries, flag], span=whole)


def array(form: Form, brackets: Span) -> Form:
    """`T[]`. Raises `Refused` for more levels than a document may have."""
    inner = node(form)
    whole = Span(brackets.source, inner.span.start, brackets.end)
    if isinstance(inner, Broken):
        return inner
    if isinstance(inner, Scalar):
        name = str(inner.value)
        if len(name) > len(inner.span.text) + MAX_DEPTH or name.count("[]") >= MAX_DEPTH:
            raise Refused(TOO_DEEP, brackets.start)
        return Scalar(value=name + "[]", span=whole, style="word")
    if _depth(inner) >= MAX_DEPTH:
        raise Refused(TOO_DEEP, brackets.start)
    return Mapping(entries=[entry("items", brackets, inner)], span=whole)


def _depth(form: Node) -> int:
    depth = 0
    while isinstance(form, Mapping) and form.entries and form.entries[0].name == "items":
        form = form.entries[0].value
        depth += 1
    return depth


def declared(form: Form, default: Node | None, description: Node | None) -> Node:
    """The type of a parameter or input with its default and description: in its mapping, or in one around the word."""
    inner = node(form)
    if default is None and description is None:
        return inner
    last = default if description is None else description
    assert last is not None
    span = Span(inner.span.source, inner.span.start, last.span.end)
    entries = [*inner.entries] if isinstance(inner, Mapping) else [entry("type", inner.span, inner)]
    if default is not None:
        entries.append(entry("default", default.span, default))
    if description is not None:
        entries.append(entry("description", description.span, description))
    return Mapping(entries=entries, span=span)


def _across(nodes: list[Node] | list[Scalar]) -> Span:
    return Span(nodes[0].span.source, nodes[0].span.start, nodes[-1].span.end)
