"""AS208 key without a value."""

from agentspec.checker.rule import Rule


class MissingValue(Rule):
    """A key has no value.

    Why: `key:` with nothing behind it is null in YAML, which no key of the language takes; it is often an edit that
    was not finished.

    Bad:

    ```yaml
    name: triage
    execution:
      max_iterations:
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_iterations: 8
    ```

    Fix: write the value, or leave the key out. To remove what a preset says, write `key: !unset`.
    """

    code = "AS208"
    title = "key without a value"
    severity = "error"
