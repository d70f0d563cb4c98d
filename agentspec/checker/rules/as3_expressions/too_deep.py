"""AS312 expression that is too deep or too long."""

from agentspec.checker.rule import Rule


class TooDeep(Rule):
    """An expression has more than 32 levels of brackets and operators, or more than 10 000 characters.

    Why: the runtime of expressions refuses it, so that every evaluation stays small.

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
          expr: >-
            args.width + args.width + args.width + args.width + args.width + args.width + args.width + args.width +
            args.width + args.width + args.width + args.width + args.width + args.width + args.width + args.width +
            args.width + args.width + args.width + args.width + args.width + args.width + args.width + args.width +
            args.width + args.width + args.width + args.width + args.width + args.width + args.width + args.width +
            args.width + args.width
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
          expr: args.width * 40.0
    ```

    Fix: use `*`, `in`, `exists` or `join` instead of a long row, or cut the rule in two.
    """

    code = "AS312"
    title = "expression that is too deep or too long"
    severity = "error"
