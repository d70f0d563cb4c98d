"""AS330 slot that is not closed or empty."""

from agentspec.checker.rule import Rule


class TemplateSyntax(Rule):
    """A `${` has no `}` on its line, or nothing in between.

    Why: only `${name}` puts a value in. A literal `${` is written `$${`.

    Bad:

    ```yaml
    name: triage
    inputs:
      branch: {type: string, default: main}
    context:
      system: You work on ${inputs.branch.
    ```

    Good:

    ```yaml
    name: triage
    inputs:
      branch: {type: string, default: main}
    context:
      system: You work on ${inputs.branch}.
    ```

    Fix: close the slot, or write `$${` for the two characters.
    """

    code = "AS330"
    title = "slot that is not closed or empty"
    severity = "error"
