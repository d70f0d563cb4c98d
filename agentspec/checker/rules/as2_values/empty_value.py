"""AS206 empty where it means nothing."""

from agentspec.checker.rule import Rule


class EmptyValue(Rule):
    """A list or a text is empty where that says nothing.

    Why: an empty list never means *everything*, and here it can't mean *nothing* either; it is likely a rest of an
    edit.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control: []
    ```

    Good:

    ```yaml
    name: triage
    execution:
      max_iterations: 8
    ```

    Fix: add an item, or leave the key out. To remove what a preset says, write `key: !unset`.
    """

    code = "AS206"
    title = "empty where it means nothing"
    severity = "error"
