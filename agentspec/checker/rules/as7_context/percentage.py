"""AS728 share that is written as a percentage."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import number_of
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Edit, Fix

LEAST, MOST = 10, 100  # what looks like a percentage


class Percentage(Rule):
    """A share of the window is written as a number up to 100.

    Why: up to 1 such a number is a share, above it tokens. A threshold of 70 tokens is passed by the first request, and
    everything is compacted all the time.

    Bad:

    ```yaml
    name: triage
    context:
      compaction: {threshold: 70}
    ```

    Good:

    ```yaml
    name: triage
    context:
      compaction: {threshold: 0.7}
    ```

    Fix: write `0.7` for 70 percent.
    """

    code = "AS728"
    title = "share that is written as a percentage"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for mark in subject.marks:
            value = number_of(mark.node) if mark.annotation.get("kind") == "amount" else None
            if value is None or not LEAST <= value <= MOST:
                continue
            share = f"{value / 100:g}"
            message = f"{value:g} is a number of tokens here, not a percentage"
            fix = Fix(f"write `{share}`", (Edit(mark.node.span, share),), "surface")
            yield self.finding(mark.node.span, message, path=mark.path, help=f"write `{share}` for a share", fix=fix)
