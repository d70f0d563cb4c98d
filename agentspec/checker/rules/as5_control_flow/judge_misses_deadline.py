"""AS515 judge that cannot fit before the deadline."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping
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
        limit = ("execution", "limits", "wall_clock")
        whole = subject.seconds(*limit)
        if whole is None:
            return
        for name in ("verify_completion_judge", "turn_end_condition"):
            path = ("execution", name)
            node = subject.at(*path)
            if node is None or subject.flag(*path) is False:
                continue
            needed = DEFAULT_TIMEOUT + DEFAULT_RESERVE
            if isinstance(node, Mapping):
                timeout, reserve = (
                    subject.seconds(*path, "operation_timeout"),
                    subject.seconds(*path, "deadline_reserve"),
                )
                needed = (DEFAULT_TIMEOUT if timeout is None else timeout) + (
                    DEFAULT_RESERVE if reserve is None else reserve
                )
            if needed >= whole:
                yield self.finding(
                    subject.key(*path),
                    f"this judge may take {needed:g}s, but the whole run has {whole:g}s",
                    path=path,
                    help="shorten its `operation_timeout`, or raise `execution.limits.wall_clock`",
                    related=(Related(subject.span(*limit), "the limit of the run stands here"),),
                )
