"""AS417 missing preset input."""

from agentspec.checker.rule import Rule


class MissingPresetInput(Rule):
    """A preset is extended without a value for an input that has no default.

    Why: a preset's inputs are its parameters: they are bound where it is extended, and `--input` does not reach
    them.

    Bad:

    ```yaml
    preset: house
    inputs: {turns: integer}
    execution: {max_iterations: "${inputs.turns}"}
    ---
    name: triage
    extends: house
    ```

    Good:

    ```yaml
    preset: house
    inputs: {turns: integer}
    execution: {max_iterations: "${inputs.turns}"}
    ---
    name: triage
    extends: [{use: house, with: {turns: 4}}]
    ```

    Fix: give the value with `{use: …, with: {NAME: …}}`; to pass an input of the spec on, write `"${inputs.NAME}"`.
    """

    code = "AS417"
    title = "missing preset input"
    severity = "error"
