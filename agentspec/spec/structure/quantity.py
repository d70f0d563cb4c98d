"""quantity: findings of durations and sizes: no unit, an unknown one, nothing at all.

A number alone is never given a unit by itself: nobody can see which one was meant.
"""

from __future__ import annotations

from typing import Final

from agentspec.spec.schema import MARK, Form
from agentspec.spec.structure import words
from agentspec.spec.structure.findings import error, reword
from agentspec.spec.values import UNIT_WORDS, UNITS, Measure, Quantity, split_quantity
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.suggest import nearest

BARE_UNIT: Final[dict[str, str]] = {"duration": "s", "size": "B"}


def measure_of(allowed: Form) -> Measure | None:
    """Whether a duration or a size may stand at a place."""
    for branch in allowed.texts:
        kind = branch.get(MARK, {}).get("kind")
        if kind in UNITS:
            measure: Measure = kind
            return measure
    return None


def without_unit(node: Scalar, number: str, measure: Measure, path: Path) -> Diagnostic:
    """A bare number; what it likely means is offered, and never written without consent."""
    message = f"a {measure} needs a unit: expected {words.KIND_WORDS[measure]}, found `{words.clipped(number)}`"
    help_text = f"units are {words.quoted(UNITS[measure], 'and')}"
    if split_quantity(number) is None:
        return error("AS202", message, node.span, path, help=help_text)
    likely = f"{number}{BARE_UNIT[measure]}"
    return error(
        "AS202", message, node.span, path, help=help_text, fix=reword(node, likely, f"write `{likely}`", "manual")
    )


def bad_quantity(node: Scalar, text: str, measure: Measure, path: Path) -> Diagnostic:
    """A text that begins like a quantity and isn't one."""
    quantity = split_quantity(text)
    units = words.quoted(UNITS[measure])
    if quantity is None:
        message = f"expected {words.KIND_WORDS[measure]}, found {words.found(node)}"
        return error("AS207", message, node.span, path, help=f"write one number and one unit: {units}")
    if not quantity.unit:
        return without_unit(node, text, measure, path)
    if quantity.unit not in UNITS[measure]:
        return _unknown_unit(node, quantity, measure, path)
    likely = quantity.number + quantity.unit
    if text == likely:
        return error("AS205", f"expected a {measure} above zero, found `{text}`", node.span, path)
    message = f"a {measure} has no space before its unit: found `{words.clipped(text)}`"
    return error("AS207", message, node.span, path, fix=reword(node, likely, f"write `{likely}`"))


def _unknown_unit(node: Scalar, quantity: Quantity, measure: Measure, path: Path) -> Diagnostic:
    unit = UNIT_WORDS[measure].get(quantity.unit) or next(iter(nearest(quantity.unit, UNITS[measure])), None)
    message = f"unknown unit `{quantity.unit}` in the {measure} `{words.clipped(str(node.value))}`"
    if unit is None:
        return error("AS203", message, node.span, path, help=f"units are {words.quoted(UNITS[measure], 'and')}")
    likely = quantity.number + unit
    help_text = f"did you mean `{likely}`?"
    return error("AS203", message, node.span, path, help=help_text, fix=reword(node, likely, f"write `{likely}`"))
