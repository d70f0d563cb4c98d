"""AS414 unset without effect."""

from agentspec.checker.rule import Rule


class UnsetWithoutEffect(Rule):
    """A spec unsets a key that no layer below sets.

    Why: `!unset` (DSL `unset`) takes back what something extended has set. Where nothing did, the key may be
    misspelt or the preset may have changed.

    Bad:

    ```yaml
    preset: house
    execution: {max_nudges: 2}
    ---
    name: triage
    extends: house
    execution: {tool_retries: !unset }
    ```

    Good:

    ```yaml
    preset: house
    execution: {max_nudges: 2, tool_retries: 1}
    ---
    name: triage
    extends: house
    execution: {tool_retries: !unset }
    ```

    Fix: take the line out, or correct the key.
    """

    code = "AS414"
    title = "unset without effect"
    severity = "note"
