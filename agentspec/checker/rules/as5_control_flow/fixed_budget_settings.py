"""AS508 settings that a fixed budget ignores."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

IGNORED = ("extend_by", "progress_window")


class FixedBudgetSettings(Rule):
    """A fixed iteration budget has settings that only an adaptive one uses.

    Why: a fixed budget starts at its maximum and is never extended, so what is written here has no effect.

    Bad:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: fixed, initial: 4, max: 12, extend_by: 2}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      iteration_budget: {mode: adaptive, initial: 4, max: 12, extend_by: 2}
    ```

    Fix: write `mode: adaptive`, or take the settings away.
    """

    code = "AS508"
    title = "settings that a fixed budget ignores"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        budget = ("execution", "iteration_budget")
        if subject.text(*budget, "mode") != "fixed":
            return
        idle = [name for name in IGNORED if subject.number(*budget, name)]
        initial, written, most = (
            subject.number(*budget, "initial"),
            subject.number(*budget, "max"),
            subject.max_iterations,
        )
        if initial is not None and most is not None and (initial < most or (initial > most and written is None)):
            idle.insert(0, "initial")
        if not idle:
            return
        listed = ", ".join(f"`{name}`" for name in idle)
        yield self.finding(
            subject.key(*budget, idle[0]),
            f"a fixed budget ignores {listed}" + (f": it has {most} turns" if idle[0] == "initial" else ""),
            path=(*budget, idle[0]),
            help="write `mode: adaptive`, or take them away"
            if len(idle) > 1
            else "write `mode: adaptive`, or take it away",
        )
