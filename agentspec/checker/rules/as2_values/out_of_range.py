"""AS205 number out of range."""

from agentspec.checker.rule import Rule


class OutOfRange(Rule):
    """A number is smaller or larger than its key allows.

    Why: a budget of zero or below stops a run before it starts, and a provider refuses a temperature that it
    doesn't know.

    Bad:

    ```yaml
    name: triage
    model:
      temperature: 3
    ```

    Good:

    ```yaml
    name: triage
    model:
      temperature: 1
    ```

    Fix: write a number within the range that the finding names.
    """

    code = "AS205"
    title = "number out of range"
    severity = "error"
