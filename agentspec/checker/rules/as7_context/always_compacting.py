"""AS712 fixed part above the threshold of compaction."""

from collections.abc import Iterator

from agentspec.checker.questions.fixed import compacts, fixed_part, window_of
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.windows import HARD, bound
from agentspec.spec.windows import THRESHOLD as SHARE
from agentspec.text.diagnostic import Diagnostic, Related

THRESHOLD = ("context", "compaction", "threshold")


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
        written, window, fixed = subject.number(*THRESHOLD), window_of(subject), fixed_part(subject)
        begins = bound(SHARE, window.tokens if window else None, subject.number("model", "max_output_tokens"), written)
        if fixed is None or begins is None or fixed.tokens < begins or not compacts(subject):
            return
        says = f"{fixed.what} {fixed.verb} at least {fixed.tokens} tokens, so every turn is above the threshold"
        if written is not None:
            yield self.finding(
                subject.span(*THRESHOLD),
                says,
                path=THRESHOLD,
                help=f"write more than {fixed.tokens}, or shorten what is fixed",
                related=(Related(subject.key(*fixed.path), "it stands here"),),
            )
        elif window is not None and fixed.tokens < (bound(HARD, window.tokens, None) or 0):
            yield self.finding(
                subject.key(*fixed.path),
                f"{says}, which is {begins}",
                path=fixed.path,
                help="shorten it, or take a model with a larger window",
                related=(Related(window.span, window.says),),
            )
