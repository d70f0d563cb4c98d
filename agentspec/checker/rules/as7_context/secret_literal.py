"""AS701 secret in the text of a spec."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Scalar, walk
from agentspec.text.diagnostic import Diagnostic

# Forms that providers publish for their keys; each begins with a mark of its own, so that prose never matches.
FORMS = (
    r"\b(?:"
    r"sk-(?:ant-|proj-|or-v1-)?(?:(?=[\w-]*\d)[\w-]{20,}|[A-Za-z]{24,})"  # OpenAI, Anthropic, OpenRouter
    r"|AKIA[0-9A-Z]{16}"  # AWS
    r"|AIza[0-9A-Za-z_-]{35}"  # Google
    r"|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}"
    r"|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{20,}"  # Slack
    r"|hf_[A-Za-z0-9]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"  # a JSON web token
    r")|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|[a-z][a-z0-9+.-]*://[^\s:/@${}]+:(?P<password>[^\s:/@${}]+)@"  # a password in an address
)
# One of these stands in every secret of those forms; the pattern itself is compiled only where one was seen.
MARKS = ("sk-", "AKIA", "AIza", "gh", "glpat-", "xox", "hf_", "eyJ", "PRIVATE KEY", "@")
CREDENTIAL_HEADERS = frozenset(("authorization", "x-api-key", "api-key", "proxy-authorization", "cookie"))


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
        for path, node in walk(subject.root):
            if not isinstance(node, Scalar) or not isinstance(node.value, str):
                continue
            if _has_secret(node.value) or _is_credential(path, node.value):
                yield self.finding(
                    node.span,
                    "this looks like a secret",
                    path=path,
                    help="write `${env.NAME}`, and make the secret invalid where it was issued",
                )


def _has_secret(text: str) -> bool:
    return any(mark in text for mark in MARKS) and re.search(FORMS, text) is not None


def _is_credential(path: tuple[str | int, ...], value: str) -> bool:
    if len(path) < 2 or path[-2] != "headers" or str(path[-1]).lower() not in CREDENTIAL_HEADERS:
        return False
    last = (value.split() or [""]).pop()  # behind `Bearer`, `Basic` and the like
    return "${" not in value and len(last) >= 16
