"""AS012 unclosed quote or bracket."""

from agentspec.checker.rule import Rule


class UnclosedBracket(Rule):
    """A quote or bracket is not closed, or closed by another one.

    Why: everything behind it would belong to it. The finding stands at the opening quote or bracket, not where the file
    ends, and the lines behind it are read as if it were closed.

    Bad:

    ```yaml
    name: desk
    execution:
      stop_after_successful_tools: [read_file
    context:
      system: Be brief.
    ```

    Good:

    ```yaml
    name: desk
    capability:
      toolkits: [files.read]
    execution:
      stop_after_successful_tools: [read_file]
    context:
      system: Be brief.
    ```

    Fix: close it.
    """

    code = "AS012"
    title = "unclosed quote or bracket"
    severity = "error"
