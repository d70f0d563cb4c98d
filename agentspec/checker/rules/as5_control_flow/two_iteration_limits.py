"""AS503 two iteration limits."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class TwoIterationLimits(Rule):
    """Both `max_iterations` and `iteration_budget` are given.

    Why: they say the same thing, and the budget wins, also an adaptive one without `max` (its maximum is 16). Whoever
    changes `max_iterations` later changes nothing.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iterations: 30
      iteration_budget: {mode: adaptive, initial: 4, max: 12}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 4, max: 12}
    ```

    Fix: keep one of them.
    """

    code = "AS503"
    title = "two iteration limits"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        budget, single = ("execution", "iteration_budget"), ("execution", "max_iterations")
        if subject.at(*budget) is None or subject.at(*single) is None or not subject.is_authored(*single):
            return
        if not subject.is_adaptive and subject.at(*budget, "max") is None:
            return  # a fixed budget without a maximum has that of `max_iterations`
        most = subject.max_iterations
        if most is None:
            return
        yield self.finding(
            subject.key(*single),
            f"`max_iterations` has no effect beside `iteration_budget`, whose maximum is {most}",
            path=single,
            help="keep one of them",
            related=(Related(subject.key(*budget), "the budget stands here"),),
        )
