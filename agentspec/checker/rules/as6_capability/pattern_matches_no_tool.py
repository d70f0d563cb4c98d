"""AS602 pattern that matches no tool."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from agentspec.checker.questions.at_provider import at_provider
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, is_pattern
from agentspec.text.diagnostic import Diagnostic


class PatternMatchesNoTool(Rule):
    """A pattern for tool names matches none of the tools.

    Why: the rule looks like a safeguard and never acts.

    Bad:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {tool: "remove_*", decision: ask}
    ```

    Good:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {tool: "delete_*", decision: ask}
    ```

    Fix: correct the pattern, or take the rule away.
    """

    code = "AS602"
    title = "pattern that matches no tool"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if not subject.knows_tools or subject.open_servers:
            return
        names = {*subject.tool_names, *(one.tool.name for one in at_provider(subject))}
        for path, node, name in subject.tool_references():
            if is_pattern(name) and not any(fnmatchcase(one, name) for one in names):
                listed = ", ".join(f"`{one}`" for one in sorted(subject.tool_names)[:8])
                yield self.finding(
                    node.span,
                    f"`{name}` matches no tool",
                    path=path,
                    help=f"this spec has {listed}" if listed else "this spec has no tools",
                )
