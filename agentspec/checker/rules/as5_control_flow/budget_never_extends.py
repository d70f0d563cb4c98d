"""AS502 adaptive budget that never extends."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class BudgetNeverExtends(Rule):
    """An adaptive iteration budget has nothing to adapt: it extends by nothing, or it starts at its maximum.

    Why: an adaptive budget begins small and grows while there is progress. With `extend_by: 0`, or with `initial`
    equal to `max`, it behaves as a fixed one, and every extension is refused.

    Bad:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 10, max: 10}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 4, max: 10}
    ```

    Fix: lower `initial`, give `extend_by` at least 1, or write `mode: fixed`.
    """

    code = "AS502"
    title = "adaptive budget that never extends"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        budget = ("execution", "iteration_budget")
        if not subject.is_adaptive:
            return
        if subject.number(*budget, "extend_by") == 0:
            yield self.finding(
                subject.span(*budget, "extend_by"),
                "an adaptive budget with `extend_by: 0` never extends",
                path=(*budget, "extend_by"),
                help="give it at least 1, or write `mode: fixed`",
            )
        initial, most = subject.number(*budget, "initial"), subject.number(*budget, "max")
        if initial is not None and initial == most:
            yield self.finding(
                subject.span(*budget, "initial"),
                f"an adaptive budget that starts at its maximum of {most:g} never extends",
                path=(*budget, "initial"),
                help="lower `initial`, or write `mode: fixed`",
            )
