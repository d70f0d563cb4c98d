"""AS701 secret in the text of a spec."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.secrets import CREDENTIAL_HEADERS, SHORTEST, has_secret, may_hold_secret

WAY_OUT = "write `${env.NAME}`, and make the secret invalid where it was issued"


class SecretLiteral(Rule):
    """A key, a token or a password stands in the spec.

    Why: specs are shared, committed and printed. A secret belongs into the environment, from where `${env.NAME}` takes
    it without ever showing it.

    Bad:

    ```yaml
    name: helper
    model:
      base_url: https://api.example.org/v1
      headers: {Authorization: "Bearer 0123456789abcdef0123456789abcdef"}
    ```

    Good:

    ```yaml
    name: helper
    model:
      base_url: https://api.example.org/v1
      headers: {Authorization: "Bearer ${env.EXAMPLE_API_KEY}"}
    ```

    Fix: take the secret out, make it invalid where it was issued, and write `${env.NAME}`.
    """

    code = "AS701"
    title = "secret in the text of a spec"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        may_be = may_hold_secret(value for _, _, value in subject.texts)
        for path, node, value in subject.texts:
            if (may_be and has_secret(value)) or _is_credential(path, value):
                yield self.finding(
                    node.span,
                    "this looks like a secret",
                    path=path,
                    related=(Related(node.anchor, "it is written here"),) if node.anchor else (),
                    help=WAY_OUT,
                )
        for path, _, value in subject.file_texts:
            if has_secret(value):
                message = "something in this file looks like a secret"
                yield self.finding(subject.span(*path), message, path=path, help=WAY_OUT)


def _is_credential(path: tuple[str | int, ...], value: str) -> bool:
    if len(path) < 2 or path[-2] != "headers" or str(path[-1]).lower() not in CREDENTIAL_HEADERS:
        return False
    last = (value.split() or [""]).pop()  # behind `Bearer`, `Basic` and the like
    return "${" not in value and len(last) >= SHORTEST
