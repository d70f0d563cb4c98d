"""AS203 unknown unit."""

from agentspec.checker.rule import Rule


class UnknownUnit(Rule):
    """A duration or a size has a unit that is not one of the language.

    Why: units have one spelling each, so that `m` is never read as months or megabytes.

    Bad:

    ```yaml
    name: triage
    execution:
      tool_timeout: 5min
    ```

    Good:

    ```yaml
    name: triage
    execution:
      tool_timeout: 5m
    ```

    Fix: write `ms`, `s`, `m`, `h` or `d` for time; `B`, `KB`, `MB`, `GB`, `KiB`, `MiB` or `GiB` for size.
    """

    code = "AS203"
    title = "unknown unit"
    severity = "error"
