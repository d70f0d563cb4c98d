"""AS505 fewer tool calls allowed than required."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class CallsBelowRequiredTools(Rule):
    """`limits.tool_calls` allows fewer calls than there are required tools.

    Why: every required tool needs a call of its own, so the limit ends each run before it can be done.

    Bad:

    ```yaml
    name: audit
    execution:
      limits: {tool_calls: 1}
      require_successful_tools: [read_file, search_files]
    capability:
      toolkits: [files.read]
    ```

    Good:

    ```yaml
    name: audit
    execution:
      limits: {tool_calls: 20}
      require_successful_tools: [read_file, search_files]
    capability:
      toolkits: [files.read]
    ```

    Fix: raise the limit, or require less.
    """

    code = "AS505"
    title = "fewer tool calls allowed than required"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        limit, path = ("execution", "limits", "tool_calls"), ("execution", "require_successful_tools")
        most, required = subject.number(*limit), len(subject.items(*path))
        if most is None or required <= most:
            return
        yield self.finding(
            subject.span(*limit),
            f"{required} tools must succeed, but only {most:.15g} tool call{'s are' if most != 1 else ' is'} allowed",
            path=limit,
            help=f"allow at least {required}",
            related=(Related(subject.key(*path), "the required tools stand here"),),
        )
