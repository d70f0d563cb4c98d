"""models: who answers in a run: the worker, and the models beside it that a spec names for its judges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from agentspec.adapters.models.layers.routed import close_all
from agentspec.adapters.models.registry import make_model
from agentspec.adapters.models.script import Asked, ScriptModel
from agentspec.adapters.outside import Outside
from agentspec.adapters.people.consents import Consents
from agentspec.adapters.people.replies import Rule
from agentspec.adapters.tools.recorded import Recording
from agentspec.api.assembly.assemble import model_settings
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.workspace import Workspace
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import Delta, Failure, Model, ModelRequest, Reply
from agentspec.runtime.answered import Question
from agentspec.spec.judges_at import JUDGES, ROUTE, has_own_model
from agentspec.spec.routes import DEFAULT, Route, routes_of, shadow_of
from agentspec.spec.settings import Settings

# What a judge takes over from the run's model where it names no provider of its own: no key meets another's host.
RUN = "model"  # where the worker stands in a spec
SHARED = ("timeout", "idle_timeout", "stream")


class Lent:
    """A model that another run has opened, and will close."""

    def __init__(self, model: Model) -> None:
        self.provider = model.provider
        self.name = model.name
        self.model = model

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        return await self.model.answer(request, listen)

    async def close(self) -> None: ...


class Models(NamedTuple):
    """`routes` are the worker's, by their numbers. `judges` are by who asks them; who is not among them asks the first
    of the routes.
    """

    routes: tuple[Model, ...]
    judges: Mapping[str, Model]
    shadow: Model | None = None  # that is asked the same as the worker's, for comparison

    @property
    def are_scripted(self) -> bool:
        """Whether some model answers from a list, so that a resumed run has to know where it was."""
        return any(isinstance(unlent(model), ScriptModel) for model in (*self.routes, *self.judges.values()))

    @property
    def names(self) -> list[tuple[str, str]]:
        """Who answers on each route: the provider and the model."""
        return [(model.provider, model.name) for model in self.routes]

    def lent(self) -> tuple[Model, ...]:
        """The routes for a run that this one calls."""
        return tuple(map(Lent, self.routes))

    @property
    def script(self) -> ScriptModel | None:
        """The script that plays the worker, where one does."""
        worker = unlent(self.routes[0])
        return worker if isinstance(worker, ScriptModel) else None

    @property
    def replies(self) -> tuple[Rule, ...]:
        """What the person answers in the scenario that plays the worker."""
        script = self.script
        return () if script is None else script.replies

    @property
    def results(self) -> Recording:
        """What the tools bring that are not run in that scenario."""
        script = self.script
        return Recording() if script is None else script.results

    @property
    def consents(self) -> Consents | None:
        """What is approved in that scenario."""
        script = self.script
        return None if script is None else script.consents

    def play_in(self, outside: Outside) -> None:
        """Let scripts act on the run that has opened them."""
        shadow = () if self.shadow is None else (self.shadow,)
        for model in (*self.routes, *self.judges.values(), *shadow):
            if isinstance(model, ScriptModel):
                model.outside = outside

    def skip(self, answered: Iterable[Question]) -> None:
        """A resumed run has had the answers to these questions already: scripts go on after them."""
        for question in answered:
            own = self.judges.get(question.asker) if question.route is None else None
            model = unlent(own or self.routes[question.route or DEFAULT])
            if isinstance(model, ScriptModel):
                model.skip([Asked(question.role, question.last, question.harness)])

    async def close(self) -> None:
        shadow = () if self.shadow is None else (self.shadow,)
        await close_all((*self.routes, *self.judges.values(), *shadow))


def unlent(model: Model) -> Model:
    """The model itself, where it is lent."""
    return model.model if isinstance(model, Lent) else model


def models_of(blueprint: Blueprint, shared: Workspace) -> Models:
    """Every model that a run may ask. Raises `Unavailable` where one, or its key, is missing."""
    settings, names = blueprint.settings, blueprint.names({})

    def made(given: Settings, place: str) -> Model:
        try:
            return make_model(model_settings(given, names), os.environ, shared.client, blueprint.folder)
        except (SpecInvalid, Unavailable) as problem:
            raise type(problem)(f"`{place}`: {problem}" if place != RUN else str(problem)) from None

    ways = routes_of(settings.get(RUN))
    routes = _sharing_scripts([(way, made(Settings({RUN: way.model}), way.place)) for way in ways])
    judges = {asker: made(given, place) for asker, place, given in own_models(settings, routes[0].provider)}
    asked = shadow_of(settings.get(RUN) or {})
    return Models(routes, judges, None if asked is None else made(Settings({RUN: asked}), f"{RUN}.shadow"))


def _sharing_scripts(made: Iterable[tuple[Route, Model]]) -> tuple[Model, ...]:
    """The models of routes. Those that answer out of the same script take turns in it."""
    scripts: dict[str, ScriptModel] = {}
    routes: list[Model] = []
    for route, model in made:
        if isinstance(model, ScriptModel):
            script = scripts.setdefault(str(route.model.get("options")), model)
            routes.append(script if script is model else script.named(model.name))
        else:
            routes.append(model)
    return tuple(routes)


def own_models(settings: Settings, provider: str) -> Iterator[tuple[str, str, Settings]]:
    """Who has a model of its own, where the spec says so, and the settings of that model.

    `provider` is the worker's, which a spec need not name: what is chosen for it once must hold when a run is resumed.
    """
    run: dict[str, Any] = {"provider": provider, **routes_of(settings.get(RUN))[0].model}
    for asker, place in JUDGES.items():
        if not has_own_model(settings, asker):
            continue
        own = settings.get(place)
        given = {name: own[name] for name in ROUTE if name in own}
        is_own = given.get("provider", run["provider"]) != run["provider"]
        base = {name: run[name] for name in SHARED if name in run} if is_own else run
        yield asker, place, Settings({RUN: base | given})
