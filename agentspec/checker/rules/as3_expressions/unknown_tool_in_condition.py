"""AS327 condition on a tool that is not there."""

from collections.abc import Iterator

from agentspec.checker.questions.compared import ONE, compared_tools
from agentspec.checker.questions.meant import way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.expressions.parse import parse
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic

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
        for literal in compared_tools(root, path) if root is not None else ():
            name = str(literal.value)
            if not name or OF_SERVERS in name or subject.is_known_tool(name):
                continue
            help_text = way_out(name, subject.tool_names, "this spec has")[1]
            span = span_in(node, literal.start, literal.end)
            yield self.finding(span, f"this spec has no tool `{name}`", path=path, help=help_text)
