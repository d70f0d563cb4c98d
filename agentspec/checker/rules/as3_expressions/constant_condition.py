"""AS321 condition or part that never changes."""

from agentspec.checker.rule import Rule


class ConstantCondition(Rule):
    """A condition, or a part of one, has the same value whatever happens.

    Why: it decides nothing, and most likely something else was meant. `true` alone is fine: it says "always". So is
    `false` alone on a route that `model.fallback` names: it says "only when another one has failed". What counts
    something (`turn.tool_call_count`, a `size()`) is never below zero, so that `< 0` never holds and `>= 0`
    always does.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3 || 1 < 2
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3
          stop: incomplete
    ```

    Fix: compare with a name of the place, or take the part away.
    """

    code = "AS321"
    title = "condition or part that never changes"
    severity = "warning"
