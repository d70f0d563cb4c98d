"""AS506 judge on a loop that is never `loop_until_done`."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class JudgeWithoutLoop(Rule):
    """A completion judge is asked for, but the loop does not go on until it is done.

    Why: without `loop_until_done: true` a run is meant to return after the first turn that asks for no tool, and each
    veto of the judge makes it go on all the same. The two say different things, and only the judge is obeyed.

    Bad:

    ```yaml
    name: writer
    execution:
      verify_completion_judge: true
    ```

    Good:

    ```yaml
    name: writer
    execution:
      loop_until_done: true
      verify_completion_judge: true
    ```

    Fix: add `loop_until_done: true`, or take the judge away.
    """

    code = "AS506"
    title = "judge on a loop that is never `loop_until_done`"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole or not subject.has_all("execution"):
            return
        if (
            subject.at("execution", "loop_until_done") is not None
            and subject.flag("execution", "loop_until_done") is not False
        ):
            return
        path = ("execution", "verify_completion_judge")
        if subject.at(*path) is not None and subject.flag(*path) is not False:
            yield self.finding(
                subject.key(*path),
                "a veto of this judge makes the run go on, although it is not `loop_until_done`",
                path=path,
                help="add `loop_until_done: true` to `execution`",
            )
