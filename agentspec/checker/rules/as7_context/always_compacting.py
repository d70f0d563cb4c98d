"""AS712 fixed part above the threshold of compaction."""

from collections.abc import Iterator

from agentspec.checker.fixed import fixed_part, window_of
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related

THRESHOLD = ("context", "compaction", "threshold")
SHARES = 1  # up to here the number is a share of the window


class AlwaysCompacting(Rule):
    """What stands in every request is already above the threshold of compaction.

    Why: the system text and the tools are never compacted, so the threshold is passed in every turn: every turn would
    summarise what is left, and be none the smaller for it.

    Bad:

    ```yaml
    name: writer
    context:
      system: You write release notes from commits, in plain words.
      compaction: {strategy: summarize_middle, threshold: 5}
    ```

    Good:

    ```yaml
    name: writer
    context:
      system: You write release notes from commits, in plain words.
      compaction: {strategy: summarize_middle, threshold: 6000}
    ```

    Fix: raise the threshold, or shorten what is fixed.
    """

    code = "AS712"
    title = "fixed part above the threshold of compaction"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        written = subject.number(*THRESHOLD)
        window = window_of(subject) if written is not None and written <= SHARES else None
        if written is None or (written <= SHARES and window is None):
            return
        tokens = written if window is None else written * window.tokens
        fixed = fixed_part(subject)
        if fixed is not None and fixed.tokens >= tokens:
            yield self.finding(
                subject.span(*THRESHOLD),
                f"{fixed.what} {fixed.verb} at least {fixed.tokens} tokens, so every turn is above the threshold",
                path=THRESHOLD,
                help=f"write more than {fixed.tokens}, or shorten what is fixed",
                related=(Related(subject.key(*fixed.path), "it stands here"),),
            )
