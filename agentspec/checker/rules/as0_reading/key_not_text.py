"""AS011 key that is not text."""

from agentspec.checker.rule import Rule


class KeyNotText(Rule):
    """A key is empty, a list, a mapping or an alias.

    Why: every key of a spec is a name: one word or a text in quotes.

    Bad:

    ```yaml
    name: desk
    x-owners:
      ? [ada, grace]
      : platform
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    x-owners:
      ada: platform
      grace: platform
    context:
      system: Be brief.
    ```

    Fix: write the key out, in quotes if need be.
    """

    code = "AS011"
    title = "key that is not text"
    severity = "error"
