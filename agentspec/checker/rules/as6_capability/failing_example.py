"""AS622 example that its tool does not give."""

from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of
from agentspec.checker.questions.offered import Tool
from agentspec.checker.rule import Rule
from agentspec.checker.scopes import tool_scope
from agentspec.checker.subject import Subject
from agentspec.errors import ExpressionError
from agentspec.expressions.compile import Program, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.syntax.tree import Mapping, Path, plain
from agentspec.text.diagnostic import Diagnostic


class FailingExample(Rule):
    """An example of an `expr` tool shows a result that the tool doesn't give.

    Why: examples are shown to the model as what happens. Those of `expr` tools are run by the check.

    Bad:

    ```yaml
    name: clerk
    capability:
      tools:
        double:
          description: Twice a number
          parameters: {n: number}
          returns: number
          expr: args.n * 2.0
          examples:
            - {args: {n: 2}, result: 5}
    ```

    Good:

    ```yaml
    name: clerk
    capability:
      tools:
        double:
          description: Twice a number
          parameters: {n: number}
          returns: number
          expr: args.n * 2.0
          examples:
            - {args: {n: 2}, result: 4}
    ```

    Fix: correct the example, or the expression.
    """

    code = "AS622"
    title = "example that its tool does not give"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools_with("examples"):
            examples = subject.items(*tool.path, "examples")
            if tool.kind != "expr" or not examples or not subject.is_sound(*tool.path):
                continue
            text = condition_of(tool.body.get("expr")) or ""
            try:
                program = compile_expression(text, PLACES["tools.expr"], tool_scope(tool.body))
            except ExpressionError:
                continue  # it has a finding of its own
            for path, _ in examples:
                yield from self._run(subject, tool, program, path)

    def _run(self, subject: Subject, tool: Tool, program: Program, path: Path) -> Iterator[Diagnostic]:
        args, result = subject.at(*path, "args"), subject.at(*path, "result")
        given = plain(args) if isinstance(args, Mapping) else {}
        assert isinstance(given, dict)
        if not given.keys() <= {entry.name for _, entry in tool.parameters}:
            return  # the call is refused, which is told
        try:
            value = program.evaluate({"args": {**_defaults(tool), **given}, "run": {}})
        except ExpressionError as error:
            yield self.finding(subject.key(*path, "args"), f"this call fails: {error}", path=path)
            return
        wanted = None if result is None else plain(result)
        if not _same(value, wanted):
            yield self.finding(
                subject.span(*path, "result"),
                f"this call gives `{value}`, not `{wanted}`",
                path=(*path, "result"),
                help="correct the example, or the expression",
            )


def _defaults(tool: Tool) -> dict[str, object]:
    forms = {entry.name: entry.value for _, entry in tool.parameters}
    defaults = {name: form.get("default") for name, form in forms.items() if isinstance(form, Mapping)}
    return {name: plain(node) for name, node in defaults.items() if node is not None}


def _same(left: object, right: object) -> bool:
    """As JSON has it: `2` and `2.0` are one number, `true` is none."""
    match left, right:
        case (bool(), _) | (_, bool()):
            return left is right
        case dict(), dict():
            return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
        case list(), list():
            return len(left) == len(right) and all(_same(a, b) for a, b in zip(left, right, strict=True))
        case _:
            return left == right
