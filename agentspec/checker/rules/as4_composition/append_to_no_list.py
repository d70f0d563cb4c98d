"""AS411 append to something that is no list."""

from agentspec.checker.rule import Rule


class AppendToNoList(Rule):
    """`+key` adds to a value that is no list, or what it adds is no list.

    Why: only lists can be added to; mappings merge by themselves, and other values are replaced by `key`.

    Bad:

    ```yaml
    name: triage
    execution:
      +stop_after_successful_tools: finish
    capability:
      tools:
        finish: {description: Ends the work, expr: "true", returns: boolean}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      +stop_after_successful_tools: [finish]
    capability:
      tools:
        finish: {description: Ends the work, expr: "true", returns: boolean}
    ```

    Fix: put the value into brackets, or write the key without `+`.
    """

    code = "AS411"
    title = "append to something that is no list"
    severity = "error"
