"""What the routes of a spec are: their numbers, what each takes over from the section, and what stays when a run begins."""

from typing import Any

import pytest

from agentspec.spec.routes import fallbacks_of, routes_of, settled

MINE = {"provider": "openai", "base_url": "https://mine", "api_key_env": "MINE", "headers": {"x": "1"}, "model": "m"}
PRICES = {"input": 1.0, "output": 2.0}


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ({}, MINE | {"prices": PRICES}),
        ({"label": "b", "when": "true", "temperature": 1}, MINE | {"prices": PRICES, "temperature": 1}),
        ({"model": "n"}, MINE | {"model": "n"}),
        ({"ladder": "mid"}, {name: value for name, value in MINE.items() if name != "model"} | {"ladder": "mid"}),
        ({"provider": "openai", "model": "n"}, MINE | {"model": "n"}),
        ({"provider": "google"}, {"provider": "google"}),
        ({"base_url": "https://theirs"}, {"provider": "openai", "base_url": "https://theirs"}),
        ({"base_url": "https://mine", "model": "n"}, MINE | {"model": "n"}),
    ],
)
def test_a_route_takes_over_what_belongs_to_its_own_server_and_model(route, expected):
    section = {**MINE, "prices": PRICES, "timeout": 9.0, "routes": [route]}

    found = next(each for each in routes_of(section) if each.at == 0)

    assert found.model == expected | {"timeout": 9.0}


@pytest.mark.parametrize(
    ("routes", "numbers", "default"),
    [
        ([], [], "model"),
        ([{"when": "a"}], [1], "model"),
        ([{"when": "a"}, {}], [1, 0], "model.routes[1]"),
        ([{}, {"when": "a"}], [0, 1], "model.routes[0]"),
        ([{"python": "m:f"}, {}, {}], [1, 0, 2], "model.routes[1]"),
    ],
)
def test_the_first_route_without_a_rule_is_the_default_else_the_section(routes, numbers, default):
    found = routes_of({"model": "m", "routes": routes})

    assert [next(each.number for each in found if each.at == at) for at in range(len(routes))] == numbers
    assert found[0].place == default


@pytest.mark.parametrize(
    ("fallback", "expected"),
    [
        (["b"], [("openai", "n")]),
        (["n"], [("openai", "n")]),
        (["m", "b", "b"], [("openai", "m"), ("openai", "n")]),
        (["anthropic:c"], [("anthropic", "c")]),
        (["qwen3:8b"], [("openai", "qwen3:8b")]),
        (["claude-haiku-4-5"], [("anthropic", "claude-haiku-4-5")]),
    ],
)
def test_a_fallback_is_a_label_or_a_model_or_a_provider_with_one(fallback, expected):
    routes = [{"label": "b", "model": "n", "when": "a"}, {"provider": "anthropic", "model": "d", "when": "a"}]
    model = {"provider": "openai", "model": "m", "routes": routes, "fallback": fallback}
    found = routes_of(model)

    told = [found[number].model for number in fallbacks_of(model)]

    assert [(each["provider"], each["model"]) for each in told] == expected


@pytest.mark.parametrize(
    "section",
    [
        {"options": {"a": 1}, "headers": {"x": "1"}, "routes": [{"provider": "openai", "model": "n", "when": "a"}]},
        {"base_url": "https://mine", "routes": [{"provider": "openai", "when": "a"}, {"ladder": "mid"}]},
        {"model": "m", "prices": PRICES, "routes": [{"when": "a"}, {"temperature": 1}], "fallback": ["google:g", "z"]},
    ],
)
def test_what_a_run_began_with_it_goes_on_with(section: dict[str, Any]):
    before = routes_of(section)
    names = [(each.model.get("provider") or "openai", each.model.get("model") or "chosen") for each in before]

    after = routes_of(settled(section, names))

    expected = [{**each.model, "provider": who, "model": what} for each, (who, what) in zip(before, names, strict=True)]
    assert [each.model for each in after] == expected
    assert [(each.number, each.rule, each.place) for each in after] == [
        (each.number, each.rule, each.place) for each in before
    ]
    assert routes_of(settled(settled(section, names), names)) == after


OWN = {"provider": "openai", "model": "m1", "base_url": "http://one/v1"}
OTHER = {"label": "strong", "model": "m2", "base_url": "http://two/v1", "when": "attempt > 1"}
ALWAYS = {"label": "usual", "model": "m3"}


@pytest.mark.parametrize(
    ("routes", "fallback", "servers"),
    [
        ([OTHER], ["openai:m2"], ["http://two/v1"]),  # the provider of a route may be the section's
        ([OTHER], ["m2"], ["http://two/v1"]),
        ([OTHER], ["openai:m1"], ["http://one/v1"]),
        ([OTHER, ALWAYS], ["m1"], ["http://one/v1"]),  # the section is no route here, and stands in all the same
        ([OTHER], ["openai:m4"], ["http://one/v1"]),
        ([OTHER], ["strong", "openai:m2"], ["http://two/v1"]),  # asked once
    ],
)
def test_what_stands_in_is_asked_at_the_server_of_its_own_route(routes, fallback, servers):
    model = {**OWN, "routes": routes, "fallback": fallback}
    ways = routes_of(model)

    found = [ways[number].model["base_url"] for number in fallbacks_of(model)]

    assert found == servers
    assert len(ways) == len(routes_of({**model, "fallback": []})) + (fallback[0] in ("m1", "openai:m4"))
