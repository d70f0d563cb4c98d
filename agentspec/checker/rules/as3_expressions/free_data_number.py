"""AS325 integer literal beside a number of free data."""

from agentspec.checker.rule import Rule


class FreeDataNumber(Rule):
    """An integer literal stands in arithmetic with free data.

    Why: all numbers of free data are doubles, and a double does not mix with an integer: it fails at every
    evaluation.

    Bad:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            size: object
          returns: number
          expr: args.size.width * 2
    ```

    Good:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            size: object
          returns: number
          expr: args.size.width * 2.0
    ```

    Fix: write `2.0`.
    """

    code = "AS325"
    title = "integer literal beside a number of free data"
    severity = "warning"
