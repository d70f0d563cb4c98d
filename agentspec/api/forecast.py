"""forecast: what a run would be, before it is one: prompts, tools, rights, secrets, and what it can use at most.

No model is asked, no key is needed, and nothing is opened but the files that the spec names.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Values
from pathlib import Path
from typing import Any, TypeVar, Unpack

from msgspec.structs import replace

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.api.assembly.assemble import filled_in, identify, system_prompt
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.called import blueprint_of
from agentspec.api.assembly.equip import Known, equip
from agentspec.api.assembly.opening import told_before
from agentspec.api.assembly.own_tools import GRACE, STOPPING
from agentspec.api.assembly.pricing import settle_prices
from agentspec.api.assembly.run_names import names_of
from agentspec.api.assembly.tool_format import settle_format
from agentspec.api.assembly.windows import settle_windows
from agentspec.api.authority import rights_in
from agentspec.api.options import RunKeywords, options_of
from agentspec.api.run import as_spec
from agentspec.api.spec import Spec
from agentspec.checker.conceal import without_secrets
from agentspec.compose.documents import items_of
from agentspec.compose.files import Files
from agentspec.compose.rights.rights import Rights
from agentspec.core.context.compacting import strategy_of
from agentspec.core.context.tokens import tokens_of
from agentspec.core.formats.contract import form_of
from agentspec.core.limits.bounds import terms_of
from agentspec.core.limits.price import PLACES, SHADOW, WORKER, Price, dearest
from agentspec.core.limits.reserve import request_cost
from agentspec.core.messages import Message
from agentspec.core.plan import Plan
from agentspec.core.step import initial
from agentspec.core.tools import tokens_of_tool
from agentspec.core.transcript import weight_of
from agentspec.errors import Unavailable
from agentspec.spec.catalogue import FREE, known_window
from agentspec.spec.routes import Route, models_of, routes_of
from agentspec.spec.settings import Settings
from agentspec.syntax.tree import plain
from agentspec.text.hosts import named_host

LIMITS = "execution.limits"
LATER = ("${run.id}", "${run.session_id}")  # what only a run can be asked for stays as it is written
Number = TypeVar("Number", int, float)


def forecast(
    spec: Spec | str | os.PathLike[str], task: str | None = None, **options: Unpack[RunKeywords]
) -> dict[str, Any]:
    """What a run of this spec would be, as plain values; `options` are those of `run`.

    `worst_case` holds what no run can pass; None where nothing bounds it. Raises `SpecInvalid` where the spec has
    errors.

    >>> forecast("examples/first-look/first-look.yaml")["worst_case"]["turns"]
    51
    """
    chosen = options_of("plan", options)
    loaded = as_spec(spec, chosen)
    blueprint = blueprint_of(loaded, chosen)
    notes = list(_settle(blueprint))
    words = task if task is not None else loaded.values.get("task")
    names = names_of(blueprint, *LATER, words or "", time.time())
    settings, project = blueprint.settings, Path(blueprint.project)
    made = blueprint.plan(equip(settings, project, names, Known(agents=blueprint.agents)).plans)
    told = told_before(blueprint, lambda _: "", notes.append)  # no image is kept
    rights = rights_in(loaded.composed, Files())
    planned = {
        "spec": {"name": blueprint.name, "hash": blueprint.spec_hash},
        "model": _model(_routes(settings)[0]),
        "routes": [_route(route) for route in _routes(settings)[1:]],
        "shadow": _shadow(settings),
        "cache": settings.text("model.cache") or "off",
        "prompts": {
            "system": system_prompt(settings, names, project),
            **({"before": "\n\n".join(message.text for message in told)} if told else {}),
            "task": filled_in(words, names, "task") if task is None and words else words,
            **_answer_form(settings, made),
        },
        "context": _context(settings, made, system_prompt(settings, names, project) or "", told),
        "tools": list(_tools(made)),
        "rights": _rights(rights, made, settings, project),
        "secrets": [{"name": name, "is_set": bool(os.environ.get(name))} for name in _secrets(settings, rights)],
        "judges": [asker for asker, place in PLACES.items() if asker != WORKER and settings.get(place)],
        "children": sorted([*(settings.get("capability.subagents") or ()), *blueprint.agents]),
        "worst_case": _worst_case(settings, made),
        "notes": [*notes, *loaded.pending_keys()],
    }
    shown: dict[str, Any] = without_secrets(planned)
    return shown


def _settle(blueprint: Blueprint) -> Iterator[str]:
    """Write down who answers and what that costs, as far as it is known; a line for what would keep a run from it."""
    try:
        for _ in blueprint.settle_routes([identify(route.model, os.environ) for route in _routes(blueprint.settings)]):
            pass
        settle_prices(blueprint, os.environ)
        settle_format(blueprint, os.environ)
        settle_windows(blueprint, os.environ)
    except Unavailable as problem:
        yield str(problem)


def _context(settings: Settings, made: Plan, system: str, told: Sequence[Message]) -> dict[str, Any]:
    """How much of the window of the default route is taken from the start, and from where on a compaction is due."""
    strategy = strategy_of(settings)
    room = strategy.rooms[0]
    fixed = tokens_of(system) + math.fsum(map(weight_of, told))
    fixed += math.fsum(tokens_of_tool(tool) for tool in made.tools.values() if not tool.is_late)
    return {
        "strategy": strategy.name,
        "window": room.window,
        "reserved": None if room.window is None else room.reserved,
        "threshold": None if strategy.name == "none" else room.begins,
        "hard_limit": None if strategy.name == "none" else room.hard,
        "fixed_tokens": round(fixed),
    }


def _answer_form(settings: Settings, made: Plan) -> dict[str, str]:
    """What is told of the form of the answer, where any is owed and no provider holds the answer to it."""
    words = "" if made.answer_schema is not None else form_of(settings, made.sentinel)
    return {"answer": words} if words else {}


def _routes(settings: Settings) -> tuple[Route, ...]:
    return routes_of(settings.get("model"))


def _model(route: Route) -> dict[str, Any]:
    return {name: route.model.get(name) for name in ("provider", "model", "base_url", "prices")}


def _route(route: Route) -> dict[str, Any]:
    return {"label": route.label, "when": route.rule.get("when") or route.rule.get("python"), **_model(route)}


def _shadow(settings: Settings) -> dict[str, Any] | None:
    """The model that is asked the same for comparison, and in which share of the turns."""
    given = settings.get("model.shadow")
    return {name: given.get(name) for name in ("provider", "model", "base_url", "sample")} if given else None


def _tools(made: Plan) -> Iterator[dict[str, str]]:
    """The tools of the run, and those that the provider runs itself; one that comes late adds nothing to its rights."""
    for tool in made.tools.values():
        if not tool.is_late:
            yield {"name": tool.name, "kind": tool.kind, "effect": tool.effect, "repeat": tool.repeat}
    for own in made.provider_tools:
        yield {"name": own.name, "kind": "provider", "effect": own.effect, "repeat": "once"}


def _secrets(settings: Settings, rights: Rights) -> list[str]:
    """The variables of the environment that a run would read a key or an address from."""
    own = map(_key_variable, models_of(settings.get("model")))
    return list(dict.fromkeys((*filter(None, own), *rights.kinds["secrets"])))


def _key_variable(model: Values[str, Any]) -> str | None:
    """The variable in which a model's provider looks for its key, where the spec names none."""
    known = PROVIDERS.get(str(model.get("provider")))
    return None if known is None or model.get("api_key_env") else next(iter(known.key_variables), None)


def _own_server(model: Values[str, Any]) -> str | None:
    """The host that a model's provider answers at, where neither the spec nor the environment names another."""
    known = PROVIDERS.get(str(model.get("provider")))
    if known is None or model.get("base_url"):  # what the spec names is among its rights
        return None
    host = named_host(os.environ.get(known.base_url_variable) or known.base_url)
    return None if host is None else host.shown


def _rights(rights: Rights, made: Plan, settings: Settings, project: Path) -> dict[str, Any]:
    """What the run may do: the effects of its tools, the folders they touch, the programs they start, the hosts that
    it reaches with them and to ask its models.
    """
    servers = filter(None, map(_own_server, models_of(settings.get("model"))))
    commands = (items_of(right.node) for right in rights.kinds["commands"].values())
    return {
        "effects": sorted({tool["effect"] for tool in _tools(made)}),
        "roots": sorted({str((project / root).resolve()) for root in rights.kinds["roots"]}),
        "commands": [[str(plain(element)) for element in argv] for argv in commands],
        "hosts": sorted({*rights.kinds["hosts"], *servers}),
    }


def _worst_case(settings: Settings, made: Plan) -> dict[str, Any]:
    """What no run can pass. Waiting for people counts as time only where the wall clock bounds it."""
    wraps_up = settings.get("execution.wrap_up") is not False
    calls = settings.whole(f"{LIMITS}.provider_calls")
    tokens = _least(settings.whole(f"{LIMITS}.tokens"), _window_tokens(settings, calls))
    wall = settings.seconds(f"{LIMITS}.wall_clock")
    grace = settings.seconds("lifecycle.grace") or GRACE
    return {
        "turns": initial(made).facts.budget.max + (1 if wraps_up else 0),
        "provider_calls": calls,
        "tool_calls": settings.whole(f"{LIMITS}.tool_calls"),
        "tokens": tokens,
        "cost_usd": _worst_cost(settings, made.prices, tokens, calls),
        "seconds": None if wall is None else wall + grace + STOPPING,
    }


def _window_tokens(settings: Settings, calls: int | None) -> int | None:
    """What so many calls can use at most: a model's window holds its request and its answer."""
    windows = list(map(_window, models_of(settings.get("model"))))
    has_judges = any(settings.get(f"{place}.model") for asker, place in PLACES.items() if asker != WORKER)
    known = [window for window in windows if window is not None]
    return None if calls is None or has_judges or len(known) < len(windows) else calls * max(known)


def _window(model: Values[str, Any]) -> int | None:
    window: int | None = model.get("context_window")
    return window or known_window(str(model.get("provider") or ""), str(model.get("model") or ""))


def _worst_cost(settings: Settings, prices: Values[str, Price], tokens: int | None, calls: int | None) -> float | None:
    """What no run can pass, at the dearest price of all its models; a provider that costs nothing has none."""
    bound = settings.number(f"{LIMITS}.cost_usd")
    models = models_of(settings.get("model"))
    mirrored = [prices.get(SHADOW)] if settings.get("model.shadow") else []
    known = [*(on.price for on in terms_of(settings, prices)), *mirrored]
    paid = [price for price, model in zip(known, models, strict=True) if _costs(price, model)]
    if not paid:
        return 0.0
    price = dearest(price for price in paid if price is not None)
    if price is None or None in paid or tokens is None or calls is None:
        return bound
    timeout = max(Settings(model).seconds("timeout") or 120.0 for model in models)
    most = max(request_cost(tokens, replace(price, per_call=0.0, per_second=0.0)), tokens * _output(price) / 1e6)
    return _least(bound, most + calls * (price.per_call + price.per_second * timeout))


def _costs(price: Price | None, model: Values[str, Any]) -> bool:
    if price is None:
        return model.get("provider") not in FREE
    parts = (price.input, price.output, price.cache_write, price.per_call, price.per_second)
    return any((*parts, price.long_input, price.long_output))


def _output(price: Price) -> float:
    return max(price.output, price.long_output or 0.0)


def _least(first: Number | None, second: Number | None) -> Number | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)
