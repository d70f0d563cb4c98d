"""AS016 number without a value."""

from agentspec.checker.rule import Rule


class NumberWithoutValue(Rule):
    """A number is infinite, not a number, or too long.

    Why: `.inf` and `.nan` have no form in JSON and compare with nothing; a number has at most 3 000 digits.

    Bad:

    ```yaml
    name: desk
    model:
      temperature: .inf
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    model:
      temperature: 1.5
    context:
      system: Be brief.
    ```

    Fix: write a number, leave the key out, or put a text in quotes.
    """

    code = "AS016"
    title = "number without a value"
    severity = "error"
