"""layers: what stands around the models of a run: kept answers, circuits, and the rates of providers.

Each is a small model around a model. A spec that asks for none of them has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from agentspec.adapters.models.layers.circuit import Circuit, CircuitModel
from agentspec.adapters.models.layers.paced import Pace, PacedModel, Rate
from agentspec.adapters.models.layers.remembered import Answers, RememberedModel
from agentspec.api.assembly.models import Models, own_models, unlent
from agentspec.core.messages import Reply
from agentspec.ports import Clock, Model
from agentspec.spec.routes import routes_of, shadow_of
from agentspec.spec.settings import Settings

# What says nothing of what is asked: who may ask, what it costs, how long it may take, and how it is watched.
BESIDE = (
    *("api_key_env", "headers", "prices", "context_window", "timeout", "idle_timeout", "stream", "ladder"),
    *("retry", "circuit_breaker", "rate_limit", "cache", "shadow", "prompt_cache"),
)


class Traffic:
    """What the runs of a process know together of the servers that they ask."""

    def __init__(self) -> None:
        self._paces: dict[object, Pace] = {}
        self._circuits: dict[object, Circuit] = {}

    def pace(self, server: object) -> Pace:
        return self._paces.setdefault(server, Pace())

    def circuit(self, model: object) -> Circuit:
        return self._circuits.setdefault(model, Circuit())


TRAFFIC = Traffic()  # of this process: providers count the calls of all of its runs


class Layers:
    """The layers that a spec asks for. What has no server, such as a script, is one run's own."""

    def __init__(self, settings: Settings, answers: Answers, mask: Callable[[Reply], Reply], clock: Clock) -> None:
        self._settings = settings
        self._answers = answers
        self._mask = mask
        self._clock = clock
        self._own = Traffic()
        self._mode = settings.text("model.cache") or "off"

    def around(self, models: Models) -> Models:
        """The same models, each with its layers."""
        asked_for = self._settings.get("model") or {}
        if not any(asked_for.get(key) for key in ("rate_limit", "circuit_breaker")) and self._mode == "off":
            return models
        routes = routes_of(self._settings.get("model"))
        around = tuple(self._around(model, way.model) for model, way in zip(models.routes, routes, strict=True))
        given = {asker: own for asker, _, own in own_models(self._settings, models.routes[0].provider)}
        judges = {
            asker: self._around(model, given[asker].get("model") if asker in given else {})
            for asker, model in models.judges.items()
        }
        asked = shadow_of(self._settings.get("model") or {})
        shadow = None if models.shadow is None or asked is None else self._around(models.shadow, asked)
        return Models(around, judges, shadow)

    def _around(self, model: Model, given: Mapping[str, Any]) -> Model:
        server = getattr(unlent(model), "server", "")
        traffic, who = (TRAFFIC, (model.provider, server)) if server else (self._own, (model.provider, ""))
        made = self._paced(model, traffic, (*who, given.get("api_key_env")))
        made = self._guarded(made, traffic, (*who, model.name))
        return self._remembered(made, who, given)

    def _paced(self, model: Model, traffic: Traffic, server: object) -> Model:
        given = self._settings.get("model.rate_limit")
        return PacedModel(model, traffic.pace(server), Rate(**given), self._clock) if given else model

    def _guarded(self, model: Model, traffic: Traffic, key: object) -> Model:
        threshold = self._settings.whole("model.circuit_breaker.threshold")
        reset = self._settings.seconds("model.circuit_breaker.reset")
        if threshold is None or reset is None:
            return model
        return CircuitModel(model, traffic.circuit(key), self._clock, threshold=threshold, reset=reset)

    def _remembered(self, model: Model, who: tuple[str, str], given: Mapping[str, Any]) -> Model:
        if self._mode == "off":
            return model
        asked = {name: value for name, value in given.items() if name not in BESIDE}
        key = msgspec.json.encode([*who, model.name, asked], order="deterministic")
        return RememberedModel(model, self._answers, key, self._mask, writes=self._mode == "read_write")
