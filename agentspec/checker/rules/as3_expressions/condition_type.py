"""AS307 condition that is not a boolean."""

from agentspec.checker.rule import Rule


class ConditionType(Rule):
    """A condition gives something other than true or false.

    Why: nothing counts as true by itself: neither a text, nor a list, nor a number.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: turn.tool_names
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: size(turn.tool_names) > 0
          stop: incomplete
    ```

    Fix: compare the value with what it must be.
    """

    code = "AS307"
    title = "condition that is not a boolean"
    severity = "error"
