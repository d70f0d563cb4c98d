"""AS520 sentinel that the turn policy forbids."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related


class ForbiddenSentinel(Rule):
    """A sentinel ends the work, and the turn policy doesn't accept it.

    Why: `allow_done_sentinel: false` switches the sentinel off: the model is not told of it, and the word ends nothing.

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
            f"the turn policy switches the sentinel `{subject.text(*sentinel)}` off",
            path=allowed,
            help="take one of the two away",
            related=(Related(subject.span(*sentinel), "the sentinel stands here"),),
        )
