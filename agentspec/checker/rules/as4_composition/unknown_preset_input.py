"""AS415 unknown preset input."""

from agentspec.checker.rule import Rule


class UnknownPresetInput(Rule):
    """`with` gives a preset an input that it does not declare.

    Why: the value would go nowhere.

    Bad:

    ```yaml
    preset: house
    inputs: {turns: {type: integer, default: 8}}
    execution: {max_iterations: "${inputs.turns}"}
    ---
    name: triage
    extends: [{use: house, with: {turn: 4}}]
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

    Fix: correct the name; `inputs` of the preset lists them.
    """

    code = "AS415"
    title = "unknown preset input"
    severity = "error"
