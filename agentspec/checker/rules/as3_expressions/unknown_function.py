"""AS304 unknown function in an expression."""

from agentspec.checker.rule import Rule


class UnknownFunction(Rule):
    """An expression calls a function that does not exist.

    Why: only the functions of `agentspec explain functions` can be called; many have another name in other
    languages.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: len(turn.tool_names) > 2
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: size(turn.tool_names) > 2
          stop: incomplete
    ```

    Fix: take the function that is offered.
    """

    code = "AS304"
    title = "unknown function in an expression"
    severity = "error"
