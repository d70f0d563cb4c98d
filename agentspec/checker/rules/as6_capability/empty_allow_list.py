"""AS613 empty allow list."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path, Sequence
from agentspec.text.diagnostic import Diagnostic


class EmptyAllowList(Rule):
    """An allow list is empty.

    Why: an empty list never means everything. It means nothing: every call is refused, or no tool is offered.

    Bad:

    ```yaml
    name: fetcher
    capability:
      toolkits:
        - web.fetch: {hosts: []}
    ```

    Good:

    ```yaml
    name: fetcher
    capability:
      toolkits:
        - web.fetch: {hosts: [docs.example.org]}
    ```

    Fix: name what is allowed, or take the toolkit away.
    """

    code = "AS613"
    title = "empty allow list"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path in _lists(subject):
            node = subject.at(*path)
            if isinstance(node, Sequence) and not node.items:
                yield self.finding(
                    subject.key(*path),
                    f"an empty `{path[-1]}` allows nothing",
                    path=path,
                    help="name what is allowed, or take it away",
                )


def _lists(subject: Subject) -> Iterator[Path]:
    for toolkit in subject.toolkits:
        for key in ("allow", "hosts", "enabled"):
            yield (*toolkit.path, key)
    for server in subject.servers:
        yield ("capability", "mcp", server, "allow")
