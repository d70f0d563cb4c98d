"""AS515 judge that cannot fit before the deadline."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related

DEFAULT_TIMEOUT, DEFAULT_RESERVE = 60.0, 5.0  # seconds; defaults of every judge


class JudgeMissesDeadline(Rule):
    """A judge needs more time than the whole run has.

    Why: before a judge is asked, its timeout and its reserve have to fit before the deadline; where they never do,
    every run ends unverified.

    Bad:

    ```yaml
    name: writer
    execution:
      loop_until_done: true
      limits: {wall_clock: 1m}
      verify_completion_judge: {operation_timeout: 2m}
    ```

    Good:

    ```yaml
    name: writer
    execution:
      loop_until_done: true
      limits: {wall_clock: 10m}
      verify_completion_judge: {operation_timeout: 30s}
    ```

    Fix: shorten `operation_timeout`, or give the run more time.
    """

    code = "AS515"
    title = "judge that cannot fit before the deadline"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        given = [(subject.seconds("execution", "limits", name), name) for name in ("wall_clock", "working_time")]
        bounds = [(seconds, name) for seconds, name in given if seconds is not None]
        if not bounds:
            return
        whole, name = min(bounds)
        for judge in ("verify_completion_judge", "turn_end_condition"):
            path = ("execution", judge)
            needed = _needed(subject, path)
            if needed is not None and needed >= whole:
                yield self.finding(
                    subject.key(*path),
                    f"this judge may take {needed:g}s, but the whole run has {whole:g}s",
                    path=path,
                    help=f"shorten its `operation_timeout`, or raise `execution.limits.{name}`",
                    related=(Related(subject.span("execution", "limits", name), "the limit of the run stands here"),),
                )


def _needed(subject: Subject, path: Path) -> float | None:
    """The seconds that must be left before a judge is asked; None where there is none."""
    if subject.at(*path) is None or subject.flag(*path) is False:
        return None
    timeout, reserve = subject.seconds(*path, "operation_timeout"), subject.seconds(*path, "deadline_reserve")
    return (DEFAULT_TIMEOUT if timeout is None else timeout) + (DEFAULT_RESERVE if reserve is None else reserve)
