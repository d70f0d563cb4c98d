"""AS510 extension without effect."""

from collections.abc import Iterator

from agentspec.checker.questions.loop import BUDGET, RULES, first_turns
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related


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
        for path, _ in subject.items(*RULES):
            for verb in ("extend", "extend_to"):
                node = subject.at(*path, verb)
                if node is None:
                    continue
                if why := _why(subject, subject.number(*path, verb), verb):
                    yield self.finding(
                        subject.span(*path, verb),
                        f"`{verb}` has no effect: {why}",
                        path=(*path, verb),
                        help="write an adaptive `iteration_budget` with room between `initial` and `max`",
                    )
                elif verb == "extend_to" and (asked := subject.number(*path, verb) or 0) > subject.max_iterations:
                    yield self._beyond(subject, (*path, verb), asked, subject.max_iterations)

    def _beyond(self, subject: Subject, path: Path, asked: float, most: int) -> Diagnostic:
        return self.finding(
            subject.span(*path),
            f"`extend_to: {asked:.15g}` extends to {most} only, which is the maximum of the budget",
            path=path,
            help="raise the budget's `max`, or write that number",
            fix=Fix(f"write `{most}`", (Edit(subject.span(*path), str(most)),), "local"),
            related=(Related(subject.key(*BUDGET), "the budget stands here"),),
        )


def _why(subject: Subject, amount: float | None, verb: str) -> str | None:
    most, first = subject.max_iterations, first_turns(subject)
    if not subject.is_adaptive:
        return f"the budget is fixed at {most} turns"
    if first is not None and verb == "extend_to" and amount is not None and amount <= first:
        return f"the budget starts at {first}"
    return None
