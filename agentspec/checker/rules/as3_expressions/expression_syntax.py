"""AS301 expression that cannot be read."""

from agentspec.checker.rule import Rule


class ExpressionSyntax(Rule):
    """An expression is cut off, or holds a sign that has no place in it.

    Why: a condition that cannot be read can never be evaluated. What stands before the place is checked all the
    same.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: "iteration >"
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: "iteration > 3"
          stop: incomplete
    ```

    Fix: complete the expression at the marked place.
    """

    code = "AS301"
    title = "expression that cannot be read"
    severity = "error"
