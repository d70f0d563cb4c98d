"""AS619 credentials over an open connection."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Path, Scalar, walk
from agentspec.text.diagnostic import Diagnostic

LOCAL = r"http://(localhost|127\.|\[::1\]|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|[^/:]*\.(local|internal|lan)\b)"


class CredentialsInTheClear(Rule):
    """A secret is sent to a public host over plain `http://`.

    Why: everyone on the way can read it.

    Bad:

    ```yaml
    name: tickets
    capability:
      tools:
        list_tickets:
          description: Lists open tickets
          http:
            method: GET
            url: "http://tickets.example.org/open"
            headers: {Authorization: "Bearer ${env.TICKETS_TOKEN}"}
    ```

    Good:

    ```yaml
    name: tickets
    capability:
      tools:
        list_tickets:
          description: Lists open tickets
          http:
            method: GET
            url: "https://tickets.example.org/open"
            headers: {Authorization: "Bearer ${env.TICKETS_TOKEN}"}
    ```

    Fix: write `https://`.
    """

    code = "AS619"
    title = "credentials over an open connection"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, address in _connections(subject):
            url = subject.text(*path, address)
            headers = subject.at(*path, "headers")
            if url is None or not url.startswith("http://") or re.match(LOCAL, url) or not isinstance(headers, Mapping):
                continue
            if any("${env." in (text_of(node) or "") for _, node in walk(headers) if isinstance(node, Scalar)):
                yield self.finding(
                    subject.span(*path, address),
                    "the secret in `headers` is sent over plain `http://`, for everyone on the way to read",
                    path=(*path, address),
                    help="write `https://`",
                )


def _connections(subject: Subject) -> Iterator[tuple[Path, str]]:
    yield ("model",), "base_url"
    for tool in subject.tools_with("http"):
        yield (*tool.path, "http"), "url"
    for server in subject.servers:
        yield ("capability", "mcp", server), "url"
