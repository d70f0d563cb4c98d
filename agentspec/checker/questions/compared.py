"""compared: the names of tools that a condition compares something with."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.expressions.nodes import Binary, Call, Items, Literal, Name, Node, Select, bare, walk
from agentspec.syntax.tree import Path

LISTS = ("tool_names", "successful_tool_names", "rejected_tool_names", "required_tools_missing")
OF_RESULT = ("calls", "successful", "rejected")  # of `result.tools`
ONE = ("repeated_tool",)
RESULTS = ("post_turn", "terminal")  # where `tool_results` is known, whose items have a `name`


def compared_tools(root: Node, path: Path) -> Iterator[Literal]:
    """The texts of an expression that can only be names of tools; `path` is where it stands."""
    for node in walk(root):
        yield from _compared(node, path)


def _compared(node: Node, path: Path) -> Iterator[Literal]:
    match node:
        case Call(Node() as holder, _, [Name(variable), *bodies]) if _are_tool_names(bare(holder)):
            for inner in (part for body in bodies for part in walk(body)):
                yield from _beside(inner, variable)
        case Binary("==" | "!=", left, right):
            for side, other in ((bare(left), bare(right)), (bare(right), bare(left))):
                if _is_text(side) and _is_tool_name(other, path):
                    yield from _texts(side)
        case Binary("in", left, right) if _is_tool_name(bare(left), path) and isinstance(bare(right), Items):
            for item in bare(right).children():
                yield from _texts(bare(item))
        case Binary("in", left, right):
            if _are_tool_names(bare(right)):
                yield from _texts(bare(left))
        case _:
            pass


def _beside(node: Node, variable: str) -> Iterator[Literal]:
    """The texts that the variable of a macro is compared with."""
    match node:
        case Binary("==" | "!=", left, right):
            for side, other in ((bare(left), bare(right)), (bare(right), bare(left))):
                if isinstance(other, Name) and other.name == variable:
                    yield from _texts(side)
        case _:
            pass


def _texts(node: Node) -> Iterator[Literal]:
    if isinstance(node, Literal) and node.kind == "string":
        yield node


def _is_text(node: Node) -> bool:
    return isinstance(node, Literal) and node.kind == "string"


def _are_tool_names(node: Node) -> bool:
    match node:
        case Select(Select(Name("result"), "tools"), field):
            return field in OF_RESULT
        case Select(_, field):
            return field in LISTS
        case _:
            return False


def _is_tool_name(node: Node, path: Path) -> bool:
    match node:
        case Select(Name("tool"), "name") | Select(Name("message"), "tool"):
            return True
        case Select(Name(), "name"):  # the variable of a macro over `tool_results`
            return len(path) > 1 and path[1] in RESULTS
        case Select(_, field):
            return field in ONE
        case _:
            return False
