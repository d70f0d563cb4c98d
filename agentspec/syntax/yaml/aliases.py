"""aliases: what stands at an alias: the anchor's children, shared and never copied, at the alias's own place."""

from __future__ import annotations

from agentspec.syntax.tree import Broken, Mapping, Node, Scalar, Sequence
from agentspec.syntax.yaml.reading import Reading
from agentspec.text.diagnostic import Edit, Fix, Related
from agentspec.text.source import Span
from agentspec.text.suggest import nearest

LOOK_AHEAD = 20_000  # characters in which an anchor that comes too late is looked for
MAX_GUESSES = 50  # unknown aliases, and anchors to compare each with, for which a name is suggested


def alias(reading: Reading, name: str, span: Span, depth: int) -> Node:
    """The node of `*name`. Raises `Refused` where it would expand beyond a limit."""
    anchor = reading.anchors.get(name)
    if anchor is None:
        _report_unknown(reading, name, span)
    elif anchor.node is None:
        related = (Related(anchor.name_span, "the anchor's value begins here"),)
        message = f"alias `*{name}` stands inside the value that it repeats"
        reading.report("AS009", message, span, related=related)
    else:
        reading.spend_alias(anchor.weight, depth, span.start)
        return _aliased(anchor.node, span)
    reading.has_broken = True
    return Broken(span=span)


def _report_unknown(reading: Reading, name: str, span: Span) -> None:
    reading.unknown_aliases += 1
    can_guess = reading.unknown_aliases <= MAX_GUESSES and len(reading.anchors) <= MAX_GUESSES
    known = nearest(name, reading.anchors) if can_guess else []
    later = reading.source.text.find(f"&{name}", span.end, span.end + LOOK_AHEAD)
    related = (Related(reading.span(later, later + 1 + len(name)), "defined only here"),) if later >= 0 else ()
    advice = "an anchor must stand above its aliases" if related else "a text that begins with `*` needs quotes"
    fix = Fix(f"rename to `*{known[0]}`", (Edit(span, f"*{known[0]}"),), "surface") if known else None
    help_text = f"did you mean `*{known[0]}`?" if known else advice
    reading.report("AS007", f"unknown alias `*{name}`", span, help=help_text, fix=fix, related=related)


def _aliased(node: Node, span: Span) -> Node:
    match node:
        case Scalar():
            return Scalar(value=node.value, span=span, style=node.style, anchor=node.span, base_indent=node.base_indent)
        case Mapping():
            return Mapping(entries=node.entries, span=span, flow=node.flow, anchor=node.span)
        case Sequence():
            return Sequence(items=node.items, span=span, flow=node.flow, anchor=node.span)
        case Broken():
            return Broken(span=span)
