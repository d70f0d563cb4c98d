"""AS320 condition that may be no boolean."""

from agentspec.checker.rule import Rule


class DynamicCondition(Rule):
    """A condition is a value of free data, of which nobody knows the type before the run.

    Why: where it is not a boolean when the run gets there, the condition fails.

    Bad:

    ```yaml
    name: triage
    execution:
      post_turn:
        - when: tool_results[0].data.passed
          message: Go on.
    ```

    Good:

    ```yaml
    name: triage
    execution:
      post_turn:
        - when: tool_results[0].data.passed == true
          message: Go on.
    ```

    Fix: compare the value: `x == true`.
    """

    code = "AS320"
    title = "condition that may be no boolean"
    severity = "warning"
