"""AS520 sentinel that the turn policy forbids."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class ForbiddenSentinel(Rule):
    """A sentinel ends the work, and the turn policy doesn't accept it.

    Why: the model is told to write the sentinel when it is done, and the run refuses it each time.

    Bad:

    ```yaml
    name: triage
    execution:
      done_sentinel: "##DONE##"
      turn_policy: {allow_done_sentinel: false}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      done_sentinel: "##DONE##"
      turn_policy: {allow_done_sentinel: true}
    ```

    Fix: take one of the two away.
    """

    code = "AS520"
    title = "sentinel that the turn policy forbids"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        sentinel, allowed = ("execution", "done_sentinel"), ("execution", "turn_policy", "allow_done_sentinel")
        if subject.text(*sentinel) is None or subject.flag(*allowed) is not False:
            return
        yield self.finding(
            subject.span(*allowed),
            f"the turn policy refuses the sentinel `{subject.text(*sentinel)}` that ends the work",
            path=allowed,
            help="take one of the two away",
            related=(Related(subject.span(*sentinel), "the sentinel stands here"),),
        )
