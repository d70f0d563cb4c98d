"""AS202 number without a unit."""

from agentspec.checker.rule import Rule


class MissingUnit(Rule):
    """A duration or a size is a bare number.

    Why: nobody can see whether `90` are seconds or milliseconds, and systems differ.

    Bad:

    ```yaml
    name: triage
    execution:
      tool_timeout: 90
    ```

    Good:

    ```yaml
    name: triage
    execution:
      tool_timeout: 90s
    ```

    Fix: add the unit: `ms`, `s`, `m`, `h` or `d` for time; `B`, `KB`, `MB`, `GB`, `KiB`, `MiB` or `GiB` for size.
    The fix that is offered is only a guess and is never made by itself.
    """

    code = "AS202"
    title = "number without a unit"
    severity = "error"
