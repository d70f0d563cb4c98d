"""AS018 empty file."""

from agentspec.checker.rule import Rule


class EmptyFile(Rule):
    """The file holds nothing, or only comments.

    Why: there is no spec to check or run.

    Bad:

    ```yaml
    # to be written
    ```

    Good:

    ```yaml
    name: desk
    context:
      system: Be brief.
    ```

    Fix: write a spec, or let `agentspec init` write a first one.
    """

    code = "AS018"
    title = "empty file"
    severity = "error"
