"""AS009 alias within its own anchor."""

from agentspec.checker.rule import Rule


class AliasWithinItself(Rule):
    """An alias stands inside the value that it repeats.

    Why: the value would contain itself without end.

    Bad:

    ```yaml
    name: desk
    x-names: &names [ada, *names]
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    x-names: &names [ada]
    context:
      system: Be brief.
    ```

    Fix: take the alias out of the value.
    """

    code = "AS009"
    title = "alias within its own anchor"
    severity = "error"
