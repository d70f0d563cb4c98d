"""AS426 default does not fit its type."""

from agentspec.checker.rule import Rule


class DefaultMisfit(Rule):
    """The default of an input is not of the type that the input declares.

    Why: every run without that input would start with a wrong value.

    Bad:

    ```yaml
    name: triage
    inputs:
      retries: {type: integer, default: often}
    context: {system: "Try ${inputs.retries} times."}
    ```

    Good:

    ```yaml
    name: triage
    inputs:
      retries: {type: integer, default: 3}
    context: {system: "Try ${inputs.retries} times."}
    ```

    Fix: correct the default or the type.
    """

    code = "AS426"
    title = "default does not fit its type"
    severity = "error"
