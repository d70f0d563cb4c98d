"""routes: the ways to an answer that a spec has, each with all the settings of its model. It chooses none.

A route takes over from the section `model` what it does not say itself; where it names another provider or server,
nothing that belongs to the section's own, neither `headers` nor `api_key_env`; where it names another model, nothing
that describes the section's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agentspec.compose.model_names import split_name
from agentspec.spec.catalogue import is_known

DEFAULT = 0  # the number of the route that is taken where no rule says otherwise
# What belongs to one server, and what of it to one of its models.
OF_A_SERVER = ("provider", "base_url", "api_key_env", "headers", "options")
OF_A_MODEL = ("model", "ladder", "context_window", "prices")
# What is no setting of a call: how routes are chosen, and what holds for all of them.
OF_A_CHOICE = ("label", "when", "python")
WHOLE = "is_whole"  # of a route that has taken over all that it does, when its run began
OF_ALL = ("routes", "fallback", "spares", "shadow")


class Route(NamedTuple):
    """One way to an answer. `at` is where it stands in the list `key` of the section; None: the section itself.

    `rule` says when it is taken (`when`, `python`), `model` is what the section would say if this were its only way.
    """

    number: int
    label: str
    key: str
    at: int | None
    rule: Mapping[str, Any]
    model: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Where it stands, for people.

        >>> routes_of({"routes": [{"model": "small"}]})[0].place
        'model.routes[0]'
        """
        return "model" if self.at is None else f"model.{self.key}[{self.at}]"


def routes_of(model: Mapping[str, Any] | None) -> tuple[Route, ...]:
    """The routes of the section `model`, by their numbers: the default first, then the others as they are written.

    The default is the first route without a condition, else the section itself. Models that only `fallback` names
    (`spares`) come last.

    >>> written = [{"model": "large", "when": "attempt > 1"}, {"model": "small"}]
    >>> [route.label for route in routes_of({"routes": written})]
    ['small', 'large']
    """
    given = with_spares(model or {})
    own = dict(given)
    for name in OF_ALL:
        own.pop(name, None)
    if not given.get("routes") and not given.get("spares"):
        return (Route(DEFAULT, label_of(own), "", None, {}, own),)
    written = [("routes", at, each) for at, each in enumerate(given.get("routes") or ())]
    spares = [("spares", at, each) for at, each in enumerate(given.get("spares") or ())]
    default = next((each for each in written if not rule_of(each[2])), None)
    first = ("", None, {}) if default is None else default
    ordered = [first, *(each for each in written if each is not default), *spares]
    return tuple(_route(number, own, *each) for number, each in enumerate(ordered))


def _route(number: int, section: Mapping[str, Any], key: str, at: int | None, written: Mapping[str, Any]) -> Route:
    model = taken_over(section, written)
    return Route(number, label_of(written) or label_of(model), key, at, rule_of(written), model)


def providers_of(model: Mapping[str, Any] | None) -> list[str]:
    """Who answers on each route; empty where the spec leaves it open.

    >>> providers_of({"provider": "google", "fallback": ["ollama:qwen3"]})
    ['google', 'ollama']
    """
    return [str(route.model.get("provider") or "") for route in routes_of(model)]


def labels_of(model: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The labels of the routes by their numbers; empty where there is only one way."""
    routes = routes_of(model)
    return tuple(route.label for route in routes) if len(routes) > 1 else ()


def taken_over(section: Mapping[str, Any], route: Mapping[str, Any]) -> dict[str, Any]:
    """What a route says, and what it takes over from its section."""
    own = {name: value for name, value in route.items() if name not in (*OF_A_CHOICE, WHOLE)}
    if route.get(WHOLE):
        return own
    dropped: tuple[str, ...] = ()
    if route.get("provider", section.get("provider")) != section.get("provider"):
        dropped = OF_A_SERVER + OF_A_MODEL
    elif route.get("base_url", section.get("base_url")) != section.get("base_url"):
        dropped = OF_A_SERVER[1:] + OF_A_MODEL
    elif "model" in route or "ladder" in route:
        dropped = OF_A_MODEL
    return {name: value for name, value in section.items() if name not in dropped} | own


def settled(model: Mapping[str, Any], names: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The section with its provider and model, and each of its routes whole, with its own: `names`, by their numbers.

    >>> settled({"model": "m", "fallback": ["ollama:n"]}, [("openai", "m"), ("ollama", "n")])["spares"]
    [{'label': 'ollama:n', 'provider': 'ollama', 'model': 'n', 'is_whole': True}]
    """
    section = dict(with_spares(model))
    section |= {key: [dict(each) for each in section[key]] for key in ("routes", "spares") if section.get(key)}
    for route, (provider, name) in zip(routes_of(model), names, strict=True):
        own = {"provider": provider, "model": route.model.get("model") or name}
        if route.at is None:
            section |= own
        else:
            written = section[route.key][route.at]
            chosen = {key: written[key] for key in OF_A_CHOICE if key in written}
            section[route.key][route.at] = {**chosen, **route.model, **own, WHOLE: True}
    return section


def shadow_of(model: Mapping[str, Any]) -> dict[str, Any] | None:
    """The settings of the model that is asked the same for comparison, as a route has them; None without one."""
    shadow = model.get("shadow")
    if shadow is None:
        return None
    default = routes_of(model)[DEFAULT].model
    return taken_over(default, {name: value for name, value in shadow.items() if name != "sample"})


def models_of(model: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The settings of every model that the worker's requests may go to: those of the routes, and the shadow's."""
    shadow = shadow_of(model or {})
    return [*(route.model for route in routes_of(model)), *([] if shadow is None else [shadow])]


def rule_of(route: Mapping[str, Any]) -> dict[str, Any]:
    """When a route is taken; empty where it always is."""
    return {name: route[name] for name in ("when", "python") if route.get(name) is not None}


def label_of(route: Mapping[str, Any]) -> str:
    """The name of a route: its label, else its model."""
    return str(route.get("label") or route.get("model") or route.get("ladder") or "")


def names_of(route: Mapping[str, Any]) -> tuple[str, ...]:
    """Everything that `fallback` may call a route, its own label first."""
    model = str(route.get("model") or "")
    names = (str(route.get("label") or ""), model, f"{route.get('provider')}:{model}" if model else "")
    return tuple(name for name in names if name)


def with_spares(model: Mapping[str, Any]) -> Mapping[str, Any]:
    """The section with every model that only `fallback` names among its `spares`, under that name.

    >>> with_spares({"fallback": ["ollama:qwen3"]})["spares"]
    [{'label': 'ollama:qwen3', 'provider': 'ollama', 'model': 'qwen3'}]
    """
    if "spares" in model or not model.get("fallback"):
        return model
    own = {name: value for name, value in model.items() if name not in OF_ALL}
    written = model.get("routes") or ()
    routes = [taken_over(own, each) | {"label": each.get("label")} for each in written]
    ways = routes if any(not rule_of(each) for each in written) else [own, *routes]
    known = {name for each in ways for name in names_of(each)}
    spares = [_spare(name, own, written) for name in model["fallback"] if name not in known]
    return {**model, "spares": spares}


def _spare(name: str, own: Mapping[str, Any], routes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The route of a name that is no label: the section's own model, where nothing else is its way to it,
    `PROVIDER:MODEL`, or the id of a model of one of the spec's providers.
    """
    if name in names_of(own):
        return {"label": name} | {key: own[key] for key in ("provider", *OF_A_MODEL) if key in own}
    providers = [str(each["provider"]) for each in (own, *routes) if each.get("provider")]
    provider, model = split_name(name)
    if provider is not None:
        return {"label": name, "provider": provider, "model": model}
    known = next((one for one in providers if is_known(one, name)), None)
    return {"label": name, "model": name} | ({"provider": known} if known else {})


def fallbacks_of(model: Mapping[str, Any] | None) -> tuple[int, ...]:
    """The numbers of the routes that are tried in turn when one has failed for good.

    >>> fallbacks_of({"routes": [{"model": "large", "when": "attempt > 1"}, {"model": "small"}], "fallback": ["large"]})
    (1,)
    """
    given = model or {}
    routes = routes_of(given)
    found = (_named(name, routes) for name in given.get("fallback") or ())
    return tuple(dict.fromkeys(number for number in found if number is not None))


def _named(name: str, routes: tuple[Route, ...]) -> int | None:
    """The route of a name; a label comes before a model's id."""
    labelled = next((route.number for route in routes if route.label == name), None)
    if labelled is not None:
        return labelled
    return next((route.number for route in routes if name in names_of(route.model)), None)
