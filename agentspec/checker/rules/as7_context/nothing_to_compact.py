"""AS704 compaction that keeps everything."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class NothingToCompact(Rule):
    """Compaction keeps so many messages that nothing is left to compact.

    Why: a turn adds two messages, the call and its result; where `keep_first` and `keep_last` together hold more than
    the whole run can have, compaction can do nothing, and the context overflows.

    Bad:

    ```yaml
    name: triage
    execution: {max_iterations: 10}
    context:
      compaction: {strategy: hybrid, keep_first: 5, keep_last: 40}
    ```

    Good:

    ```yaml
    name: triage
    execution: {max_iterations: 50}
    context:
      compaction: {strategy: hybrid, keep_first: 2, keep_last: 10}
    ```

    Fix: keep less.
    """

    code = "AS704"
    title = "compaction that keeps everything"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        path = ("context", "compaction")
        first, last = subject.number(*path, "keep_first"), subject.number(*path, "keep_last")
        most = subject.max_iterations
        if most is None or (first is None and last is None) or subject.text(*path, "strategy") == "none":
            return
        kept, whole = (first or 0) + (10 if last is None else last), 2 * most + 2
        if kept > whole:
            which = "keep_last" if last is not None else "keep_first"
            yield self.finding(
                subject.span(*path, which),
                f"compaction keeps {kept:.15g} messages; a run of {most} turns has about {whole}",
                path=(*path, which),
                help="keep less, so that there is something to compact",
            )
