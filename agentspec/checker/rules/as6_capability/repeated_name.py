"""AS623 name that stands twice in a list."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


class RepeatedName(Rule):
    """A list of tools, or of fallbacks, names one of them twice.

    Why: such a list is a set, so the second name adds nothing; mostly another one was meant.

    Bad:

    ```yaml
    name: audit
    execution:
      require_successful_tools: [read_file, read_file]
    capability:
      toolkits: [files.read]
    ```

    Good:

    ```yaml
    name: audit
    execution:
      require_successful_tools: [read_file, search_files]
    capability:
      toolkits: [files.read]
    ```

    Fix: take one away, or correct it.
    """

    code = "AS623"
    title = "name that stands twice in a list"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        seen: dict[tuple[Path, str], Span] = {}
        for path, node, name in (*subject.references("tool"), *subject.references("route")):
            if not path or not isinstance(path[-1], int):
                continue
            first = seen.setdefault((path[:-1], name), node.span)
            if first is not node.span:
                yield self.finding(
                    node.span,
                    f"`{name}` stands twice in this list",
                    path=path,
                    help="take one away, or correct it",
                    related=(Related(first, "the first one"),),
                )
