"""AS001 unreadable YAML."""

from agentspec.checker.rule import Rule


class UnreadableYaml(Rule):
    """A part of the file is not YAML.

    Why: what cannot be read cannot be checked or run. The part is left out, and the rest of the file is checked all the
    same.

    Bad:

    ```yaml
    name: desk
    description Answers questions
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    description: Answers questions
    context:
      system: Be brief.
    ```

    Fix: write `key: value`, with the colon and a space behind it. In brackets, put a comma between two items.
    """

    code = "AS001"
    title = "unreadable YAML"
    severity = "error"
