"""AS425 missing input."""

from agentspec.checker.rule import Rule


class MissingInput(Rule):
    """A run starts without a value for an input that has no default.

    Why: prompts that name it would have no text. `check` and `show` do not need it.

    Bad:

    ```sh
    agentspec run triage.yaml
    ```

    Good:

    ```sh
    agentspec run triage.yaml --input branch=main
    ```

    Fix: give it with `--input NAME=VALUE`, declare a default, or make it optional (`string?`).
    """

    code = "AS425"
    title = "missing input"
    severity = "error"
