"""certain: what CEL finds for a plain expression, known without asking it: names, literals, operators, a few calls.

Loading CEL takes longer than the rest of a small check, and most expressions are like `args.left + args.right`. What
is not certain here is no mistake yet: CEL decides. A property test holds every answer to that of CEL.
"""

from __future__ import annotations

from agentspec.expressions.infer import Names, infer
from agentspec.expressions.nodes import Binary, Call, Choice, Group, Literal, Logic, Name, Node, Select, Unary, walk
from agentspec.expressions.parse import ParsedExpression
from agentspec.expressions.types import Type

# The scalar types as CEL names them.
IN_CEL = {"integer": "int", "number": "double", "string": "string", "boolean": "bool"}
NUMBERS = frozenset(("integer", "number"))
COMPARED = frozenset((*NUMBERS, "string"))
EQUATED = frozenset(IN_CEL)
# Which types an operator takes where both sides have the same; `in` looks at the items of a list.
TAKES = {
    "+": COMPARED,
    **dict.fromkeys(("-", "*", "/"), NUMBERS),
    "%": frozenset(("integer",)),
    **dict.fromkeys(("<", "<=", ">", ">="), COMPARED),
    **dict.fromkeys(("==", "!=", "in"), EQUATED),
}
ARITHMETIC = frozenset("+-*/%")
# What functions of one argument, and methods of a string with one, take and give; `has` asks for a field.
FUNCTIONS: dict[str, tuple[frozenset[str], str]] = {
    "size": (frozenset(("string", "list")), "integer"),
    "string": (EQUATED, "string"),
    "int": (COMPARED, "integer"),
    "double": (COMPARED, "number"),
}
OF_STRINGS = frozenset(("contains", "startsWith", "endsWith"))
MOST_PARTS = 24  # far from the depth that CEL refuses
LARGEST = 2**63 - 1
SPECIAL = ("\\", "`")  # escapes and quoted fields have rules of their own


def certain_type(parsed: ParsedExpression, text: str, names: Names) -> str | None:
    """The type that CEL finds for an expression, as CEL names it; None where only CEL knows.

    >>> from agentspec.expressions.parse import parse
    >>> certain_type(parse("size > 2"), "size > 2", {"size": Type("integer")})
    'bool'
    """
    if parsed.root is None or parsed.problems or any(sign in text for sign in SPECIAL):
        return None
    if sum(1 for _ in walk(parsed.root)) > MOST_PARTS:
        return None
    return IN_CEL.get(_kind(parsed.root, names) or "")


def _kind(node: Node, names: Names) -> str | None:
    """The kind of a part's type; None where it is not certain that there is one."""
    match node:
        case Group():
            return _kind(node.inner, names)
        case Literal():
            return node.kind if node.kind in EQUATED and _is_in_range(node) else None
        case Name() | Select():
            found = _read(node, names)
            return found.kind if found is not None and found.kind in EQUATED else None
        case Unary():
            kind = _kind(node.operand, names)
            return kind if kind in (NUMBERS if node.op == "-" else ("boolean",)) else None
        case Logic():
            return "boolean" if all(_kind(each, names) == "boolean" for each in node.operands) else None
        case Binary():
            return _operated(node, names)
        case Call():
            return _called(node, names)
        case Choice():
            condition, yes, no = (_kind(each, names) for each in node.children())
            return yes if condition == "boolean" and yes == no else None
    return None


def _is_in_range(node: Literal) -> bool:
    return node.kind != "integer" or (isinstance(node.value, int) and node.value <= LARGEST)


def _read(node: Node, names: Names) -> Type | None:
    """The type of a name or of a field of a record that is always there."""
    if isinstance(node, Select):
        target = _read(node.target, names)
        found = target.field(node.field) if target is not None and target.kind == "record" else None
        found = None if node.optional else found
    else:
        found = infer(node, names) if isinstance(node, Name) else None
    return None if found is None or found.optional else found


def _operated(node: Binary, names: Names) -> str | None:
    left = _kind(node.left, names)
    right = _item(node.right, names) if node.op == "in" else _kind(node.right, names)
    if left is None or left != right or left not in TAKES[node.op]:
        return None
    return left if node.op in ARITHMETIC else "boolean"


def _called(node: Call, names: Names) -> str | None:
    argument = node.args[0] if len(node.args) == 1 else None
    match node:
        case Call(target=None, name="has") if isinstance(argument, Select) and not argument.optional:
            holder = _read(argument.target, names)
            has_field = holder is not None and holder.kind == "record" and holder.field(argument.field) is not None
            return "boolean" if has_field else None
        case Call(target=None, name=name) if argument is not None and name in FUNCTIONS:
            takes, gives = FUNCTIONS[name]
            found = _read(argument, names)
            kind = "list" if found is not None and found.kind == "list" else _kind(argument, names)
            return gives if kind in takes else None
        case Call(target=Node() as text, name=name) if argument is not None and name in OF_STRINGS:
            return "boolean" if _kind(text, names) == _kind(argument, names) == "string" else None
    return None


def _item(node: Node, names: Names) -> str | None:
    """The kind of the items of a list that has a name."""
    found = _read(node, names)
    item = found.item if found is not None and found.kind == "list" else None
    return None if item is None or item.optional else item.kind
