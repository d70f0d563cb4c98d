"""AS309 word that an enum does not have."""

from agentspec.checker.rule import Rule


class NotInEnum(Rule):
    """A value is compared with a word that it never has.

    Why: the comparison is always false, or always true with `!=`, and nothing else tells of it.

    Bad:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            unit: {enum: [mm, inch]}
          returns: number
          expr: 'args.unit == "cm" ? 10.0 : 1.0'
    ```

    Good:

    ```yaml
    name: triage
    capability:
      tools:
        measure:
          description: One figure
          parameters:
            unit: {enum: [mm, inch]}
          returns: number
          expr: 'args.unit == "inch" ? 25.4 : 1.0'
    ```

    Fix: take one of the words that the finding lists.
    """

    code = "AS309"
    title = "word that an enum does not have"
    severity = "error"
