"""AS806 address of an endpoint where a base is due."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Edit, Fix

ENDPOINTS = ("/chat/completions", "/completions", "/responses", "/messages")


class BaseUrlIsEndpoint(Rule):
    """`base_url` names the endpoint of a single operation.

    Why: the provider adds the operation's own path to `base_url`, and the server would be asked for
    `…/chat/completions/chat/completions`.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: small, base_url: "http://localhost:8080/v1/chat/completions"}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: openai, model: small, base_url: "http://localhost:8080/v1"}
    ```

    Fix: leave the operation's path out.
    """

    code = "AS806"
    title = "address of an endpoint where a base is due"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        routes = [path for path, _ in subject.items("model", "routes")]
        for above in (("model",), *routes):
            path = (*above, "base_url")
            url = (subject.text(*path) or "").rstrip("/")
            ending = next((ending for ending in ENDPOINTS if url.endswith(ending)), None)
            if ending is None:
                continue
            span = subject.span(*path)
            start = span.text.rfind(ending)
            edits = (Edit(span.part(start, start + len(ending)), ""),) if start >= 0 else ()
            yield self.finding(
                span,
                f"`{ending}` is added by the provider itself",
                path=path,
                help=f"write `{url.removesuffix(ending)}`",
                fix=Fix(f"leave `{ending}` out", edits) if edits else None,
            )
