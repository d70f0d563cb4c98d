"""AS527 rule that ends every run at once."""

from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of, implies, is_constant
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

RULES: tuple[Path, ...] = (("execution", "loop_control"), ("execution", "post_turn"))
GUARDRAIL: Path = ("execution", "input_guardrail")
EVERY_TURN = "iteration >= 1"


class EndsAtOnce(Rule):
    """The only rule after a turn always stops the run, or a guardrail trips for every task.

    Why: the run ends after its first turn, or before it, whatever the model does.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iterations: 10
      loop_control:
        - {when: iteration > 0, stop: enough, reason: long enough}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_iterations: 10
      loop_control:
        - {when: iteration > 6 && completion.vetoed, stop: enough, reason: long enough}
    ```

    Fix: give the rule a condition that holds later, or put it behind the rules that go on.
    """

    code = "AS527"
    title = "rule that ends every run at once"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for rules in RULES if subject.max_iterations != 1 else ():
            path = (*rules, 0)
            is_alone = len(subject.items(*rules)) == 1  # else those behind it are told to stand before it (AS512)
            if is_alone and subject.at(*path, "stop") is not None and _is_always(subject, path):
                message = "this rule ends every run after its first turn"
                yield self.finding(subject.span(*path, "stop"), message, path=path, help="give it a narrower condition")
        if is_constant(condition_of(subject.at(*GUARDRAIL, "when")) or "") is True:
            path = (*GUARDRAIL, "when")
            message = "this trips for every task: no run begins"
            yield self.finding(subject.span(*path), message, path=path, help="give it a narrower condition")


def _is_always(subject: Subject, rule: Path) -> bool:
    if subject.at(*rule, "python") is not None or not subject.has_all(*rule) or subject.flag(*rule, "stop") is False:
        return False
    when = subject.at(*rule, "when")
    text = condition_of(when) or ""
    return when is None or is_constant(text) is True or (bool(text) and implies(EVERY_TURN, text))
