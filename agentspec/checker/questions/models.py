"""models: where a spec names a model, and whose it is, as the rules on portability ask it. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.checker.reading import answered_once
from agentspec.checker.subject import Subject
from agentspec.spec.judges_at import JUDGES
from agentspec.spec.routes import with_spares
from agentspec.syntax.tree import Mapping, Path
from agentspec.text.suggest import nearest

RUN: Path = ("model",)
ROUTES: Path = ("model", "routes")
SHADOW: Path = ("model", "shadow")
RULES = ("when", "python")  # how a route says when it is taken
JUDGE_PLACES: tuple[Path, ...] = tuple(tuple(place.split(".")) for place in JUDGES.values())


class Asked(NamedTuple):
    """A model that a spec names: where its settings stand, its provider and id, and where the id stands.

    One that only `fallback` names has no settings of its own: there both places are the item of that list.
    `is_own_server` is true where another server than the provider's answers: the catalogue is not about its models.
    """

    place: Path
    provider: str
    model: str
    is_own_server: bool
    named_at: Path


@answered_once
def asked_models(subject: Subject) -> list[Asked]:
    """The run's model, those of its routes, what stands in for them, its shadow and its judges: as far as provider and
    id are written down.
    """
    return list(_asked(subject))


def _asked(subject: Subject) -> Iterator[Asked]:
    run = subject.text(*RUN, "provider")
    has_address = subject.at(*RUN, "base_url") is not None
    for place in places(subject):
        provider, model = subject.text(*place, "provider") or run, subject.text(*place, "model")
        if provider is None or model is None or "${" in model or not subject.is_sound(*place, "provider"):
            continue
        is_own = subject.at(*place, "base_url") is not None or (provider == run and has_address)
        yield Asked(place, provider, model, is_own, (*place, "model"))
    for place, provider, model in _stand_ins(subject):
        if provider is not None:
            yield Asked(place, provider, model, provider == run and has_address, place)


def places(subject: Subject) -> tuple[Path, ...]:
    """The mappings that hold the settings of a model."""
    routes = (path for path, node in subject.items(*ROUTES) if isinstance(node, Mapping))
    return (RUN, *routes, SHADOW, *JUDGE_PLACES)


def has_default_route(subject: Subject) -> bool:
    """Whether a route without a condition answers instead of the section's own model."""
    return any(all(subject.at(*path, key) is None for key in RULES) for path, _ in subject.items(*ROUTES))


def _stand_ins(subject: Subject) -> Iterator[tuple[Path, str | None, str]]:
    """The models that `fallback` alone names: where, whose, and which. What is nearly a label is a misspelt one."""
    labels = [label for path, _ in subject.items(*ROUTES) if (label := subject.text(*path, "label"))]
    named = {name: path for path, _, name in subject.references("route") if not nearest(name, labels)}
    if not named or not subject.is_sound(*RUN):
        return
    run = subject.text(*RUN, "provider")
    for spare in with_spares(subject.values(*RUN)).get("spares", ()):
        if spare["label"] in named:
            yield named[spare["label"]], spare.get("provider", run), spare["model"]
