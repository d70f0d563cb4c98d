"""AS023 misplaced `!unset` or `!final`."""

from agentspec.checker.rule import Rule


class MisplacedMark(Rule):
    """`!unset` or `!final` stands where it says nothing.

    Why: both speak about a key: `!unset` removes it and so has no value, `!final` stops overrides of its value. In JSON
    they are `{"$unset": true}` and `{"$final": 3}`.

    Bad:

    ```yaml
    name: desk
    execution:
      max_nudges: !unset 3
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    execution:
      max_nudges: 3
    context:
      system: Be brief.
    ```

    Fix: write `key: !unset` alone, or `key: !final value`.
    """

    code = "AS023"
    title = "misplaced `!unset` or `!final`"
    severity = "error"
