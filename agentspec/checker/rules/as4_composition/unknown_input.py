"""AS423 unknown input."""

from agentspec.checker.rule import Rule


class UnknownInput(Rule):
    """A run is given an input that the spec does not declare.

    Why: the value would go nowhere. Inputs of presets are given in `extends`, not here.

    Bad:

    ```sh
    agentspec run triage.yaml --input brnach=main
    ```

    Good:

    ```sh
    agentspec run triage.yaml --input branch=main
    ```

    Fix: correct the name, or declare it under `inputs`.
    """

    code = "AS423"
    title = "unknown input"
    severity = "error"
