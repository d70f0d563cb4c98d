"""conditions: what can be told about a condition from its text: its parts, its constants, whether one implies another.

Claims only what holds for certain: `&&` at the top level, comparisons of one name with one number, and equal text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentspec.syntax.tree import Node, Scalar

# Patterns are compiled when they are first used: most specs need none of them.
_PIECES = r"""[rRbB]*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|&&|\|\||[()\[\]{}?]|\s+|[\w.]+|."""
_COMPARISON = r"([A-Za-z_][\w.]*)(==|!=|<=|>=|<|>)(-?\d+(?:\.\d+)?)"
_TURNED = r"(-?\d+(?:\.\d+)?)(==|!=|<=|>=|<|>)([A-Za-z_][\w.]*)"
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPEN, _CLOSED = "([{", ")]}"


class Comparison(NamedTuple):
    """`name OP number`."""

    name: str
    operator: str
    number: float


def condition_of(node: Node | None) -> str | None:
    """The text of a condition; a bare `true` is one too."""
    match node:
        case Scalar(value=bool(value)):
            return "true" if value else "false"
        case Scalar(value=str(value)):
            return value
        case _:
            return None


def conjuncts(text: str) -> frozenset[str]:
    """The parts of a condition that all have to hold, each without its spaces.

    >>> sorted(conjuncts("a && (b || c)"))
    ['(b||c)', 'a']
    """
    parts = [""]
    depth = 0
    for piece in re.findall(_PIECES, text.strip(), re.DOTALL):
        depth += (piece in _OPEN) - (piece in _CLOSED)
        if depth == 0 and piece in ("||", "?"):
            return frozenset((_squeezed(text),))
        if piece == "&&" and depth == 0:
            parts.append("")
        elif piece.strip():
            parts[-1] += _glue(parts[-1], piece)
    return frozenset(part for part in parts if part)


def _squeezed(text: str) -> str:
    out = ""
    for piece in re.findall(_PIECES, text, re.DOTALL):
        if piece.strip():
            out += _glue(out, piece)
    return out


def _glue(before: str, piece: str) -> str:
    # Two words side by side (`a in b`) keep a space, so that they don't melt into one name.
    return f" {piece}" if before and _is_word(before[-1]) and _is_word(piece[0]) else piece


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def is_constant(text: str) -> bool | None:
    """True or False where the condition is a literal one; else None."""
    return {"true": True, "false": False}.get(text.strip())


def implies(strong: str, weak: str) -> bool:
    """Whether `weak` holds wherever `strong` does, for certain.

    >>> implies("a && b > 5", "b > 3"), implies("a", "a && b")
    (True, False)
    """
    given = conjuncts(strong)
    return all(part in given or any(_within(one, part) for one in given) for part in conjuncts(weak))


def comparison(part: str) -> Comparison | None:
    """A part that compares a name with a number, in this order or the other one.

    >>> comparison("3<iteration")
    Comparison(name='iteration', operator='>', number=3.0)
    """
    if match := re.fullmatch(_COMPARISON, part):
        return Comparison(match[1], match[2], float(match[3]))
    if match := re.fullmatch(_TURNED, part):
        return Comparison(match[3], _FLIPPED.get(match[2], match[2]), float(match[1]))
    return None


def _within(strong: str, weak: str) -> bool:
    one, other = comparison(strong), comparison(weak)
    if one is None or other is None or one.name != other.name:
        return False
    match other.operator:
        case ">":
            return _above(one, other, is_strict=True)
        case ">=":
            return _above(one, other, is_strict=False)
        case "<":
            return _below(one, other, is_strict=True)
        case "<=":
            return _below(one, other, is_strict=False)
        case _:
            return False


def _above(one: Comparison, other: Comparison, *, is_strict: bool) -> bool:
    if one.operator == ">":
        return one.number >= other.number
    if one.operator in (">=", "=="):
        return one.number > other.number if is_strict else one.number >= other.number
    return False


def _below(one: Comparison, other: Comparison, *, is_strict: bool) -> bool:
    if one.operator == "<":
        return one.number <= other.number
    if one.operator in ("<=", "=="):
        return one.number < other.number if is_strict else one.number <= other.number
    return False
