"""worker: who answers in a run, out of the models of its routes: in every format, and on pots that it shares."""

from __future__ import annotations

from collections.abc import Sequence

from agentspec.adapters.models.layers.formatted import FormattedModel
from agentspec.adapters.models.layers.routed import RoutedModel
from agentspec.adapters.models.layers.shadowed import ShadowedModel
from agentspec.core.limits.bounds import terms_of
from agentspec.core.limits.price import price_for
from agentspec.core.plan import Plan
from agentspec.ports import Model
from agentspec.runtime.ports import Ports
from agentspec.runtime.pots import Branch, PottedModel
from agentspec.spec.prompts import wording
from agentspec.spec.routes import DEFAULT
from agentspec.spec.settings import Settings


def worker_of(settings: Settings, routes: Sequence[Model], shadow: Model | None = None) -> Model:
    """Who answers the worker on all routes, beside a model that is asked the same for comparison, if there is one."""
    formatted = [_formatted(settings, route) for route in routes]
    worker = formatted[0] if len(formatted) == 1 else RoutedModel(formatted)
    return worker if shadow is None else ShadowedModel(worker, _formatted(settings, shadow))


def _formatted(settings: Settings, model: Model) -> Model:
    return FormattedModel(model, lambda chosen: wording(settings, f"format.{chosen}"))


def draw_on(branch: Branch, ports: Ports, settings: Settings, plan: Plan, routes: Sequence[Model]) -> None:
    """Let the models of a run draw on pots. Nothing is mirrored: no pot has room for two."""
    terms = terms_of(settings, plan.prices)
    usual = terms[DEFAULT]
    ports.judges = {
        asker: PottedModel(
            model, branch, price=price_for(plan.prices, asker), longest=usual.longest, seconds=usual.timeout
        )
        for asker, model in ports.judges.items()
    }
    potted = [
        PottedModel(model, branch, price=on.price, longest=on.longest, seconds=on.timeout)
        for model, on in zip(routes, terms, strict=True)
    ]
    ports.model = worker_of(settings, potted)
