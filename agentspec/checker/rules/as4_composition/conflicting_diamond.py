"""AS405 conflicting diamond."""

from agentspec.checker.rule import Rule


class ConflictingDiamond(Rule):
    """Two things that are extended build on the same preset and disagree about it.

    Why: a preset that is reached twice counts once, at its lowest place. Where two branches change one of its
    values in different ways, or give it different inputs, or where the order of the list contradicts their own, one
    of them would lose in silence.

    Bad:

    ```yaml
    preset: house
    execution: {max_nudges: 4}
    ---
    preset: patient
    extends: house
    execution: {max_nudges: 9}
    ---
    preset: strict
    extends: house
    execution: {max_nudges: 0}
    ---
    name: triage
    extends: [patient, strict]
    ```

    Good:

    ```yaml
    preset: house
    execution: {max_nudges: 4}
    ---
    preset: patient
    extends: house
    execution: {max_nudges: 9}
    ---
    preset: strict
    extends: house
    execution: {max_nudges: 0}
    ---
    name: triage
    extends: [patient, strict]
    execution: {max_nudges: 2}
    ```

    Fix: set the value where both are extended, or extend only one of the two.
    """

    code = "AS405"
    title = "conflicting diamond"
    severity = "error"
