"""AS718 threshold that is never reached."""

from collections.abc import Iterator

from agentspec.checker.questions.fixed import window_of
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.windows import THRESHOLD, bound
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

PLACE: Path = ("context", "compaction", "threshold")


class ThresholdNeverReached(Rule):
    """Compaction begins before the threshold that is written is reached.

    Why: it begins at 70 % of what fits beside the answer at the latest, so that the next request surely fits; a
    threshold can only lower that.

    Bad:

    ```yaml
    name: triage
    context:
      compaction: {strategy: hybrid, threshold: 0.9}
    ```

    Good:

    ```yaml
    name: triage
    context:
      compaction: {strategy: hybrid, threshold: 0.5}
    ```

    Fix: write a lower threshold, or leave it out.
    """

    code = "AS718"
    title = "threshold that is never reached"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        written, window = subject.number(*PLACE), window_of(subject)
        if written is None or (window is not None and written >= window.tokens):  # that contradicts the window itself
            return
        latest: float | None = THRESHOLD
        if written > 1:
            longest = subject.number("model", "max_output_tokens")
            latest = bound(THRESHOLD, None if window is None else window.tokens, longest)
        if latest is None or written <= latest:
            return
        yield self.finding(
            subject.span(*PLACE),
            f"`threshold: {written:.15g}` is never reached: compaction begins at {latest:.15g} at the latest",
            path=PLACE,
            help=f"write less than {latest:.15g}, or leave it out",
            related=() if written <= 1 or window is None else (Related(window.span, window.says),),
        )
