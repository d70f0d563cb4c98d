"""AS706 compaction bounds that contradict each other."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class CompactionBounds(Rule):
    """Compaction aims at more tokens than those at which it begins, or begins where the window has already ended.

    Why: a compaction that leaves the request as large as it was begins again at once; one whose threshold lies above
    the window never begins.

    Bad:

    ```yaml
    name: triage
    context:
      compaction: {strategy: hybrid, threshold: 4000, target: 6000}
    ```

    Good:

    ```yaml
    name: triage
    context:
      compaction: {strategy: hybrid, threshold: 6000, target: 4000}
    ```

    Fix: keep `target` below `threshold`, and `threshold` below the window.
    """

    code = "AS706"
    title = "compaction bounds that contradict each other"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        compaction, window = ("context", "compaction"), ("model", "context_window")
        pairs = (((*compaction, "target"), (*compaction, "threshold")), ((*compaction, "threshold"), window))
        for low, high in pairs:
            small, large = subject.number(*low), subject.number(*high)
            are_alike = small is not None and large is not None and (small <= 1) == (large <= 1)
            if small is None or large is None or small < large or not are_alike:  # a share against tokens says nothing
                continue
            yield self.finding(
                subject.span(*low),
                f"`{low[-1]}` is {small:.15g}, which is not below `{high[-1]}: {large:.15g}`",
                path=low,
                help=f"write less than {large:.15g}",
                related=(Related(subject.span(*high), f"`{high[-1]}` stands here"),),
            )
