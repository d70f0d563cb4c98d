"""AS805 two routes with one label."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


class DuplicateRouteLabel(Rule):
    """Two model routes have the same label.

    Why: `fallback`, events and the result name routes by their labels, so a label means one route.

    Bad:

    ```yaml
    name: helper
    model:
      routes:
        - {provider: openai, model: gpt-5.4, label: main, when: attempt > 1}
        - {provider: openai, model: gpt-5.4-mini, label: main}
    ```

    Good:

    ```yaml
    name: helper
    model:
      routes:
        - {provider: openai, model: gpt-5.4, label: strong, when: attempt > 1}
        - {provider: openai, model: gpt-5.4-mini, label: main}
    ```

    Fix: give each route a label of its own.
    """

    code = "AS805"
    title = "two routes with one label"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        first: dict[str, Span] = {}
        for path, _ in subject.items("model", "routes"):
            label = subject.text(*path, "label")
            if label is None:
                continue
            span = subject.span(*path, "label")
            before = first.setdefault(label, span)
            if before is not span:
                yield self.finding(
                    span,
                    f"the label `{label}` is taken already",
                    path=(*path, "label"),
                    help="give each route a label of its own",
                    related=(Related(before, "the first one"),),
                )
