"""AS008 anchor defined twice."""

from agentspec.checker.rule import Rule


class AnchorDefinedTwice(Rule):
    """A document has the same anchor `&name` twice.

    Why: an alias would mean one or the other by where it stands, and moving a line would change it.

    Bad:

    ```yaml
    name: desk
    x-short: &prompt Be brief.
    x-long: &prompt Explain everything.
    context:
      system: *prompt
    ```

    Good:

    ```yaml
    name: desk
    x-short: &short Be brief.
    x-long: &long Explain everything.
    context:
      system: *short
    ```

    Fix: rename one of the anchors.
    """

    code = "AS008"
    title = "anchor defined twice"
    severity = "error"
