"""AS905 limit that is not yet enforced."""

from collections.abc import Iterator

from agentspec.checker.pending import is_limit, pending_keys
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class UnenforcedLimit(Rule):
    """A spec limits what a run may spend or do by a key that nothing enforces yet.

    Why: who writes a limit relies on it. Requests are not held to `model.rate_limit` yet, and
    `capability.read_only_stance` keeps no tool away.

    Bad:

    ```yaml
    name: helper
    model:
      rate_limit: {requests_per_minute: 10}
    ```

    Good:

    ```yaml
    name: helper
    execution:
      limits: {provider_calls: 100}
    ```

    Fix: bound what is in effect, such as the calls of a run.
    """

    code = "AS905"
    title = "limit that is not yet enforced"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for key in pending_keys(subject):
            if key.is_inherited or not is_limit(key.path):
                continue  # what a preset brings is told in one note, with its other keys that wait
            yield self.finding(key.span, f"`{key.span.text}` is not enforced yet", path=key.path)
