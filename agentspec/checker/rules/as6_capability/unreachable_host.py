"""AS618 host that is never fetched from."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

LOCAL = (
    r"(?i)(localhost|[^:/]*\.localhost|127\.[\d.]+|0\.0\.0\.0|10\.\d[\d.]*|192\.168\.[\d.]+|172\.(1[6-9]|2\d|3[01])\.[\d.]+"
    r"|169\.254\.[\d.]+|\[?::1\]?|\[?f[cd][0-9a-f]{2}:[0-9a-f:]*\]?|\[?fe80:[0-9a-f:]*\]?)(:\d+)?"
)


class UnreachableHost(Rule):
    """A host of `web.fetch` is one of a private network, where it never goes.

    Why: a page could otherwise lead the run to the machine itself, to its neighbours, or to the address where clouds
    keep their credentials. With `private: true` such hosts are reached.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits:
        - web.fetch: {hosts: [localhost]}
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits:
        - web.fetch: {hosts: [localhost], private: true}
    ```

    Fix: name a public host, or write `private: true`.
    """

    code = "AS618"
    title = "host that is never fetched from"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for toolkit in subject.toolkits:
            if toolkit.name != "web.fetch" or subject.flag(*toolkit.path, "private") is True:
                continue
            for at, _ in subject.items(*toolkit.path, "hosts"):
                host = subject.text(*at) or ""
                if re.fullmatch(LOCAL, host):
                    yield self.finding(
                        subject.span(*at),
                        f"`{host}` is an address of a private network, which is never fetched from",
                        path=at,
                        help="write `private: true`, or name a public host",
                    )
