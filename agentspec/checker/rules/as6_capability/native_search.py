"""AS646 search that no provider has."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

PATH = ("capability", "tool_search", "mode")


class NativeSearch(Rule):
    """The provider is to search for tools, and none of those that answer here does.

    Why: the run would not start. With `auto` and `client` the runtime searches, and what it finds is the same.

    Bad:

    ```yaml
    name: helper
    capability:
      tool_search: {strategy: bm25, mode: native}
      toolkits: [files.read, {math: {defer: true}}]
    ```

    Good:

    ```yaml
    name: helper
    capability:
      tool_search: {strategy: bm25, mode: auto}
      toolkits: [files.read, {math: {defer: true}}]
    ```

    Fix: write `auto`, or leave `mode` out.
    """

    code = "AS646"
    title = "search that no provider has"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind == "agent" and subject.text(*PATH) == "native":
            yield self.finding(
                subject.span(*PATH),
                "no provider here searches for tools itself",
                path=PATH,
                help="write `auto`, or leave `mode` out",
            )
