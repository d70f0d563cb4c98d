"""What a library knows of models goes before the catalogue, wherever a spec names one, and after the spec itself."""

from __future__ import annotations

import pytest

from agentspec.checker.check import check_paths
from agentspec.compose.libraries.models import PLACES
from agentspec.compose.load import load
from agentspec.spec.describe import describe
from agentspec.spec.judges_at import JUDGES
from agentspec.syntax.tree import dotted, find, plain

PRICES = {"input": 1, "output": 2}
MANIFEST = """\
library: platform
version: 1.5.0
exports: {presets: [safe]}
models: {openai: {our-own: {context_window: 32000, prices: {input: 1, output: 2}}}}
"""
USE = 'name: triage\nuse: {p: {source: ./platform, version: "^1.5"}}\nextends: p.safe\n'


@pytest.fixture
def tree(project):
    """The effective tree of a spec that says this beside what it extends."""
    project.put("platform/library.yaml", MANIFEST)

    def effective(text: str):
        project.put("triage.yaml", USE + text)
        assert project.lock() == []
        return load("triage.yaml")

    return effective


def test_the_window_and_the_prices_of_the_model_are_the_librarys(tree, project) -> None:
    asks = "model: {provider: openai, model: our-own}\nexecution: {limits: {cost_usd: 1}}\n"
    composed = tree(asks)
    project.put("alone.yaml", f"name: alone\n{asks}")

    model, origin = plain(composed.tree)["model"], composed.origins["model", "context_window"][-1]

    assert (model["context_window"], model["prices"]) == (32000, PRICES)
    assert (origin.layer, origin.span.source.name) == ("library:platform", "platform/library.yaml")
    assert [one.code for one in check_paths([project.path / "triage.yaml"]).diagnostics] == []
    assert "AS802" in [one.code for one in check_paths([project.path / "alone.yaml"]).diagnostics]


def test_what_the_spec_says_holds(tree) -> None:
    model = plain(tree("model: {provider: openai, model: our-own, context_window: 9}\n").tree)["model"]

    assert (model["context_window"], model["prices"]) == (9, PRICES)


ASKED = [path for path in PLACES if path != ("model",)]


@pytest.mark.parametrize("path", ASKED, ids=map(dotted, ASKED))
@pytest.mark.parametrize("provider", ["", "provider: openai, "])
def test_every_place_that_has_prices_gets_them(tree, path, provider) -> None:
    inner = f"{{{provider}model: our-own}}"
    for step in reversed(path[1:]):
        inner = f"{{{'provider: openai, ' * (path[0] == 'model')}{step}: {inner}}}"
    section = "" if path[0] == "model" else "model: {provider: openai, model: gpt-5.4-mini}\n"

    composed = tree(f"{section}{path[0]}: {inner}\n")

    assert plain(find(composed.tree, (*path, "prices"))) == PRICES


def test_the_places_are_all_that_the_schema_knows() -> None:
    judges = [tuple(place.split(".")) for place in JUDGES.values()]
    known = [path for path in (("model", "shadow"), *judges) if describe((*path, "prices")) is not None]

    assert known == ASKED
    assert all(describe((*path, key)) is not None for path, keys in PLACES.items() for key in keys)


def test_routes_get_what_is_known_of_their_models_and_stay_the_specs_own(tree) -> None:
    composed = tree(
        "model:\n  provider: openai\n  routes:\n    - {model: our-own, when: 'attempt > 1', base_url: 'https://x.example'}\n"
        "    - {provider: anthropic, model: our-own}\n    - {model: our-own, prices: {input: 3}}\n"
    )

    routes = plain(composed.tree)["model"]["routes"]

    facts = [{key: each.get(key) for key in ("context_window", "prices")} for each in routes]
    assert facts == [
        {"context_window": 32000, "prices": PRICES},
        {"context_window": None, "prices": None},
        {"context_window": 32000, "prices": {"input": 3}},
    ]
    assert [one.code for one in composed.diagnostics] == []
    layers = [composed.origins["model", "routes", 0, *path][-1].layer for path in (("model",), ("context_window",))]
    assert layers == ["spec", "library:platform"]


def test_the_provider_of_the_default_route_is_that_of_a_judge(tree) -> None:
    composed = tree(
        "model: {routes: [{provider: openai, model: gpt-5.4-mini}]}\nexecution: {step_judge: {model: our-own}}\n"
    )

    assert plain(composed.tree)["execution"]["step_judge"]["prices"] == PRICES
