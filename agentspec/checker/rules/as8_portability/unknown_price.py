"""AS802 cost limit without a price."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related

FREE = ("script", "process", "local", "ollama")  # what they cost is not counted in dollars


class UnknownPrice(Rule):
    """A run is limited by cost, and the price of its model is not known.

    Why: without a price nothing can be counted, and the limit would never act.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: our-own-model, base_url: "https://models.example.org/v1"}
    execution:
      limits: {cost_usd: 0.5}
    ```

    Good:

    ```yaml
    name: helper
    model:
      provider: openai
      model: our-own-model
      base_url: "https://models.example.org/v1"
      prices: {input: 0.2, output: 0.8}
    execution:
      limits: {cost_usd: 0.5}
    ```

    Fix: give `model.prices` in dollars per million tokens, or `limits.on_unknown_price: {input: …, output: …}`.
    """

    code = "AS802"
    title = "cost limit without a price"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        limit, model = ("execution", "limits", "cost_usd"), ("model", "model")
        if subject.at(*limit) is None or subject.text(*model) is None or subject.at("model", "prices") is not None:
            return
        is_given = subject.at("execution", "limits", "on_unknown_price") is not None
        # A server of one's own has prices of its own; the catalogue is about the providers' own servers.
        if is_given or subject.at("model", "base_url") is None or subject.text("model", "provider") in FREE:
            return
        yield self.finding(
            subject.span(*model),
            f"the price of `{subject.text(*model)}` is not known, so `limits.cost_usd` cannot be kept",
            path=model,
            help="add `prices: {input: …, output: …}` to `model`, in dollars per million tokens",
            related=(Related(subject.span(*limit), "the limit stands here"),),
        )
