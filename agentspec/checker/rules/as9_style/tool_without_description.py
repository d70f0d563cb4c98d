"""AS903 tool without a description."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class ToolWithoutDescription(Rule):
    """A tool doesn't say what it is for.

    Why: the description is all that the model knows of a tool beside its name and parameters.

    Bad:

    ```yaml
    name: helper
    capability:
      tools:
        shout:
          parameters: {word: string}
          expr: args.word + "!"
    ```

    Good:

    ```yaml
    name: helper
    capability:
      tools:
        shout:
          description: Says a word louder
          parameters: {word: string}
          expr: args.word + "!"
    ```

    Fix: add `description:`, one sentence on what it does and when to use it.
    """

    code = "AS903"
    title = "tool without a description"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools:
            # The description of an MCP tool comes from its server.
            if tool.body.entry("description") is None and tool.kind not in (None, "mcp"):
                yield self.finding(
                    tool.key,
                    f"tool `{tool.name}` has no description: the model has to guess what it does",
                    path=tool.path,
                    help="add `description:`, one sentence on what it does",
                )
