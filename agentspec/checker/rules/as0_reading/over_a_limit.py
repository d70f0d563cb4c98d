"""AS004 over a limit."""

from agentspec.checker.rule import Rule


class OverALimit(Rule):
    """The file is larger, deeper or more repetitive than a spec may be.

    Why: a few hundred bytes of aliases can stand for gigabytes. A file may have 4 MiB, 64 levels and 100 000 keys and
    values, and its aliases may expand to ten times its text. One over a limit is refused as a whole, before it costs
    time or memory.

    Bad:

    ```yaml
    name: desk
    x-a: &a [one, two, three, four, five, six, seven, eight]
    x-b: &b [*a, *a, *a, *a, *a, *a, *a, *a]
    x-c: &c [*b, *b, *b, *b, *b, *b, *b, *b]
    x-d: [*c, *c, *c, *c, *c, *c, *c, *c]
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    x-a: &a [one, two, three, four, five, six, seven, eight]
    x-b: [*a, *a]
    context:
      system: Be brief.
    ```

    Fix: split the spec, load long texts with `file:`, or write the values out.
    """

    code = "AS004"
    title = "over a limit"
    severity = "error"
