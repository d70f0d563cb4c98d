"""AS410 override of a final value."""

from agentspec.checker.rule import Rule


class FinalOverridden(Rule):
    """A higher layer changes a value that a lower one made final.

    Why: `!final` (DSL `final`) is how a preset keeps a value for all that extend it. It covers what is inside the
    value as well, and it holds against `--set` and `--model` too. The lower value stays. Of two presets
    in one list the first may have the final value only where the second leaves it alone: the list is what is told then.

    Bad:

    ```yaml
    preset: house
    execution: {max_nudges: !final 2}
    ---
    name: triage
    extends: house
    execution: {max_nudges: 9}
    ```

    Good:

    ```yaml
    preset: house
    execution: {max_nudges: !final 2}
    ---
    name: triage
    extends: house
    execution: {tool_retries: 1}
    ```

    Fix: take the override out, or ask the owner of the preset to open the value. In a list, put the preset
    with the final value last.
    """

    code = "AS410"
    title = "override of a final value"
    severity = "error"
