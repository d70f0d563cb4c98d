"""AS333 slot of another language."""

from agentspec.checker.rule import Rule


class ForeignSlot(Rule):
    """A text holds a slot as another language writes it.

    Why: it is plain text here, and the model would read it with its brackets.

    Bad:

    ```yaml
    name: triage
    context:
      system: 'You are {{ run.model }}.'
    ```

    Good:

    ```yaml
    name: triage
    context:
      system: You are ${run.model}.
    ```

    Fix: write `${name}`.
    """

    code = "AS333"
    title = "slot of another language"
    severity = "warning"
