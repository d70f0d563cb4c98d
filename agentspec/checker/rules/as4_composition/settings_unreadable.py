"""AS430 unreadable agentspec.toml."""

from agentspec.checker.rule import Rule


class SettingsUnreadable(Rule):
    """The project's `agentspec.toml` cannot be read.

    Why: what it asks of `check` is unknown then.

    Bad:

    ```toml
    [check
    strict = true
    ```

    Good:

    ```toml
    [check]
    strict = true
    ```

    Fix: correct the TOML.
    """

    code = "AS430"
    title = "unreadable agentspec.toml"
    severity = "error"
