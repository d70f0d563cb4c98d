"""AS610 unknown MCP server."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from agentspec.checker.questions.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, is_pattern
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Span


class UnknownServer(Rule):
    """A name is no MCP server of this spec, or no tool of one that is pinned.

    Why: a tool that stands for another one can only be called where its server is configured, and a rule about a server
    that isn't there never acts. Of a pinned server only what was accepted is offered.

    Bad:

    ```yaml
    name: tickets
    capability:
      tools:
        newest: {description: The newest ticket, mcp: tracker/get_newest}
      mcp:
        tickets: {command: [tickets-server]}
    ```

    Good:

    ```yaml
    name: tickets
    capability:
      tools:
        newest: {description: The newest ticket, mcp: tickets/get_newest}
      mcp:
        tickets: {command: [tickets-server]}
    ```

    Fix: correct the name, or add the server to `capability.mcp`.
    """

    code = "AS610"
    title = "unknown MCP server"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if not subject.knows_tools:
            return
        for path, node, name in subject.references("mcp_server"):
            is_known = any(
                fnmatchcase(server, name) if is_pattern(name) else server == name for server in subject.servers
            )
            if not is_known and subject.is_own(node.span):
                yield self._unknown(subject, path, node.span, name)
        for path, node, name in subject.references("mcp_tool"):
            server, _, tool = name.partition("/")
            if server not in subject.servers:
                yield self._unknown(subject, path, node.span, server, name)
            elif tool not in subject.accepted.get(server, (tool,)):
                meant, words = way_out(tool, subject.accepted[server], f"accepted of `{server}` are")
                yield self.finding(
                    node.span,
                    f"nobody has accepted a tool `{tool}` of the MCP server `{server}`",
                    path=path,
                    help=words or f"look at it with `agentspec mcp list SPEC {server}`",
                    fix=rename(node.span, name, f"{server}/{meant}" if meant else None),
                )

    def _unknown(self, subject: Subject, path: Path, span: Span, server: str, whole: str = "") -> Diagnostic:
        meant, words = way_out(server, subject.servers, "this spec has")
        new = None if meant is None else f"{meant}{whole[len(server) :]}"
        return self.finding(
            span,
            f"unknown MCP server `{server}`",
            path=path,
            help=words or "this spec has no MCP servers: add it to `capability.mcp`",
            fix=rename(span, whole or server, new),
        )
