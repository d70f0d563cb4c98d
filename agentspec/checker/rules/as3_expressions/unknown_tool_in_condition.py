"""AS327 condition on a tool that is not there."""

from collections.abc import Iterator

from agentspec.checker.meant import way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.expressions.nodes import Binary, Items, Literal, Name, Node, Select, bare
from agentspec.expressions.parse import parse
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic

LISTS = ("tool_names", "successful_tool_names", "rejected_tool_names", "required_tools_missing")
ONE = ("repeated_tool",)
RESULTS = ("post_turn", "terminal")  # where `tool_results` is known, whose items have a `name`
OF_SERVERS = "__"


class UnknownToolInCondition(Rule):
    """A condition compares the name of a tool with one that this spec does not have.

    Why: it never holds, or always does. A rule that was to deny `delete_path` and says `delete_pth` denies nothing.

    Bad:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {when: tool.name == "delete_pth", decision: deny}
    ```

    Good:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {when: tool.name == "delete_path", decision: deny}
    ```

    Fix: correct the name, or add the tool.
    """

    code = "AS327"
    title = "condition on a tool that is not there"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if not subject.knows_tools:
            return
        for path, node, text in subject.expressions:
            is_asking = ("'" in text or '"' in text) and ("name" in text or ONE[0] in text)
            if is_asking and subject.is_own(node.span) and subject.is_sound(*path):
                yield from self._unknown(subject, node, text, path)

    def _unknown(self, subject: Subject, node: Scalar, text: str, path: Path) -> Iterator[Diagnostic]:
        root = parse(text).root
        for part in _parts(root) if root is not None else ():
            for literal in _compared(part, path):
                name = str(literal.value)
                if not name or OF_SERVERS in name or subject.is_known_tool(name):
                    continue
                help_text = way_out(name, subject.tool_names, "this spec has")[1]
                span = span_in(node, literal.start, literal.end)
                yield self.finding(span, f"this spec has no tool `{name}`", path=path, help=help_text)


def _parts(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children():
        yield from _parts(child)


def _compared(node: Node, path: Path) -> Iterator[Literal]:
    """The names of tools that a comparison holds."""
    match node:
        case Binary("==" | "!=", left, right):
            for side, other in ((bare(left), bare(right)), (bare(right), bare(left))):
                if _is_text(side) and _is_tool_name(other, path):
                    yield from _texts(side)
        case Binary("in", left, right) if _is_tool_name(bare(left), path) and isinstance(bare(right), Items):
            for item in bare(right).children():
                yield from _texts(bare(item))
        case Binary("in", left, right):
            holder = bare(right)
            if isinstance(holder, Select) and holder.field in LISTS:
                yield from _texts(bare(left))
        case _:
            pass


def _texts(node: Node) -> Iterator[Literal]:
    if isinstance(node, Literal) and node.kind == "string":
        yield node


def _is_text(node: Node) -> bool:
    return isinstance(node, Literal) and node.kind == "string"


def _is_tool_name(node: Node, path: Path) -> bool:
    match node:
        case Select(Name("tool"), "name"):
            return True
        case Select(Name(), "name"):  # the variable of a macro over `tool_results`
            return len(path) > 1 and path[1] in RESULTS
        case Select(_, field):
            return field in ONE
        case _:
            return False
