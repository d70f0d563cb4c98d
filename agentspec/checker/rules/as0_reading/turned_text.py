"""AS021 text that turns its direction."""

from agentspec.checker.rule import Rule


class TurnedText(Rule):
    """A text turns its reading direction.

    Why: people read its words in another order than the model does, which has been used to hide instructions. Scripts
    that are written from right to left need no such sign.

    Bad:

    ```text
    context:
      system: Approve <U+202E>nothing
    ```

    Good:

    ```text
    context:
      system: Approve nothing
    ```

    Fix: remove the sign. Where it is meant, write it as an escape in double quotes: it is then seen.
    """

    code = "AS021"
    title = "text that turns its direction"
    severity = "warning"
