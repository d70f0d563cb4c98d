"""AS802 cost limit without a price."""

from collections.abc import Iterator

from agentspec.checker.questions.models import RUN, asked_models, has_default_route
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import FREE, known_prices
from agentspec.syntax.tree import Mapping, Path
from agentspec.text.diagnostic import Diagnostic, Related

LIMIT = ("execution", "limits", "cost_usd")


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
        if subject.at(*LIMIT) is None or isinstance(subject.at("execution", "limits", "on_unknown_price"), Mapping):
            return
        for place, provider, name, is_own_server, path in asked_models(subject):
            is_asked = place != RUN or not has_default_route(subject)
            if not is_asked or provider in FREE or subject.at(*place, "prices") is not None:
                continue
            # A server of one's own has prices of its own; the catalogue is about the providers' own servers.
            if not is_own_server and known_prices(provider, name) is not None:
                continue
            yield self.finding(
                subject.span(*path),
                f"the price of `{name}` is not known, so `limits.cost_usd` cannot be kept",
                path=path,
                help=_way_out(place, has_settings=path != place),
                related=(Related(subject.span(*LIMIT), "the limit stands here"),),
            )


def _way_out(place: Path, *, has_settings: bool) -> str:
    prices = "`prices: {input: …, output: …}`"
    if not has_settings:
        return f"make it one of `routes`, with {prices} in dollars per million tokens, and name its `label` here"
    where = f"`{place[-1]}`" if isinstance(place[-1], str) else "the route"
    return f"add {prices} to {where}, in dollars per million tokens"
