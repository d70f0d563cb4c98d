"""AS428 credentials that meet another layer's host."""

from agentspec.checker.rule import Rule


class ForeignHost(Rule):
    """A layer sets `model.base_url`, and the key or the headers that go there are of a layer below.

    Why: whoever wrote the key meant it for another host. A layer that sets `provider`, `model`, `routes` or `ladder`
    drops all of the route below it; `base_url` alone drops nothing.

    Bad:

    ```yaml
    preset: house
    model: {provider: openai, api_key_env: HOUSE_KEY}
    ---
    name: triage
    extends: house
    model: {base_url: "https://models.example.org/v1"}
    ```

    Good:

    ```yaml
    preset: house
    model: {provider: openai, api_key_env: HOUSE_KEY}
    ---
    name: triage
    extends: house
    model: {provider: openai, base_url: "https://models.example.org/v1", api_key_env: OTHER_KEY}
    ```

    Fix: set `provider` beside `base_url`, with the key that belongs to it.
    """

    code = "AS428"
    title = "credentials that meet another layer's host"
    severity = "warning"
