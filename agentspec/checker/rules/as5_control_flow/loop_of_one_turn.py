"""AS518 loop of a single turn."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class LoopOfOneTurn(Rule):
    """A loop that works until it is done has a single turn.

    Why: the one turn is used up by the first tool call or the first veto, so there is never a turn to go on with.

    Bad:

    ```yaml
    name: triage
    execution: {loop_until_done: true, max_iterations: 1}
    ```

    Good:

    ```yaml
    name: triage
    execution: {loop_until_done: true, max_iterations: 10}
    ```

    Fix: allow more turns, or take `loop_until_done` away.
    """

    code = "AS518"
    title = "loop of a single turn"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        path = ("execution", "loop_until_done")
        if subject.flag(*path) is True and subject.max_iterations == 1:
            yield self.finding(
                subject.key(*path),
                "`loop_until_done` has a single turn to loop in",
                path=path,
                help="allow more turns, or take it away",
            )
