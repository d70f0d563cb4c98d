"""AS102 unknown key."""

from agentspec.checker.rule import Rule


class UnknownKey(Rule):
    """A key is not one of the language.

    Why: a key that nobody reads does nothing. A limit with a misspelt name is no limit, and the run would not say
    so.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iteratons: 4
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_iterations: 4
    ```

    Fix: use the name that is offered. A key of another section is moved there. Notes for people and other tools go
    under a key that begins with `x-`, which is allowed everywhere.
    """

    code = "AS102"
    title = "unknown key"
    severity = "error"
