"""AS905 limit that is not yet enforced."""

from collections.abc import Iterator

from agentspec.checker.pending import is_limit, pending_keys
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class UnenforcedLimit(Rule):
    """A spec limits what a run may spend or do by a key that nothing enforces yet.

    Why: who writes a limit relies on it. With `limits.scope: session` each run still has pots of its own, so that a
    session goes on past them.

    Bad:

    ```yaml
    name: helper
    execution:
      limits: {cost_usd: 5, scope: session}
    ```

    Good:

    ```yaml
    name: helper
    execution:
      limits: {cost_usd: 5, wall_clock: 10m}
    ```

    Fix: bound each run by itself.
    """

    code = "AS905"
    title = "limit that is not yet enforced"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for key in pending_keys(subject):
            if key.is_inherited or not is_limit(subject, key.path):
                continue  # what a preset brings is told in one note, with its other keys that wait
            yield self.finding(
                key.span, f"`{key.span.text}` is not enforced yet: each run has pots of its own", path=key.path
            )
