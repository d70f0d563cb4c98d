"""AS209 text read as something else."""

from agentspec.checker.rule import Rule


class TextWithoutQuotes(Rule):
    """A value is meant as text, and YAML reads it as a number or a boolean.

    Why: `1.10` is read as the number 1.1, and a model named `4` as a number: what was meant is lost.

    Bad:

    ```yaml
    name: triage
    model:
      model: 4
    ```

    Good:

    ```yaml
    name: triage
    model:
      provider: ollama
      model: "4"
    ```

    Fix: put the value in quotes.
    """

    code = "AS209"
    title = "text read as something else"
    severity = "error"
