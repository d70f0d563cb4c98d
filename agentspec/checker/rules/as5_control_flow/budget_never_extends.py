"""AS502 adaptive budget that never extends."""

from collections.abc import Iterator

from agentspec.checker.questions.loop import BUDGET, RULES, extending_rules, first_turns
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic, Related


class BudgetNeverExtends(Rule):
    """An adaptive iteration budget has nothing to adapt: nothing extends it, or it starts at its maximum.

    Why: an adaptive budget begins small and grows while there is progress. With `extend_by: 0`, or with `initial`
    equal to `max`, it behaves as a fixed one, and every extension is refused. Rules under `loop_control` take the
    place of its own: where none of them extends, the run ends after its first turns, whatever `max` says.

    Bad:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 10, max: 10}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 4, max: 10}
    ```

    Fix: lower `initial`, give `extend_by` at least 1, add a rule with `extend`, or write `mode: fixed`.
    """

    code = "AS502"
    title = "adaptive budget that never extends"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if not subject.is_adaptive:
            return
        extending = extending_rules(subject)
        if subject.number(*BUDGET, "extend_by") == 0 and not any(_says_how_far(subject, path) for path, _ in extending):
            yield self.finding(
                subject.span(*BUDGET, "extend_by"),
                "an adaptive budget with `extend_by: 0` never extends",
                path=(*BUDGET, "extend_by"),
                help="give it at least 1, or write `mode: fixed`",
            )
        initial, most = first_turns(subject), subject.max_iterations
        if most is None or initial is None:
            return
        written = subject.number(*BUDGET, "initial")
        if initial == most and written in (None, most):
            name = "max" if written is None else "initial"
            yield self.finding(
                subject.span(*BUDGET, name),
                f"an adaptive budget that starts at its maximum of {most} never extends",
                path=(*BUDGET, name),
                help=("raise it" if name == "max" else "lower `initial`") + ", or write `mode: fixed`",
            )
        elif subject.kind == "agent" and subject.is_whole and subject.is_sound(*RULES):
            yield from self._unextended(subject, initial, is_extended=bool(extending))

    def _unextended(self, subject: Subject, initial: int, *, is_extended: bool) -> Iterator[Diagnostic]:
        if is_extended or not subject.items(*RULES):
            return
        yield self.finding(
            subject.key(*RULES),
            f"no rule here extends the adaptive budget, so the run ends after {_turns(initial)}",
            path=RULES,
            help="add a rule with `extend`: rules take the place of the budget's own",
            related=(Related(subject.key(*BUDGET), "the budget stands here"),),
        )


def _says_how_far(subject: Subject, rule: Path) -> bool:
    """Whether a rule extends by what it says itself, and not by `extend_by`."""
    return subject.flag(*rule, "extend") is None


def _turns(number: int) -> str:
    return f"{number} turn" if number == 1 else f"{number} turns"
