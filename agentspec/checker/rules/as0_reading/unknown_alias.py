"""AS007 unknown alias."""

from agentspec.checker.rule import Rule


class UnknownAlias(Rule):
    """An alias `*name` has no anchor `&name` above it.

    Why: an alias repeats an anchored value of the same document. A text that only begins with `*`, a glob for instance,
    needs quotes.

    Bad:

    ```yaml
    name: desk
    x-prompt: &prompt Be brief.
    context:
      system: *promt
    ```

    Good:

    ```yaml
    name: desk
    x-prompt: &prompt Be brief.
    context:
      system: *prompt
    ```

    Fix: correct the name, move the anchor above its aliases, or put the text in quotes.
    """

    code = "AS007"
    title = "unknown alias"
    severity = "error"
