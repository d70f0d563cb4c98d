"""lint: what CEL accepts and cannot be meant: words outside an enum, constants, contradictions, orders by chance.

Each look walks the tree with the names that are known at each part. CEL has accepted the expression before.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.expressions.constants import evaluate_constant
from agentspec.expressions.functions import by_name
from agentspec.expressions.infer import Names, called_name, infer
from agentspec.expressions.known import close_member, one_of, unknown_function
from agentspec.expressions.meaning import Meaning
from agentspec.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Index,
    Items,
    Literal,
    Logic,
    Name,
    Node,
    Select,
    Unary,
    bare,
)
from agentspec.expressions.problem import Problem, problem, renamed, with_fix
from agentspec.expressions.types import Type

PATTERN_AT = {"matches": 0, "regex.matches": 1, "regex.find": 1, "regex.extract": 1, "regex.extractAll": 1}
PATTERN_AT["regex.replace"] = 1
RE2 = "patterns are RE2: no look-ahead, no look-behind, no back-references"
ARITHMETIC = frozenset(("+", "-", "*", "/", "%"))
STRICT = ARITHMETIC | frozenset(("<", "<=", ">", ">="))


def lint(meaning: Meaning) -> Iterator[Problem]:
    """What is questionable about an expression that CEL accepts."""
    asked = _asked_for(meaning)
    for node, names in meaning.parts:
        match node:
            case Call():
                yield from _pattern(node, names)
                yield from _ordered(node, names, meaning)
                yield from _unchecked((node.target, *node.args), names, asked, meaning)
            case Binary():
                yield from _members(node, names, meaning)
                yield from _zero(node)
                if node.op in STRICT:
                    yield from _dynamic_number(node, names, meaning)
                    yield from _unchecked((node.left, node.right), names, asked, meaning)
            case Unary():
                yield from _unchecked((node.operand,), names, asked, meaning)
            case Logic():
                yield from _unchecked(tuple(node.operands), names, asked, meaning)
            case Choice():
                yield from _unchecked((node.condition,), names, asked, meaning)
            case Index():
                yield from _negative(node, names, meaning)


def lint_calls(meaning: Meaning) -> Iterator[Problem]:
    """CEL has functions that are not offered: unbounded ones, or ones that fail in this runtime."""
    for node, names in meaning.parts:
        if not isinstance(node, Call):
            continue
        full, is_method = called_name(node, names)
        if (full, is_method) not in by_name():
            span = (node.start if "." in full else node.name_start, node.anchor)
            yield unknown_function(full, span, is_method=is_method, names=names)


def _members(node: Binary, names: Names, meaning: Meaning) -> Iterator[Problem]:
    """A word that an enum does not have: CEL knows enums as strings only."""
    if node.op in ("==", "!="):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            yield from _member(bare(side), infer(other, names), other, meaning)
    elif node.op == "in" and isinstance(bare(node.right), Items):
        for item in bare(node.right).children():
            yield from _member(bare(item), infer(node.left, names), node.left, meaning)
    elif node.op == "in":
        holder = infer(node.right, names)
        if holder is not None and holder.kind == "list":
            yield from _member(bare(node.left), holder.item, node.right, meaning)


def _member(side: Node, form: Type | None, other: Node, meaning: Meaning) -> Iterator[Problem]:
    if form is None or not form.members or not isinstance(side, Literal) or side.kind != "string":
        return
    if side.value in form.members:
        return
    span = (side.start, side.end)
    found = problem("AS309", span, f"{meaning.quoted(other)} is never {meaning.source(side)}")
    near = close_member(str(side.value), form.members)
    if near:
        yield renamed(found, f'"{near[0]}"')
    else:
        yield found._replace(help=f"it is {one_of(form.members)}")


def _zero(node: Binary) -> Iterator[Problem]:
    right = bare(node.right)
    if node.op in ("/", "%") and isinstance(right, Literal) and right.value == 0 and right.kind != "boolean":
        yield problem("AS310", (node.right.start, node.right.end), "division by zero", "it fails at every evaluation")


def _negative(node: Index, names: Names, meaning: Meaning) -> Iterator[Problem]:
    index, target = bare(node.index), infer(node.target, names)
    if not isinstance(index, Unary) or target is None or target.kind != "list":
        return
    if isinstance(bare(index.operand), Literal):
        source = meaning.source(node.target)
        back = meaning.source(index.operand)
        found = problem("AS310", (index.start, index.end), "an index counts from 0 and is never negative")
        yield with_fix(
            found._replace(help=f"write `{source}[size({source}) - {back}]`"),
            "count from the end",
            (index.start, index.end, f"size({source}) - {back}"),
        )


def _pattern(node: Call, names: Names) -> Iterator[Problem]:
    full, is_method = called_name(node, names)
    at = PATTERN_AT.get(full)
    at = 1 if full == "matches" and not is_method else at
    if at is None or at >= len(node.args):
        return
    pattern = bare(node.args[at])
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return
    failure = evaluate_constant("''.matches(pattern)", {"pattern": pattern.value})
    if isinstance(failure, Exception):
        yield problem("AS311", (pattern.start, pattern.end), str(failure), RE2)


def _ordered(node: Call, names: Names, meaning: Meaning) -> Iterator[Problem]:
    """`map` and `filter` over a mapping give a list whose order is another at every evaluation."""
    if node.target is None or node.name not in ("map", "filter", "transformList") or len(node.args) < 2:
        return
    target = infer(node.target, names)
    if target is None or target.kind != "object" or _is_sorted(node, meaning):
        return
    message = f"the order of {meaning.quoted(node.target)} is not fixed, so this list differs between runs"
    found = problem("AS323", (node.name_start, node.anchor), message, "add `.sort()`")
    yield with_fix(found, "add `.sort()`", (node.end, node.end, ".sort()"), fix_class="surface")


def _is_sorted(node: Call, meaning: Meaning) -> bool:
    """Whether what is made of the list does not depend on its order."""
    for other, _ in meaning.parts:
        if isinstance(other, Call) and other.target is not None and bare(other.target) is node:
            return other.name in ("sort", "sortBy", "size", "exists", "all", "exists_one")
        if isinstance(other, Call) and other.target is None and other.name == "size" and node in other.args:
            return True
        if isinstance(other, Binary) and other.op == "in" and bare(other.right) is node:
            return True
    return False


def _asked_for(meaning: Meaning) -> set[str]:
    """The fields whose absence the expression asks for: `has(x)`, `x == null`."""
    asked = set()
    for node, _ in meaning.parts:
        match node:
            case Call(target=None, name="has", args=[field, *_]):
                asked.add(meaning.source(field))
            case Binary(op="==" | "!=") if _is_null(node.left) or _is_null(node.right):
                asked.add(meaning.source(node.right if _is_null(node.left) else node.left))
    return asked


def _is_null(node: Node) -> bool:
    node = bare(node)
    return isinstance(node, Literal) and node.kind == "null"


def _unchecked(parts: tuple[Node | None, ...], names: Names, asked: set[str], meaning: Meaning) -> Iterator[Problem]:
    """An optional value where a missing one fails."""
    for part in parts:
        node = None if part is None else bare(part)
        if not isinstance(node, Select):
            continue
        form = infer(node, names)
        source = meaning.source(node)
        if form is None or not form.optional or form.kind in ("list", "record") or source in asked:
            continue
        way_out = f"ask first: `has({source}) && …`, or `has({source}) ? {source} : …`"
        yield problem("AS324", (node.start, node.end), f"`{source}` may be missing, and then this fails", way_out)


def _dynamic_number(node: Binary, names: Names, meaning: Meaning) -> Iterator[Problem]:
    """An integer literal in arithmetic with free data, whose numbers are doubles: it fails at every evaluation."""
    if node.op not in ARITHMETIC:
        return
    for literal, other in ((bare(node.left), node.right), (bare(node.right), node.left)):
        form = infer(other, names)
        if not isinstance(literal, Literal) or literal.kind != "integer" or form is None or form.kind != "any":
            continue
        if not isinstance(bare(other), Select | Index | Name):
            continue
        message = f"numbers of {meaning.quoted(other)} are doubles and do not mix with `{literal.value}`"
        new = f"{literal.value}.0"
        found = problem("AS325", (literal.start, literal.end), message, f"write `{new}`")
        edit = (literal.start, literal.end, new)
        yield with_fix(found, f"write `{new}`", edit, fix_class="equivalent")
