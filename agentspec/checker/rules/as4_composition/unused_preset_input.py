"""AS427 preset input that nothing uses."""

from agentspec.checker.rule import Rule


class UnusedPresetInput(Rule):
    """A preset declares an input, and nothing in it asks for it.

    Why: an input of a preset is bound in the preset's own text and nowhere else: a value for it changes nothing.

    Bad:

    ```yaml
    preset: house
    inputs: {turns: integer, place: string}
    execution: {max_iterations: "${inputs.turns}"}
    ```

    Good:

    ```yaml
    preset: house
    inputs: {turns: integer}
    execution: {max_iterations: "${inputs.turns}"}
    ```

    Fix: use it as `${inputs.NAME}`, or take it away.
    """

    code = "AS427"
    title = "preset input that nothing uses"
    severity = "warning"
