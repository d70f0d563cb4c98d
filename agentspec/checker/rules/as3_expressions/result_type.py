"""AS308 result of another type than its place needs."""

from agentspec.checker.rule import Rule


class ResultType(Rule):
    """An expression gives another type than the tool returns or the place needs.

    Why: the model and every later step rely on `returns`.

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
          expr: '"wide: " + string(args.width)'
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
          returns: string
          expr: '"wide: " + string(args.width)'
    ```

    Fix: change `returns`, or convert the result.
    """

    code = "AS308"
    title = "result of another type than its place needs"
    severity = "error"
