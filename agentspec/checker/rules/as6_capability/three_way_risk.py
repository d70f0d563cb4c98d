"""AS615 private data, untrusted content and a way out in one run."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, Toolkit, text_of, texts_of
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

PRIVATE = ("files.read", "files.edit", "git")


class ThreeWayRisk(Rule):
    """One run can read private data, see content that anyone may have written, and send to any address.

    Why: text from outside can tell the model to send what it has read to whoever wrote the text. Each of the three is
    harmless without the others; together nothing but approval stands between.

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

    Fix: name the hosts, or ask before each fetch with an approval rule, or split the work between two agents.
    """

    code = "AS615"
    title = "private data, untrusted content and a way out in one run"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        private = _private(subject)
        if private is None or _is_asked(subject):
            return
        for toolkit in subject.toolkits:
            span = _open_hosts(toolkit)
            if span is not None:
                yield self.finding(
                    span,
                    "this run can read private data, see untrusted pages and send to any host, without approval",
                    path=(*toolkit.path, "hosts"),
                    help="name the hosts, or add an approval rule with `decision: ask` for `fetch`",
                    related=(Related(private, "private data is read here"),),
                )


def _private(subject: Subject) -> Span | None:
    toolkits = [toolkit.span for toolkit in subject.toolkits if toolkit.name in PRIVATE]
    tables = [entry.key.span for entry in subject.entries("capability", "resources")]
    return next(iter((*toolkits, *tables)), None)


def _open_hosts(toolkit: Toolkit) -> Span | None:
    if toolkit.name != "web.fetch" or toolkit.options is None:
        return None
    hosts = texts_of(toolkit.options.get("hosts"))
    return next((scalar.span for scalar in hosts if scalar.value == "*"), None)


def _is_asked(subject: Subject) -> bool:
    approval = ("capability", "approval")
    decisions = [subject.text(*path, "decision") for path, _ in subject.items(*approval, "rules")]
    return text_of(subject.at(*approval, "default")) in ("ask", "deny") or any(
        one in ("ask", "deny") for one in decisions
    )
