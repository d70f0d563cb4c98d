"""AS303 unknown field in an expression."""

from agentspec.checker.rule import Rule


class UnknownField(Rule):
    """An expression asks a value for a field that it does not have.

    Why: groups such as `budget` and `turn`, and the arguments of a tool, have exactly the fields that are declared.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: progress.turns_since_progresing > 3
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: progress.turns_since_progressing > 3
          stop: incomplete
    ```

    Fix: take the field that is offered.
    """

    code = "AS303"
    title = "unknown field in an expression"
    severity = "error"
