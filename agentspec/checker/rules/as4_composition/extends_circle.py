"""AS403 extends in a circle."""

from agentspec.checker.rule import Rule


class ExtendsCircle(Rule):
    """A document extends itself, directly or through others, or the chain is too long.

    Why: each layer needs the ones below it first, and a circle has no lowest one. The finding shows the whole way
    round. A chain may be 64 documents deep and bring in 1000.

    Bad:

    ```yaml
    preset: careful
    extends: quick
    ---
    preset: quick
    extends: careful
    ```

    Good:

    ```yaml
    preset: careful
    extends: quick
    ---
    preset: quick
    execution: {max_nudges: 1}
    ```

    Fix: take out one of the steps; move what both need into a preset that both extend.
    """

    code = "AS403"
    title = "extends in a circle"
    severity = "error"
