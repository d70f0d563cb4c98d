"""AS617 every tool deferred."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.deferred_without_search import parts_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping
from agentspec.text.diagnostic import Diagnostic


class AllToolsDeferred(Rule):
    """Every tool is deferred.

    Why: a deferred tool is shown only after it was searched for. With none to begin with the model cannot know what
    there is to look for, and providers refuse such a request.

    Bad:

    ```yaml
    name: helper
    capability:
      tools:
        shout:
          description: Says it louder
          parameters: {word: string}
          defer: true
          expr: args.word + "!"
    ```

    Good:

    ```yaml
    name: helper
    capability:
      tools:
        shout:
          description: Says it louder
          parameters: {word: string}
          expr: args.word + "!"
    ```

    Fix: leave at least one tool undeferred.
    """

    code = "AS617"
    title = "every tool deferred"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        parts = parts_of(subject)
        if subject.kind != "agent" or not subject.is_whole or not parts or _has_other(subject):
            return
        if all(isinstance(subject.at(*path), Mapping) and subject.flag(*path, "defer") is True for path in parts):
            yield self.finding(
                subject.key(*parts[0], "defer"),
                "every tool is deferred, so the model starts with none",
                path=(*parts[0], "defer"),
                help="leave at least one tool undeferred",
            )


def _has_other(subject: Subject) -> bool:
    """Whether something else is shown at first: tools that can't be deferred, or that never are."""
    if subject.items("capability", "tool_search", "always_loaded"):
        return True
    if subject.items("execution", "require_successful_tools"):  # what a run has to call is never hidden
        return True
    return any(subject.entries("capability", name) for name in ("mcp", "resources", "subagents", "skills"))
