"""AS029 half a character."""

from agentspec.checker.rule import Rule


class HalfACharacter(Rule):
    r"""An escape names one half of a surrogate pair.

    Why: `\ud83d` and its like are no characters. JSON writes one above U+FFFF as a pair, which is read as one.

    Bad:

    ```yaml
    name: desk
    context:
      system: "Be brief \ud83d"
    ```

    Good:

    ```yaml
    name: desk
    context:
      system: "Be brief \ud83d\ude42"
    ```

    Fix: write both halves, or the character itself.
    """

    code = "AS029"
    title = "half a character"
    severity = "error"
