"""AS422 bad --model."""

from agentspec.checker.rule import Rule


class BadModelOption(Rule):
    """`--model` needs a provider and a model with a colon between.

    Why: it replaces the whole route of a spec, so both must be said. The model is all that follows the first colon
    and may hold colons itself.

    Bad:

    ```sh
    agentspec run triage.yaml --model gpt-5.4-mini
    ```

    Good:

    ```sh
    agentspec run triage.yaml --model openai:gpt-5.4-mini
    ```

    Fix: write `PROVIDER:MODEL`.
    """

    code = "AS422"
    title = "bad --model"
    severity = "error"
