"""AS322 comparisons that exclude or always allow each other."""

from agentspec.checker.rule import Rule


class ContradictoryComparisons(Rule):
    """Comparisons of one value can never all hold, or one of them always does.

    Why: the part is always false or always true. `x != "a" || x != "b"` is the usual case: it holds for every `x`.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: 'completion.verdict != "done" || completion.verdict != "continue"'
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: 'completion.verdict != "done" && completion.verdict != "continue"'
          stop: incomplete
    ```

    Fix: exchange `&&` and `||`, or correct a bound.
    """

    code = "AS322"
    title = "comparisons that exclude or always allow each other"
    severity = "warning"
