"""AS431 unknown key in agentspec.toml."""

from agentspec.checker.rule import Rule


class SettingsUnknownKey(Rule):
    """The project's `agentspec.toml` has a key that means nothing.

    Why: a misspelt setting would be ignored in silence.

    Bad:

    ```toml
    [check]
    ignored = ["AS414"]
    ```

    Good:

    ```toml
    [check]
    ignore = ["AS414"]
    ```

    Fix: correct the key; `[check]` takes `ignore`, `severities` and `strict`, `[libraries]` takes
    `organisation`.
    """

    code = "AS431"
    title = "unknown key in agentspec.toml"
    severity = "error"
