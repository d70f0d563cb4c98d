"""AS314 spelling of another language."""

from agentspec.checker.rule import Rule


class ForeignSpelling(Rule):
    """An expression writes something as another language writes it.

    Why: expressions are CEL: `&&`, `||`, `!`, `==`, `true`, `null`. What was meant is clear, so the rest of the
    expression is checked too.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3 and progress.no_net_advance
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: iteration > 3 && progress.no_net_advance
          stop: incomplete
    ```

    Fix: take the spelling that is offered.
    """

    code = "AS314"
    title = "spelling of another language"
    severity = "error"
