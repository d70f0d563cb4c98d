"""AS024 key that others do not read as text."""

from agentspec.checker.rule import Rule


class KeyReadAsText(Rule):
    """A key without quotes looks like a number, a boolean or null.

    Why: every key is text here, but other YAML tools read a number or a boolean and may write it back as something
    else.

    Bad:

    ```yaml
    name: desk
    x-floors:
      1: reception
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    x-floors:
      "1": reception
    context:
      system: Be brief.
    ```

    Fix: put the key in quotes; `--fix` does.
    """

    code = "AS024"
    title = "key that others do not read as text"
    severity = "note"
