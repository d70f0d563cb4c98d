"""AS028 indentation that fits nothing."""

from agentspec.checker.rule import Rule


class Indentation(Rule):
    """A line is indented so that it belongs to nothing above it.

    Why: what belongs together stands in one column. A key below a value, or between two levels, could belong to either.

    Bad:

    ```yaml
    name: desk
    execution:
      max_iterations: 4
        max_nudges: 2
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    execution:
      max_iterations: 4
      max_nudges: 2
    context:
      system: Be brief.
    ```

    Fix: indent the line as those it belongs to.
    """

    code = "AS028"
    title = "indentation that fits nothing"
    severity = "error"
