"""AS432 wrong value in agentspec.toml."""

from agentspec.checker.rule import Rule


class SettingsWrongValue(Rule):
    """A setting of `agentspec.toml` has a value that does not fit.

    Why: `ignore` is a list of codes, `severities` gives a code `error`, `warning` or `note`, `strict` is true or
    false.

    Bad:

    ```toml
    [check]
    ignore = "AS414"
    ```

    Good:

    ```toml
    [check]
    ignore = ["AS414"]
    ```

    Fix: write a value of that form.
    """

    code = "AS432"
    title = "wrong value in agentspec.toml"
    severity = "error"
