"""expression: the expression at an offset of a file, as far as one can be read there, also within `${…}`."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from agentspec.expressions.places import PLACES, Place
from agentspec.expressions.template import parse_template
from agentspec.spec.structure.shape import Mark
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Scalar


class Expression(NamedTuple):
    """The text of an expression, where it begins in its scalar's value, and the offset in it that is asked about."""

    text: str
    start: int
    at: int
    place: Place


def expression_at(mark: Mark, offset: int) -> Expression | None:
    """The expression of a marked scalar at an offset of its file; None where what stands there is plain text."""
    node, kind = mark.node, mark.annotation.get("kind")
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or kind not in ("expression", "template"):
        return None
    place = PLACES.get(str(mark.annotation.get("place")), PLACES["prompt"])
    at = value_offset(node, offset)
    if kind == "expression":
        return Expression(node.value, 0, at, place)
    for slot in parse_template(node.value).slots:
        start = slot.start + len("${")
        if start <= at <= start + len(slot.source):
            return Expression(slot.source, start, at - start, place)
    return None


def value_offset(node: Scalar, offset: int) -> int:
    """The offset in a scalar's value of what stands at an offset of its file."""
    value = str(node.value)
    return bisect_left(range(len(value)), offset, key=lambda index: span_in(node, index, index + 1).start)
