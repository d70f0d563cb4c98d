"""AS313 name that another place knows."""

from agentspec.checker.rule import Rule


class NameOfAnotherPlace(Rule):
    """A name exists, and has no value at this place.

    Why: what an expression may know depends on when it is evaluated: there is no answer before one is proposed.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - when: 'answer == ""'
          stop: incomplete
    ```

    Good:

    ```yaml
    name: triage
    execution:
      verify_completion:
        - when: 'answer == ""'
          veto: Give an answer.
    ```

    Fix: move the rule to a place that knows the name, or use a name of this place.
    """

    code = "AS313"
    title = "name that another place knows"
    severity = "error"
