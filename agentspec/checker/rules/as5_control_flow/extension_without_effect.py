"""AS510 extension without effect."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic


class ExtensionWithoutEffect(Rule):
    """A `loop_control` rule extends a budget that cannot be extended that far.

    Why: extensions are clamped to the budget's `max`, and a fixed budget starts there. An extension that adds nothing
    isn't even recorded.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iterations: 10
      loop_control:
        - {when: completion.vetoed, extend: 2}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 4, max: 10}
      loop_control:
        - {when: completion.vetoed, extend: 2}
    ```

    Fix: write an adaptive `iteration_budget` with room between `initial` and `max`.
    """

    code = "AS510"
    title = "extension without effect"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole or subject.max_iterations is None:
            return
        if not subject.is_sound("execution", "iteration_budget"):
            return
        for path, _ in subject.items("execution", "loop_control"):
            for verb in ("extend", "extend_to"):
                if subject.at(*path, verb) is not None and (why := _why(subject, subject.number(*path, verb), verb)):
                    yield self.finding(
                        subject.span(*path, verb),
                        f"`{verb}` has no effect: {why}",
                        path=(*path, verb),
                        help="write an adaptive `iteration_budget` with room between `initial` and `max`",
                    )


def _why(subject: Subject, amount: float | None, verb: str) -> str | None:
    most = subject.max_iterations
    if not subject.is_adaptive:
        return f"the budget is fixed at {most} turns"
    initial = subject.number("execution", "iteration_budget", "initial")
    if verb == "extend_to" and amount is not None and initial is not None and amount <= initial:
        return f"the budget starts at {initial:g}"
    return None
