"""models: where a spec names a model, and whose it is, as the rules on portability ask it. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.checker.subject import Subject
from agentspec.spec.judges_at import JUDGES
from agentspec.syntax.tree import Mapping, Path

RUN: Path = ("model",)
JUDGE_PLACES: tuple[Path, ...] = tuple(tuple(place.split(".")) for place in JUDGES.values())


class Asked(NamedTuple):
    """A model that a spec names: the mapping that holds its settings, its provider and id.

    `is_own_server` is true where another server than the provider's answers: the catalogue is not about its models.
    """

    place: Path
    provider: str
    model: str
    is_own_server: bool


def asked_models(subject: Subject) -> Iterator[Asked]:
    """The run's model, those of its routes and of its judges, as far as provider and id are written down."""
    run = subject.text(*RUN, "provider")
    has_address = subject.at(*RUN, "base_url") is not None
    routes = [path for path, node in subject.items(*RUN, "routes") if isinstance(node, Mapping)]
    for place in (RUN, *routes, *JUDGE_PLACES):
        provider, model = subject.text(*place, "provider") or run, subject.text(*place, "model")
        if provider is None or model is None or "${" in model or not subject.is_sound(*place, "provider"):
            continue
        is_own = subject.at(*place, "base_url") is not None or (provider == run and has_address)
        yield Asked(place, provider, model, is_own)
