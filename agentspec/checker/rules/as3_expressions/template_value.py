"""AS331 slot that gives no text."""

from agentspec.checker.rule import Rule


class TemplateValue(Rule):
    """A slot gives a list, a mapping or a record.

    Why: only a string, a number, a boolean or a time can stand in a text.

    Bad:

    ```yaml
    name: triage
    inputs:
      tools: {type: "string[]", default: [grep]}
    context:
      system: You may use ${inputs.tools}.
    ```

    Good:

    ```yaml
    name: triage
    inputs:
      tools: {type: "string[]", default: [grep]}
    context:
      system: You may use ${inputs.tools.join(', ')}.
    ```

    Fix: name a field, join the list, or write it with `json.encode`.
    """

    code = "AS331"
    title = "slot that gives no text"
    severity = "error"
