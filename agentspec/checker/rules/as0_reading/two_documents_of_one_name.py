"""AS019 two documents of one name."""

from agentspec.checker.rule import Rule


class TwoDocumentsOfOneName(Rule):
    """Two documents of a file have the same name.

    Why: `FILE#NAME` could mean either. The finding shows both.

    Bad:

    ```yaml
    name: desk
    context:
      system: Be brief.
    ---
    name: desk
    context:
      system: Be polite.
    ```

    Good:

    ```yaml
    name: desk
    context:
      system: Be brief.
    ---
    name: counter
    context:
      system: Be polite.
    ```

    Fix: rename one of them.
    """

    code = "AS019"
    title = "two documents of one name"
    severity = "error"
