"""AS519 step judge that is always skipped."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

USUAL = 1  # turns that are left when a step judge is skipped, where none is written


class StepJudgeAlwaysSkipped(Rule):
    """A step judge is skipped near the end of the budget, and the budget is never far from its end.

    Why: `skip_when_iterations_remaining` counts the turns that are left; where it is as large as the whole budget, no
    turn is ever judged.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iterations: 5
      step_judge: {skip_when_iterations_remaining: 5}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_iterations: 5
      step_judge: {skip_when_iterations_remaining: 1}
    ```

    Fix: lower the number, or allow more turns.
    """

    code = "AS519"
    title = "step judge that is always skipped"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        judge = ("execution", "step_judge")
        path = (*judge, "skip_when_iterations_remaining")
        if subject.at(*judge) is None or subject.flag(*judge) is False or not subject.is_sound(*judge):
            return
        number, most = subject.number(*path), subject.max_iterations
        if most is None or (USUAL if number is None else number) < most:
            return
        place = judge if number is None else path
        yield self.finding(
            subject.key(*place) if number is None else subject.span(*place),
            f"the step judge is always skipped: at most {most - 1} turns remain after one of {most}",
            path=place,
            help="lower the number, or allow more turns" if number is not None else "allow more turns",
        )
