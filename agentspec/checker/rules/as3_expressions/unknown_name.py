"""AS302 unknown name in an expression."""

from agentspec.checker.rule import Rule


class UnknownName(Rule):
    """An expression uses a name that exists nowhere.

    Why: each place knows its own names, and a name that is not among them has no value when the run asks for it.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: budgt.remaining == 0
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: budget.remaining == 0
          stop: incomplete
    ```

    Fix: take the name that is offered, or one of the names that the finding lists.
    """

    code = "AS302"
    title = "unknown name in an expression"
    severity = "error"
