"""AS901 ignore comment that silences nothing."""

from agentspec.checker.rule import Rule


class UnusedIgnore(Rule):
    """A comment asks to ignore a finding that isn't there.

    Why: the finding was mended, or the code is misspelt; either way the comment would hide the next one that comes.

    Bad:

    ```yaml
    name: helper  # agentspec: ignore[AS512]
    context:
      system: You help.
    ```

    Good:

    ```yaml
    name: helper
    context:
      system: You help.
    ```

    Fix: take the comment away. It acts on its own line, or on the next one where it stands alone;
    `# agentspec: ignore-file[CODE]` acts on the whole file.
    """

    code = "AS901"
    title = "ignore comment that silences nothing"
    severity = "note"
