"""AS017 leading zero."""

from agentspec.checker.rule import Rule


class LeadingZero(Rule):
    """An integer begins with a zero.

    Why: `012` is twelve in YAML 1.2 and here; tools that read YAML 1.1 take it for ten.

    Bad:

    ```yaml
    name: desk
    execution:
      max_iterations: 012
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    execution:
      max_iterations: 12
    context:
      system: Be brief.
    ```

    Fix: leave the zero out, write `0o14` for octal, or put a text in quotes.
    """

    code = "AS017"
    title = "leading zero"
    severity = "note"
