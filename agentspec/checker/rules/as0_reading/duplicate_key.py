"""AS005 duplicate key."""

from agentspec.checker.rule import Rule


class DuplicateKey(Rule):
    """A mapping has the same key twice.

    Why: most readers of YAML and JSON keep the last one without a word, so that half of what stands there does nothing.
    The finding shows both places.

    Bad:

    ```yaml
    name: desk
    execution:
      max_iterations: 4
      max_iterations: 12
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    execution:
      max_iterations: 12
    context:
      system: Be brief.
    ```

    Fix: keep one of the two. `key` and `+key` exclude each other, too.
    """

    code = "AS005"
    title = "duplicate key"
    severity = "error"
