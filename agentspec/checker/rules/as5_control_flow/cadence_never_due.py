"""AS514 judge that never comes due."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

CADENCE: Path = ("execution", "turn_end_condition", "cadence")


class CadenceNeverDue(Rule):
    """The cadence of `turn_end_condition` never comes due in a run of this length.

    Why: a completion that only this judge could confirm is not accepted while it isn't due, so every run would end at
    its limit. Due are the turns that `every` divides, after those of `min_iterations_before_first`.

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
        most = subject.max_iterations
        if most is not None and (name := _too_late(subject, most)):
            yield self._never(
                subject,
                name,
                f"the run ends after {most} turn{'s' if most > 1 else ''}",
                "ask it sooner, or allow more turns",
            )
        if subject.number(*CADENCE, "max_invocations") == 0:
            yield self._never(
                subject, "max_invocations", "it may be asked 0 times", "take it away, or allow more questions"
            )
        if subject.text(*CADENCE, "when") == "stalled" and subject.flag("execution", "stall") is False:
            yield self._never(
                subject, "when", "with `stall: false` nothing counts as stalled", "take `stall: false` away"
            )

    def _never(self, subject: Subject, name: str, why: str, way_out: str) -> Diagnostic:
        return self.finding(
            subject.span(*CADENCE, name), f"this judge never comes due: {why}", path=(*CADENCE, name), help=way_out
        )


def _too_late(subject: Subject, most: int) -> str | None:
    """The key for which no turn up to the last one is due: due are the multiples of `every` after the first turns."""
    every, after = subject.number(*CADENCE, "every"), subject.number(*CADENCE, "min_iterations_before_first")
    if after is not None and after >= most:
        return "min_iterations_before_first"
    if every is None or every < 1:
        return None
    first = (int(after or 0) // int(every) + 1) * int(every)
    return "every" if first > most else None
