"""AS628 pinned server that nobody has accepted."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class UnacceptedServer(Rule):
    """A server is pinned, and `mcp.lock` has nothing of it.

    Why: of a pinned server only what a person has accepted is offered; before that a run does not begin. The lock
    stands in the folder `.agentspec` of the project, and belongs into its repository.

    Bad:

    ```yaml
    name: tickets
    capability:
      mcp:
        tickets: {command: [tickets-server], pin: true}
    ```

    Good:

    ```yaml
    name: tickets
    capability:
      mcp:
        tickets: {command: [tickets-server]}
    ```

    Fix: look at what it offers with `agentspec mcp list SPEC`, then `agentspec mcp accept SPEC`.
    """

    code = "AS628"
    title = "pinned server that nobody has accepted"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for server in subject.open_servers:
            path = ("capability", "mcp", server, "pin")
            if subject.flag(*path) is True:
                yield self.finding(
                    subject.span(*path),
                    f"nobody has accepted the tools of `{server}` here yet: a run would not begin",
                    path=path,
                    help="look at them with `agentspec mcp list SPEC`, then `agentspec mcp accept SPEC`",
                )
