"""AS615 private data, untrusted content and a way out in one run."""

from collections.abc import Iterator

from agentspec.checker.questions.exposure import open_ways, private_sources, untrusted_sources
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class ThreeWayRisk(Rule):
    """One run can read private data, see content that anyone may have written, and send something out.

    Why: text from outside can tell the model to send what it has read to whoever wrote the text. Each of the three is
    harmless without the others; together nothing but approval stands between. Private are files, tables, and what is
    reached with credentials. Anybody may have written a page of any host, also one that a program such as `curl`
    brings, and what an MCP server brings that is reached by an address or has an account. Out leads what reaches any
    host, a request that is no GET, programs with a network, and the tools of such a server unless `effects` says that
    they read.

    Bad:

    ```yaml
    name: researcher
    capability:
      toolkits:
        - files.read
        - web.fetch: {hosts: ["*"]}
    ```

    Good:

    ```yaml
    name: researcher
    capability:
      toolkits:
        - files.read
        - web.fetch: {hosts: [docs.example.org]}
    ```

    Fix: name the hosts, or ask before each such call with an approval rule, or split the work between two agents.
    """

    code = "AS615"
    title = "private data, untrusted content and a way out in one run"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        private, seen = list(private_sources(subject)), next(untrusted_sources(subject), None)
        if not private or seen is None:
            return
        for way in open_ways(subject):
            read = next((source for source in private if source.owner != way.owner), None)
            if read is None:
                continue
            yield self.finding(
                way.span,
                f"this run can read private data, see untrusted content and {way.what}, without approval",
                path=way.path,
                help=f"add an approval rule with `decision: ask` for `{way.name}`, or narrow what it reaches",
                related=(
                    Related(read.span, "private data is read here"),
                    Related(seen.span, "anybody may have written what is seen here"),
                ),
            )
