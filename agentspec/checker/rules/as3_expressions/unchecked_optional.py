"""AS324 optional value that is not asked for."""

from agentspec.checker.rule import Rule


class UncheckedOptional(Rule):
    """An optional value is used where a missing one fails.

    Why: the evaluation fails for every call that leaves the value out.

    Bad:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            width: number?
          returns: number
          expr: args.width * 2.0
    ```

    Good:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            width: number?
          returns: number
          expr: "has(args.width) ? args.width * 2.0 : 0.0"
    ```

    Fix: ask first with `has( )`, or give the parameter a default.
    """

    code = "AS324"
    title = "optional value that is not asked for"
    severity = "warning"
