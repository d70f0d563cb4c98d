"""infer: which type a part of an expression has, as far as the declarations say; None is unknown.

Only for explaining: CEL decides on types. A guess here may be missing but is never wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from agentspec.expressions.functions import MACROS, by_name
from agentspec.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Group,
    Index,
    Items,
    Literal,
    Logic,
    Name,
    Node,
    Pairs,
    Select,
    Unary,
)
from agentspec.expressions.types import ANY, OBJECT, Type, read_type

Names: TypeAlias = Mapping[str, Type | None]

LITERALS = {"integer": "integer", "number": "number", "string": "string", "boolean": "boolean"}
COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "in"))


def infer(node: Node, names: Names) -> Type | None:
    """The type of a node where `names` are known."""
    match node:
        case Group():
            return infer(node.inner, names)
        case Literal():
            return read_type(node.kind) if node.kind in LITERALS else None
        case Name():
            return names.get(node.name)
        case Select():
            return _selected(node, names)
        case Index():
            return _element(infer(node.target, names))
        case Call():
            return _called(node, names)
        case Unary(op="-"):
            return infer(node.operand, names)
        case Logic() | Unary():
            return read_type("boolean")
        case Binary():
            return read_type("boolean") if node.op in COMPARISONS else _computed(node, names)
        case Choice():
            yes, no = infer(node.yes, names), infer(node.no, names)
            return yes if yes == no else None
        case _:
            return _built(node, names)


def _built(node: Node, names: Names) -> Type | None:
    match node:
        case Items():
            kinds = {infer(item, names) for item in node.items}
            item = kinds.pop() if len(kinds) == 1 else None
            return None if item is None else Type("list", item=item)
        case Pairs():
            return OBJECT
        case _:
            return None


def _selected(node: Select, names: Names) -> Type | None:
    target = infer(node.target, names)
    if node.optional or target is None:
        return None
    if target.kind == "record":
        return target.field(node.field)
    return _element(target) if target.kind in ("object", "any") else None


def _element(target: Type | None) -> Type | None:
    if target is None:
        return None
    if target.kind in ("list", "object"):
        return target.item or ANY
    return ANY if target.kind == "any" else None


def _computed(node: Binary, names: Names) -> Type | None:
    left, right = infer(node.left, names), infer(node.right, names)
    if left is None or right is None:
        return None
    return left._replace(optional=False, members=()) if left.kind == right.kind else None


def _called(node: Call, names: Names) -> Type | None:
    name, is_method = called_name(node, names)
    if name == "json.decode":
        return ANY
    returns = {function.returns for function in by_name().get((name, is_method), ())}
    if len(returns) != 1:
        return None
    word = returns.pop()
    return read_type(word) if word in LITERALS or word.endswith("[]") else None


def called_name(node: Call, names: Names) -> tuple[str, bool]:
    """The full name of what a call calls, and whether it is a method: `text.upper(x)` is not, `x.size()` is."""
    if isinstance(node.target, Name) and node.target.name not in names:
        return f"{node.target.name}.{node.name}", False
    full = f"{node.target.name}.{node.name}" if isinstance(node.target, Name) else ""
    if (full, False) in by_name():  # CEL looks for the function first, even where a value has the same name
        return full, False
    return node.name, node.target is not None


def scoped(root: Node, names: Names) -> Iterator[tuple[Node, Names]]:
    """Every node with the names that are known at its place: macros such as `exists` bring in their own."""
    stack: list[tuple[Node, Names]] = [(root, names)]
    while stack:
        node, known = stack.pop()
        yield node, known
        inner = _bound(node, known)
        if inner is None:
            stack.extend((child, known) for child in reversed(node.children()))
        else:
            stack.extend(reversed(inner))


def _bound(node: Node, names: Names) -> list[tuple[Node, Names]] | None:
    """The parts of a macro call with the names of each, or None for anything else."""
    if not isinstance(node, Call) or node.target is None or node.name not in MACROS:
        return None
    count = MACROS[node.name]
    if node.name in ("all", "exists", "exists_one") and len(node.args) == 3:
        count = 2
    variables = node.args[:count]
    if len(node.args) <= count or not all(isinstance(variable, Name) for variable in variables):
        return None
    if node.name == "bind":
        return _bind(node, names)
    item = _item(infer(node.target, names))
    index = Type("integer") if item is not None and item is not ANY else None
    held = [item] if count == 1 else [index, item]
    known = {**names, **dict(zip((variable_name(node) for node in variables), held, strict=True))}
    return [(node.target, names), *((part, known) for part in node.args[count:])]


def _bind(node: Call, names: Names) -> list[tuple[Node, Names]] | None:
    if not isinstance(node.target, Name) or node.target.name != "cel":
        return None
    value = node.args[1]
    known = {**names, variable_name(node.args[0]): infer(value, names)}
    return [(value, names), *((part, known) for part in node.args[2:])]


def variable_name(node: Node) -> str:
    return node.name if isinstance(node, Name) else ""


def _item(target: Type | None) -> Type | None:
    """What a macro walks over: the items of a list, the keys of a mapping."""
    if target is None:
        return None
    if target.kind == "list":
        return target.item
    return read_type("string") if target.kind == "object" else None
