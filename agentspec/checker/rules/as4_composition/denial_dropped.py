"""AS413 denial dropped."""

from agentspec.checker.rule import Rule


class DenialDropped(Rule):
    """A layer removes or relaxes what a layer below denies.

    Why: `deny` rules of `approval` and `permissions`, and files that are named as secret, are kept whatever a higher
    layer writes in their place, and a `deny` by default stays one. Writing otherwise would suggest a freedom that the
    run does not have.

    Bad:

    ```yaml
    preset: house
    capability:
      approval: {default: deny, rules: [{effect: read, decision: allow}]}
    ---
    name: triage
    extends: house
    capability:
      approval: {default: allow}
    ```

    Good:

    ```yaml
    preset: house
    capability:
      approval: {default: deny, rules: [{effect: read, decision: allow}]}
    ---
    name: triage
    extends: house
    ```

    Fix: take it out; a higher layer can only add denials.
    """

    code = "AS413"
    title = "denial dropped"
    severity = "error"
