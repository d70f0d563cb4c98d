"""AS201 wrong type."""

from agentspec.checker.rule import Rule


class WrongType(Rule):
    """A value is of another type than its key takes.

    Why: a text where a list is due, or a list where a mapping is due, would have to be guessed at; nothing is
    guessed.

    Bad:

    ```yaml
    name: triage
    capability:
      toolkits: files.read
    ```

    Good:

    ```yaml
    name: triage
    capability:
      toolkits: [files.read]
    ```

    Fix: write what the finding asks for. A single item of a list stands in brackets, a number without quotes.
    """

    code = "AS201"
    title = "wrong type"
    severity = "error"
