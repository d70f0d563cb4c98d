"""AS306 operator on types that do not fit."""

from agentspec.checker.rule import Rule


class OperandTypes(Rule):
    """An operator or a function is given values that it does not take.

    Why: types are checked before a run. An `integer` and a `number` do not mix, not even as literals: beside a
    number, two is written `2.0`.

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
          expr: args.width * 2
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
          expr: args.width * 2.0
    ```

    Fix: write `2.0` for `2`, `double(x)` for an integer beside a number, `string(x)` to join a value to a text.
    """

    code = "AS306"
    title = "operator on types that do not fit"
    severity = "error"
