"""AS015 missing space."""

from agentspec.checker.rule import Rule


class MissingSpace(Rule):
    """A space is missing after `:` or `-`.

    Why: `max:3` is one word to YAML, and `-a` a text that begins with a minus.

    Bad:

    ```yaml
    name: desk
    execution:
      max_iterations:4
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    execution:
      max_iterations: 4
    context:
      system: Be brief.
    ```

    Fix: add the space.
    """

    code = "AS015"
    title = "missing space"
    severity = "error"
