"""AS416 preset input of the wrong type."""

from agentspec.checker.rule import Rule


class PresetInputType(Rule):
    """`with` gives a preset's input a value of another type.

    Why: the value takes the place of `${inputs.NAME}` in the preset, where its type matters.

    Bad:

    ```yaml
    preset: house
    inputs: {turns: {type: integer, default: 8}}
    execution: {max_iterations: "${inputs.turns}"}
    ---
    name: triage
    extends: [{use: house, with: {turns: many}}]
    ```

    Good:

    ```yaml
    preset: house
    inputs: {turns: {type: integer, default: 8}}
    execution: {max_iterations: "${inputs.turns}"}
    ---
    name: triage
    extends: [{use: house, with: {turns: 4}}]
    ```

    Fix: give a value of the declared type.
    """

    code = "AS416"
    title = "preset input of the wrong type"
    severity = "error"
