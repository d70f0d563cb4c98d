"""AS514 judge that never comes due."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class CadenceNeverDue(Rule):
    """The cadence of `turn_end_condition` never comes due in a run of this length.

    Why: a completion that only this judge could confirm is not accepted while it isn't due, so every run would end at
    its limit.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iterations: 5
      turn_end_condition:
        cadence: {every: 10}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_iterations: 30
      turn_end_condition:
        cadence: {every: 10}
    ```

    Fix: ask the judge sooner, or allow more turns.
    """

    code = "AS514"
    title = "judge that never comes due"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        cadence = ("execution", "turn_end_condition", "cadence")
        most = subject.max_iterations
        for name in ("every", "min_iterations_before_first"):
            number = subject.number(*cadence, name)
            if most is not None and number is not None and number > most:
                yield self.finding(
                    subject.span(*cadence, name),
                    f"this judge never comes due: the run ends after {most} turn{'s' if most > 1 else ''}",
                    path=(*cadence, name),
                    help="ask it sooner, or allow more turns",
                )
        if subject.text(*cadence, "when") == "stalled" and subject.flag("execution", "stall") is False:
            yield self.finding(
                subject.span(*cadence, "when"),
                "this judge never comes due: with `stall: false` nothing counts as stalled",
                path=(*cadence, "when"),
                help="take `stall: false` away",
            )
