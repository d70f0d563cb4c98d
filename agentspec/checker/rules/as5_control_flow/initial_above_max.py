"""AS501 initial budget above its maximum."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class InitialAboveMax(Rule):
    """An iteration budget starts above its own maximum.

    Why: `initial` is where the budget begins and `max` is what no extension may pass, so the two contradict each
    other and the run could not start.

    Bad:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 20, max: 10}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 4, max: 10}
    ```

    Fix: lower `initial`, or raise `max`.
    """

    code = "AS501"
    title = "initial budget above its maximum"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        budget = ("execution", "iteration_budget")
        initial, written = subject.number(*budget, "initial"), subject.number(*budget, "max")
        most = subject.max_iterations if written is None and subject.is_adaptive else written
        if initial is None or most is None or initial <= most:
            return
        if written is None:
            yield self.finding(
                subject.span(*budget, "initial"),
                f"`initial` is {initial:.15g}, but an adaptive budget without `max` ends at {most:.15g}",
                path=(*budget, "initial"),
                help=f"write `max` beside it, or `initial: {most:.15g}` or less",
            )
            return
        yield self.finding(
            subject.span(*budget, "initial"),
            f"`initial` is {initial:.15g}, but no budget may pass `max: {most:.15g}`",
            path=(*budget, "initial"),
            help=f"write `initial: {most:.15g}` or less, or raise `max`",
            related=(Related(subject.span(*budget, "max"), "the maximum stands here"),),
        )
