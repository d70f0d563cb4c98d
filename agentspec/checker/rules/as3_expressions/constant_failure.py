"""AS310 part that fails at every evaluation."""

from agentspec.checker.rule import Rule


class ConstantFailure(Rule):
    """A part of an expression fails whatever the values are: a division by zero, an index below zero.

    Why: where the part is evaluated, the rule does not match or the tool call fails, each time.

    Bad:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            width: number
          returns: number
          expr: args.width / 0.0
    ```

    Good:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            width: number
          returns: number
          expr: args.width / 2.0
    ```

    Fix: correct the number.
    """

    code = "AS310"
    title = "part that fails at every evaluation"
    severity = "error"
