"""nodes: the tree of an expression, with the place of every part. It explains; what is valid is CEL's to say.

`anchor` is where CEL reports a problem of the node: the dot of a selection, the bracket of a call, an operator.
Offsets are code points of the expression's text.
"""

from __future__ import annotations

from collections.abc import Iterator


class Node:
    """A part of an expression."""

    __slots__ = ("anchor", "end", "start")

    def __init__(self, start: int, end: int, anchor: int) -> None:
        self.start = start
        self.end = end
        self.anchor = anchor

    def children(self) -> tuple[Node, ...]:
        return ()


class Literal(Node):
    """`kind` is `integer`, `unsigned`, `number`, `string`, `bytes`, `boolean` or `null`."""

    __slots__ = ("kind", "value")
    __match_args__ = ("kind", "value")

    def __init__(self, start: int, end: int, kind: str, value: object) -> None:
        super().__init__(start, end, start)
        self.kind = kind
        self.value = value


class Name(Node):
    """A name that stands first: a variable, or the first word of a function such as `text.upper`."""

    __slots__ = ("name",)
    __match_args__ = ("name",)

    def __init__(self, start: int, end: int, name: str) -> None:
        super().__init__(start, end, start)
        self.name = name


class Select(Node):
    """`target.field`; `field_start` is where the field's name begins, `optional` marks `target.?field`."""

    __slots__ = ("field", "field_start", "optional", "target")
    __match_args__ = ("target", "field")

    def __init__(self, target: Node, field: str, span: tuple[int, int, int], *, optional: bool = False) -> None:
        dot, self.field_start, end = span
        super().__init__(target.start, end, dot)
        self.target = target
        self.field = field
        self.optional = optional

    def children(self) -> tuple[Node, ...]:
        return (self.target,)


class Call(Node):
    """`name(args)` or `target.name(args)`; `name_start` is where the name begins."""

    __slots__ = ("args", "name", "name_start", "target")
    __match_args__ = ("target", "name", "args")

    def __init__(self, target: Node | None, name: str, args: list[Node], span: tuple[int, int, int]) -> None:
        self.name_start, bracket, end = span
        super().__init__(self.name_start if target is None else target.start, end, bracket)
        self.target = target
        self.name = name
        self.args = args

    def children(self) -> tuple[Node, ...]:
        return (*self.args,) if self.target is None else (self.target, *self.args)


class Index(Node):
    """`target[index]`."""

    __slots__ = ("index", "target")
    __match_args__ = ("target", "index")

    def __init__(self, target: Node, index: Node, bracket: int, end: int) -> None:
        super().__init__(target.start, end, bracket)
        self.target = target
        self.index = index

    def children(self) -> tuple[Node, ...]:
        return (self.target, self.index)


class Unary(Node):
    """`!operand` or `-operand`; a row of the same operator is one node."""

    __slots__ = ("count", "op", "operand")
    __match_args__ = ("op", "operand")

    def __init__(self, start: int, op: str, count: int, operand: Node) -> None:
        super().__init__(start, operand.end, start)
        self.op = op
        self.count = count
        self.operand = operand

    def children(self) -> tuple[Node, ...]:
        return (self.operand,)


class Binary(Node):
    """`left op right` for arithmetic, comparison and `in`."""

    __slots__ = ("left", "op", "right")
    __match_args__ = ("op", "left", "right")

    def __init__(self, op: str, left: Node, right: Node, anchor: int) -> None:
        super().__init__(left.start, right.end, anchor)
        self.op = op
        self.left = left
        self.right = right

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)


class Logic(Node):
    """A chain of `&&` or of `||`; `anchors` are the places of its operators."""

    __slots__ = ("anchors", "op", "operands")
    __match_args__ = ("op", "operands")

    def __init__(self, op: str, operands: list[Node], anchors: list[int]) -> None:
        super().__init__(operands[0].start, operands[-1].end, anchors[0])
        self.op = op
        self.operands = operands
        self.anchors = anchors

    def children(self) -> tuple[Node, ...]:
        return tuple(self.operands)


class Choice(Node):
    """`condition ? yes : no`."""

    __slots__ = ("condition", "no", "yes")
    __match_args__ = ("condition", "yes", "no")

    def __init__(self, condition: Node, yes: Node, no: Node, anchor: int) -> None:
        super().__init__(condition.start, no.end, anchor)
        self.condition = condition
        self.yes = yes
        self.no = no

    def children(self) -> tuple[Node, ...]:
        return (self.condition, self.yes, self.no)


class Items(Node):
    """`[a, b]`."""

    __slots__ = ("items",)
    __match_args__ = ("items",)

    def __init__(self, start: int, end: int, items: list[Node]) -> None:
        super().__init__(start, end, start)
        self.items = items

    def children(self) -> tuple[Node, ...]:
        return tuple(self.items)


class Pairs(Node):
    """`{key: value}`."""

    __slots__ = ("pairs",)
    __match_args__ = ("pairs",)

    def __init__(self, start: int, end: int, pairs: list[tuple[Node, Node]]) -> None:
        super().__init__(start, end, start)
        self.pairs = pairs

    def children(self) -> tuple[Node, ...]:
        return tuple(node for pair in self.pairs for node in pair)


class Group(Node):
    """`(inner)`: it has a place of its own and means what is inside."""

    __slots__ = ("inner",)
    __match_args__ = ("inner",)

    def __init__(self, start: int, end: int, inner: Node) -> None:
        super().__init__(start, end, start)
        self.inner = inner

    def children(self) -> tuple[Node, ...]:
        return (self.inner,)


def walk(root: Node) -> Iterator[Node]:
    """Every node, parents first, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children()))


def bare(node: Node) -> Node:
    """The node without its round brackets."""
    while isinstance(node, Group):
        node = node.inner
    return node


def chain(node: Node) -> list[str] | None:
    """The names of `a.b.c`, or None for anything else."""
    names: list[str] = []
    while isinstance(node, Select) and not node.optional:
        names.append(node.field)
        node = node.target
    if not isinstance(node, Name):
        return None
    return [node.name, *reversed(names)]


def root_of(node: Node) -> Node:
    """The innermost target of a chain of selections, calls and indexes."""
    while True:
        match node:
            case Select() | Index():
                node = node.target
            case Call(target=Node() as target):
                node = target
            case Group():
                node = node.inner
            case _:
                return node
