"""conditions: conditions that can never change: constants, contradictions, a name compared with itself."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.expressions.constants import evaluate_constant, is_constant
from agentspec.expressions.infer import Names, called_name, infer
from agentspec.expressions.meaning import Meaning
from agentspec.expressions.nodes import Binary, Call, Choice, Literal, Logic, Name, Node, Select, Unary, bare, chain
from agentspec.expressions.problem import Problem, problem


def lint_condition(meaning: Meaning) -> Iterator[Problem]:
    """What is questionable about a condition as a whole: it is constant, or contradicts itself."""
    root = bare(meaning.root)
    if is_constant(root):
        yield from _constant(meaning.root, meaning)
        return
    for node, names in meaning.parts:
        match node:
            case Logic():
                for operand in node.operands:
                    if is_constant(operand):
                        yield from _constant(operand, meaning, within=True)
                yield from _contradictions(node)
            case Choice() if is_constant(node.condition):
                yield from _constant(node.condition, meaning, within=True)
            case Binary(op="==" | "!=" | "<" | "<=" | ">" | ">="):
                if chain(bare(node.left)) is not None and chain(bare(node.left)) == chain(bare(node.right)):
                    message = f"both sides are {meaning.quoted(node.left)}, so the result never changes"
                    yield problem("AS321", (node.start, node.end), message)
                yield from _below_zero(node, names, meaning)


def _constant(node: Node, meaning: Meaning, *, within: bool = False) -> Iterator[Problem]:
    value = evaluate_constant(meaning.source(node))
    if isinstance(value, Exception):
        yield problem("AS310", (node.start, node.end), f"this always fails: {value}")
        return
    literal = bare(node)
    if isinstance(literal, Literal) and not within and value is True:
        return  # `true` alone is how a rule says "always"
    message = f"this is always {'true' if value is True else 'false' if value is False else 'the same'}"
    yield problem("AS321", (node.start, node.end), message, "compare it with a name of this place, or remove it")


# Records of the runtime whose numbers count or measure something; arguments and rows may hold any number.
COUNTING = frozenset(("iteration", "attempt", "budget", "turn", "session", "progress", "usage"))
# What a comparison of something that is never below zero with zero, and with less than zero, comes to.
WITH_ZERO = {"<": False, ">=": True}
WITH_LESS = {"<": False, "<=": False, "==": False, ">": True, ">=": True, "!=": True}


def _below_zero(node: Binary, names: Names, meaning: Meaning) -> Iterator[Problem]:
    """A count that is compared with a number which it can never be below."""
    for subject, other, op in ((node.left, node.right, node.op), (node.right, node.left, FLIPPED[node.op])):
        value = _number(other)
        if value is None or value > 0 or not _counts(bare(subject), names):
            continue
        always = (WITH_LESS if value < 0 else WITH_ZERO).get(op)
        if always is not None:
            message = f"this is always {str(always).lower()}: {meaning.quoted(subject)} is never below zero"
            yield problem("AS321", (node.start, node.end), message, "compare it with a larger number, or remove it")


def _number(node: Node) -> int | float | None:
    """The number that a literal is, with its sign."""
    node, sign = bare(node), 1
    if isinstance(node, Unary) and node.op == "-" and node.count == 1:
        node, sign = bare(node.operand), -1
    value = node.value if isinstance(node, Literal) else None
    return sign * value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _counts(node: Node, names: Names) -> bool:
    """Whether this is a number that is never below zero: a length, or a figure of the runtime."""
    if isinstance(node, Call):
        return called_name(node, names)[0] == "size"
    path = chain(node)
    form = infer(node, names) if path is not None and path[0] in COUNTING else None
    return form is not None and form.kind in ("integer", "number")


class _Bounds:
    """What comparisons that must all hold leave of one value."""

    def __init__(self) -> None:
        self.low: tuple[float, bool] = (float("-inf"), True)  # the bound, and whether it belongs to it
        self.high: tuple[float, bool] = (float("inf"), True)
        self.equal: list[object] = []
        self.unequal: list[object] = []

    def add(self, op: str, value: object) -> None:
        if op == "==":
            self.equal.append(value)
        elif op == "!=":
            self.unequal.append(value)
        elif isinstance(value, int | float):
            if op in ("<", "<="):
                self.high = min(self.high, (value, op == "<="))
            else:
                low, open_low = (self.low[0], not self.low[1]), op == ">"
                self.low = max((low, (value, open_low)))[0], not max((low, (value, open_low)))[1]

    def is_empty(self) -> bool:
        first = self.equal[0] if self.equal else None
        if any(value != first for value in self.equal) or first in self.unequal:
            return bool(self.equal)
        low, high = self.low[0], self.high[0]
        if low > high or (low == high and not (self.low[1] and self.high[1])):
            return True
        if not isinstance(first, int | float):
            return False
        return not (low < first or (low == first and self.low[1])) or not (
            first < high or (first == high and self.high[1])
        )


FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _comparison(node: Node) -> tuple[str, str, object] | None:
    """A comparison of a name with a literal, or a name that is a claim: the name, the operator, the value."""
    node = bare(node)
    told = bare(node.operand) if isinstance(node, Unary) and node.op == "!" and node.count % 2 else node
    if isinstance(told, Name | Select):
        said = chain(told)
        return None if said is None else (".".join(said), "==", told is node)
    if not isinstance(node, Binary) or node.op not in FLIPPED:
        return None
    for subject, other, op in ((node.left, node.right, node.op), (node.right, node.left, FLIPPED[node.op])):
        names, literal, number = chain(bare(subject)), bare(other), _number(other)
        if names is None or (number is None and not isinstance(literal, Literal)):
            continue
        value = number if number is not None or not isinstance(literal, Literal) else literal.value
        return ".".join(names), op, value
    return None


def _contradictions(node: Logic) -> Iterator[Problem]:
    """Comparisons of one name that can never all hold, or of which one always holds."""
    bounds: dict[str, _Bounds] = {}
    for operand in node.operands:
        compared = _comparison(operand)
        if compared is None:
            continue
        name, op, value = compared
        is_claim = isinstance(value, bool) and op == "=="
        if node.op == "||" and op != "!=" and not is_claim:
            continue
        held = bounds.setdefault(name, _Bounds())
        held.add("==" if node.op == "||" else op, value)
        if held.is_empty():
            end = "can never all hold" if node.op == "&&" else "always hold, one or the other"
            way_out = "did you mean `||`?" if node.op == "&&" else "did you mean `&&`?"
            yield problem("AS322", (node.start, operand.end), f"these comparisons of `{name}` {end}", way_out)
            return
