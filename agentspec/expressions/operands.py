"""operands: why an operator or a function does not take what it was given, and what would do."""

from __future__ import annotations

from typing import NamedTuple

from agentspec.expressions.functions import by_name
from agentspec.expressions.infer import Names, called_name
from agentspec.expressions.meaning import Meaning
from agentspec.expressions.nodes import Binary, Call, Choice, Index, Items, Literal, Logic, Node, Unary, bare
from agentspec.expressions.problem import Problem, problem, with_fix
from agentspec.expressions.words import a, base

NUMBERS = frozenset(("double", "int", "uint"))
ORDERS = frozenset(("<", "<=", ">", ">="))


class Mismatch(NamedTuple):
    """An operator or call that CEL found no overload for: its node, the types it was given, and CEL's anchor."""

    node: Node
    types: list[str]
    at: int
    names: Names


def operands_problem(mismatch: Mismatch, meaning: Meaning) -> Problem | None:
    """The problem of a mismatch, or None if CEL does not mean this node."""
    types = mismatch.types
    match mismatch.node:
        case Binary() as node if len(types) == 2:
            return _binary(node, types, meaning)
        case Logic() as node if len(types) == 2:
            return _logic(node, types, mismatch.at, meaning)
        case Unary() as node if len(types) == 1:
            return _unary(node, types[0], meaning)
        case Choice() as node if len(types) == 3:
            return _choice(node, types, meaning)
        case Index() as node if len(types) == 2:
            return _index(node, types, meaning)
        case Call() as node:
            return _call(node, types, mismatch.names, meaning)
        case _:
            return None


def as_condition(node: Node, form: str, meaning: Meaning) -> str | None:
    """How a value that is no boolean is turned into the condition that was most likely meant."""
    source = meaning.source(node)
    source = source if _is_simple(node) else f"({source})"
    ways = {
        "string": f'{source} != ""',
        "list": f"size({source}) > 0",
        "map": f"size({source}) > 0",
        "google.protobuf.Struct": f"size({source}) > 0",
        "int": f"{source} > 0",
        "uint": f"{source} > 0u",
        "double": f"{source} > 0.0",
    }
    return ways.get(base(form))


def _is_simple(node: Node) -> bool:
    return not isinstance(node, Binary | Logic | Choice | Unary)


def _logic(node: Logic, types: list[str], at: int, meaning: Meaning) -> Problem | None:
    index = node.anchors.index(at)
    sides = ((node.operands[index], types[0]), (node.operands[index + 1], types[1]))
    side, form = next((side for side in sides if base(side[1]) not in ("bool", "dyn")), sides[0])
    before = bare(sides[0][0])
    found = problem("AS306", (side.start, side.end), f"{meaning.quoted(side)} is {a(form)}, not a boolean")
    if node.op == "||" and isinstance(bare(side), Literal) and isinstance(before, Binary) and before.op == "==":
        left, first, second = (meaning.source(part) for part in (before.left, before.right, side))
        return found._replace(help=f"write `{left} in [{first}, {second}]`")
    way_out = as_condition(side, form, meaning)
    return found._replace(help=f"write `{way_out}`") if way_out else found


def _unary(node: Unary, form: str, meaning: Meaning) -> Problem:
    what = meaning.quoted(node.operand)
    if node.op == "-":
        return problem("AS306", (node.start, node.end), f"`-` needs a number, and {what} is {a(form)}")
    found = problem("AS306", (node.start, node.end), f"`!` needs a boolean, and {what} is {a(form)}")
    source = meaning.source(node.operand)
    empty = {"string": f'{source} == ""', "list": f"size({source}) == 0", "map": f"size({source}) == 0"}
    zero = {"int": f"{source} == 0", "double": f"{source} == 0.0"}
    way_out = {**empty, **zero}.get(base(form))
    return found._replace(help=f"write `{way_out}`") if way_out else found


def _choice(node: Choice, types: list[str], meaning: Meaning) -> Problem:
    if base(types[0]) not in ("bool", "dyn"):
        condition = node.condition
        what = f"{meaning.quoted(condition)} is {a(types[0])}, not a boolean"
        way_out = as_condition(condition, types[0], meaning)
        found = problem("AS306", (condition.start, condition.end), what)
        return found._replace(help=f"write `{way_out}`") if way_out else found
    sides = (node.yes, types[1]), (node.no, types[2])
    numbers = _mixed_numbers(sides, meaning)
    if numbers is not None:
        return numbers
    what = f"the two sides of `? :` are {a(types[1])} and {a(types[2])}"
    return problem(
        "AS306", (node.no.start, node.no.end), what, "both sides need the same type, or `dyn( )` around each"
    )


def _index(node: Index, types: list[str], meaning: Meaning) -> Problem:
    index, target = node.index, meaning.quoted(node.target)
    if base(types[0]) in ("list", "map", "google.protobuf.Struct"):
        wanted = "an integer" if base(types[0]) == "list" else "a string"
        message = f"{target} is {a(types[0])}; an element is taken with {wanted}, not {a(types[1])}"
        return problem("AS306", (index.start, index.end), message)
    found = problem("AS306", (node.target.start, node.target.end), f"{target} is {a(types[0])} and has no elements")
    if base(types[0]) == "string":
        source = meaning.source(node.target)
        return found._replace(help=f"write `{source}.charAt({meaning.source(index)})`")
    if types[0].startswith("record."):
        return found._replace(help="a field is taken with a dot: `record.field`")
    return found


def _call(node: Call, types: list[str], names: Names, meaning: Meaning) -> Problem:
    full, is_method = called_name(node, names)
    ways = by_name().get((full, is_method), [])
    given = types[1:] if is_method else types
    span = (node.name_start, node.anchor) if is_method or node.target is None else (node.start, node.anchor)
    message = f"`{full}` does not take {' and '.join(a(form) for form in given) or 'nothing'}"
    if is_method:
        message = f"{a(types[0]).capitalize()} has no `{full}`" if not given else f"{message} on {a(types[0])}"
    found = problem("AS306", span, message)
    if is_method and full == "contains" and base(types[0]) == "list" and len(node.args) == 1 and node.target:
        item, holder = meaning.source(node.args[0]), meaning.source(node.target)
        found = found._replace(help=f"write `{item} in {holder}`")
        return with_fix(found, "write `in`", (node.start, node.end, f"{item} in {holder}"))
    return found._replace(help=f"it is `{ways[0].signature}`") if ways else found


def _binary(node: Binary, types: list[str], meaning: Meaning) -> Problem:
    left, right = (base(form) for form in types)
    span = (node.anchor, node.anchor + len(node.op))
    sides = (node.left, types[0]), (node.right, types[1])
    chained = _chained(node, left, meaning)
    if chained is not None:
        return chained
    numbers = _mixed_numbers(sides, meaning)
    if numbers is not None and node.op != "in":
        return numbers
    if node.op == "in":
        return _membership(node, types, meaning)
    if node.op in ("==", "!=") and "null_type" in (left, right):
        what, form = sides[0] if right == "null_type" else sides[1]
        message = f"{meaning.quoted(what)} is {a(form)} and never null"
        return problem("AS306", span, message, "only an optional value (`string?`) can be null")
    if node.op == "+" and "list" in (left, right):
        single, form = sides[0] if right == "list" else sides[1]
        source = meaning.source(single)
        message = f"`+` joins lists, and {meaning.quoted(single)} is {a(form)}"
        found = problem("AS306", (single.start, single.end), message, f"write `[{source}]`")
        return with_fix(found, "write `[ ]`", (single.start, single.end, f"[{source}]"))
    if node.op == "+" and "string" in (left, right):
        return _joined(sides, span, meaning)
    if node.op in ("==", "!="):
        return _never_equal(node, sides, meaning)
    return problem("AS306", span, f"`{node.op}` does not take {a(types[0])} and {a(types[1])}")


def _chained(node: Binary, left: str, meaning: Meaning) -> Problem | None:
    """`1 < x < 3`, which compares a boolean with a number."""
    inner = node.left
    if left != "bool" or node.op not in ORDERS or not isinstance(inner, Binary) or inner.op not in ORDERS:
        return None
    middle = meaning.source(inner.right)
    way_out = f"{meaning.source(inner)} && {middle} {node.op} {meaning.source(node.right)}"
    found = problem("AS314", (node.start, node.end), "comparisons do not chain", f"write `{way_out}`")
    return with_fix(found, "write `&&`", (node.start, node.end, way_out))


def _mixed_numbers(sides: tuple[tuple[Node, str], tuple[Node, str]], meaning: Meaning) -> Problem | None:
    """An integer beside a number: the literal is rewritten, or the integer is converted."""
    kinds = [base(form) for _, form in sides]
    if set(kinds) != {"double", "int"}:
        return None
    whole, number = (sides[0][0], sides[1][0]) if kinds[0] == "int" else (sides[1][0], sides[0][0])
    message = f"{meaning.quoted(whole)} is an integer and {meaning.quoted(number)} is a number; the two do not mix"
    literal = _literal_of(whole)
    if literal is not None and not isinstance(literal.value, bool):
        new = f"{literal.value}.0"
        found = problem("AS306", (literal.start, literal.end), message, f"write `{new}`")
        return with_fix(found, f"write `{new}`", (literal.start, literal.end, new), fix_class="equivalent")
    other = _literal_of(number)
    if other is not None and isinstance(other.value, float) and other.value.is_integer() and abs(other.value) < 2**53:
        new = str(int(other.value))
        found = problem("AS306", (other.start, other.end), message, f"write `{new}`")
        return with_fix(found, f"write `{new}`", (other.start, other.end, new), fix_class="equivalent")
    new = f"double({meaning.source(whole)})"
    found = problem("AS306", (whole.start, whole.end), message, f"write `{new}`")
    return with_fix(found, f"write `{new}`", (whole.start, whole.end, new), fix_class="equivalent")


def _literal_of(node: Node) -> Literal | None:
    node = bare(node)
    if isinstance(node, Unary) and node.op == "-":
        node = bare(node.operand)
    return node if isinstance(node, Literal) and node.kind in ("integer", "number") else None


def _membership(node: Binary, types: list[str], meaning: Meaning) -> Problem:
    item, holder = (meaning.source(part) for part in (node.left, node.right))
    span = (node.anchor, node.anchor + 2)
    if base(types[1]) == "string":
        found = problem(
            "AS306", span, f"`in` looks into lists and mappings, and {meaning.quoted(node.right)} is a string"
        )
        new = f"{holder}.contains({item})"
        return with_fix(found._replace(help=f"write `{new}`"), "write `contains`", (node.start, node.end, new))
    if base(types[1]) == "list":
        numbers = _in_list(node, types, meaning) or _in_integers(node, types, meaning)
        return numbers or problem(
            "AS306", span, f"{meaning.quoted(node.left)} is {a(types[0])}, never in {a(types[1])}"
        )
    return problem("AS306", span, f"`in` looks into lists and mappings, not into {a(types[1])}")


def _in_list(node: Binary, types: list[str], meaning: Meaning) -> Problem | None:
    if base(types[0]) != "int" or "double" not in types[1]:
        return None
    message = f"{meaning.quoted(node.left)} is an integer and the list holds numbers; the two do not mix"
    new = f"double({meaning.source(node.left)})"
    found = problem("AS306", (node.left.start, node.left.end), message, f"write `{new}`")
    return with_fix(found, f"write `{new}`", (node.left.start, node.left.end, new), fix_class="equivalent")


def _in_integers(node: Binary, types: list[str], meaning: Meaning) -> Problem | None:
    """A number looked for in a list of integer literals."""
    items = bare(node.right)
    if base(types[0]) != "double" or not isinstance(items, Items):
        return None
    literals = [item for item in map(_literal_of, items.items) if item is not None and item.kind == "integer"]
    message = f"{meaning.quoted(node.left)} is a number and the list holds integers; the two do not mix"
    edits = [(literal.start, literal.end, f"{literal.value}.0") for literal in literals]
    found = problem("AS306", (node.right.start, node.right.end), message, "write its items with `.0`")
    return with_fix(found, "write `.0`", *edits, fix_class="equivalent")


def _joined(sides: tuple[tuple[Node, str], tuple[Node, str]], span: tuple[int, int], meaning: Meaning) -> Problem:
    other, form = sides[0] if base(sides[1][1]) == "string" else sides[1]
    message = f"`+` joins strings, and {meaning.quoted(other)} is {a(form)}"
    if base(form) not in (*NUMBERS, "bool", "timestamp", "google.protobuf.Timestamp"):
        return problem("AS306", span, message)
    new = f"string({meaning.source(other)})"
    found = problem("AS306", (other.start, other.end), message, f"write `{new}`")
    return with_fix(found, f"write `{new}`", (other.start, other.end, new))


def _never_equal(node: Binary, sides: tuple[tuple[Node, str], tuple[Node, str]], meaning: Meaning) -> Problem:
    span = (node.anchor, node.anchor + len(node.op))
    message = f"{meaning.quoted(node.left)} is {a(sides[0][1])}, never equal to {a(sides[1][1])}"
    found = problem("AS306", span, message)
    for (literal, form), (_, other) in (sides, sides[::-1]):
        if isinstance(bare(literal), Literal) and base(other) == "string" and base(form) in NUMBERS:
            return found._replace(help=f'write `"{meaning.source(literal)}"` for the text')
        if base(form) == "string" and base(other) == "bool" and isinstance(bare(literal), Literal):
            return found._replace(help="a boolean is written `true` or `false`, without quotes")
    return found
