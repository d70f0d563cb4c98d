"""AS316 empty expression."""

from agentspec.checker.rule import Rule


class EmptyExpression(Rule):
    """There is no expression where one is due.

    Why: an empty condition is neither true nor false.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: "${ }"
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3
          stop: incomplete
    ```

    Fix: write the condition; `true` always holds.
    """

    code = "AS316"
    title = "empty expression"
    severity = "error"
