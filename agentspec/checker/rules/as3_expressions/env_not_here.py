"""AS332 environment variable where none is read."""

from agentspec.checker.rule import Rule


class EnvNotHere(Rule):
    """A slot reads an environment variable in a text that may be shown or journaled.

    Why: variables hold secrets. They are read only in `url`, `headers`, `env` and `base_url`, and never shown.

    Bad:

    ```yaml
    name: triage
    context:
      system: Your key is ${env.API_KEY}.
    ```

    Good:

    ```yaml
    name: triage
    model:
      provider: openai
      base_url: ${env.API_HOST}
    ```

    Fix: pass the value where a connection is made, or declare an input.
    """

    code = "AS332"
    title = "environment variable where none is read"
    severity = "error"
