"""Keys that stand or fall together: who answers, and how many turns there are."""

from __future__ import annotations

import pytest

HOUSE = """\
preset: house
model:
  provider: openai
  model: small
  base_url: http://10.0.0.1
  api_key_env: HOUSE_KEY
  headers: {x: house}
  options: {a: 1}
  fallback: [other]
  context_window: 9
  prices: {input: 1}
  temperature: 0
"""


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("provider: anthropic", {"provider": "anthropic", "temperature": 0}),
        ("model: large", {"model": "large", "temperature": 0}),
        ("ladder: mid", {"ladder": "mid", "temperature": 0}),
        ("routes: [{model: a}]", {"routes": [{"model": "a"}], "temperature": 0}),
        (
            "provider: x, headers: {y: own}, temperature: 1",
            {"provider": "x", "headers": {"y": "own"}, "temperature": 1},
        ),
    ],
)
def test_a_layer_that_says_who_answers_drops_the_whole_route_below(folder, own: str, expected: object) -> None:
    folder.write("house.yaml", HOUSE)

    assert folder.value(f"name: a\nextends: ./house.yaml\nmodel: {{{own}}}\n")["model"] == expected


def test_a_layer_that_only_adds_to_the_route_merges_key_by_key(folder) -> None:
    folder.write("house.yaml", HOUSE)

    model = folder.value("name: a\nextends: ./house.yaml\nmodel: {headers: {y: own}, +fallback: [last]}\n")["model"]

    assert model["provider"] == "openai"
    assert model["headers"] == {"x": "house", "y": "own"}
    assert model["fallback"] == ["other", "last"]


def test_the_nearest_layer_that_names_a_route_decides_also_between_presets(folder) -> None:
    folder.write("house.yaml", HOUSE)
    folder.write("other.yaml", "preset: other\nmodel: {provider: google}\n")

    up = folder.value("name: a\nextends: [./house.yaml, ./other.yaml]\n")["model"]
    down = folder.value("name: a\nextends: [./other.yaml, ./house.yaml]\n")["model"]

    assert up == {"provider": "google", "temperature": 0}
    assert down["base_url"] == "http://10.0.0.1"


def test_the_model_option_drops_the_route_and_a_set_merges_into_it(folder) -> None:
    folder.write("house.yaml", HOUSE)
    spec = "name: a\nextends: ./house.yaml\n"

    replaced = folder.value(spec, model="ollama:llama3:8b")["model"]
    merged = folder.value(spec, sets=["model.provider=ollama"])["model"]
    both = folder.value(spec, model="ollama:llama3:8b", sets=["model.base_url=http://localhost"])["model"]

    assert replaced == {"provider": "ollama", "model": "llama3:8b", "temperature": 0}
    assert merged["provider"] == "ollama"
    assert merged["base_url"] == "http://10.0.0.1"
    assert both == {"provider": "ollama", "model": "llama3:8b", "base_url": "http://localhost", "temperature": 0}


def test_the_two_ways_to_bound_turns_replace_each_other(folder) -> None:
    folder.write("house.yaml", "preset: house\nexecution:\n  iteration_budget: {mode: adaptive, initial: 2, max: 9}\n")
    spec = "name: a\nextends: ./house.yaml\n"

    inherited = folder.value(spec)["execution"]
    own = folder.value(spec + "execution: {max_iterations: 3}\n")["execution"]
    merged = folder.value(spec + "execution: {iteration_budget: {max: 20}}\n")["execution"]
    both = folder.value(spec + "execution: {max_iterations: 3, iteration_budget: {max: 20}}\n")["execution"]
    forced = folder.value(spec, sets=["execution.max_iterations=4"])["execution"]

    assert inherited == {"max_nudges": 8, "iteration_budget": {"mode": "adaptive", "initial": 2, "max": 9}}
    assert own == {"max_nudges": 8, "max_iterations": 3}
    assert merged == {"max_nudges": 8, "iteration_budget": {"mode": "adaptive", "initial": 2, "max": 20}}
    assert both["max_iterations"] == 3
    assert both["iteration_budget"]["max"] == 20
    assert forced == {"max_nudges": 8, "max_iterations": 4}


def test_a_route_key_that_is_final_cannot_be_dropped(folder) -> None:
    folder.write("house.yaml", "preset: house\nmodel: {provider: openai, base_url: !final http://10.0.0.1}\n")

    found = folder.findings("name: a\nextends: ./house.yaml\nmodel: {provider: google}\n")
    forced = folder.findings("name: a\nextends: ./house.yaml\n", model="google:gemini")

    assert found == [
        (
            "AS410 spec.yaml:3:9 `model.base_url` is final and cannot be removed"
            " (a lower layer makes this final: house.yaml:2:27)"
        )
    ]
    assert forced == [
        (
            "AS410 --model google:gemini:1:1 `model.base_url` is final and cannot be removed"
            " (a lower layer makes this final: house.yaml:2:27)"
        )
    ]


@pytest.mark.parametrize(
    ("house", "own", "expected"),
    [
        (
            "{provider: openai, api_key_env: KEY}",
            "{base_url: 'http://x'}",
            [
                (
                    "AS428 spec.yaml:3:19 `model.base_url` would be sent `model.api_key_env` of a layer below"
                    " (this would be sent: house.yaml:2:40)"
                )
            ],
        ),
        (
            "{provider: openai, headers: {A: b}}",
            "{base_url: 'http://x', headers: {C: d}}",
            [
                (
                    "AS428 spec.yaml:3:19 `model.base_url` would be sent `model.headers.A` of a layer below"
                    " (this would be sent: house.yaml:2:40)"
                )
            ],
        ),
        ("{provider: openai, api_key_env: KEY}", "{provider: openai, base_url: 'http://x'}", []),
        ("{provider: openai, base_url: 'http://x'}", "{api_key_env: KEY}", []),
        ("{api_key_env: KEY, base_url: 'http://y'}", "{api_key_env: MINE, base_url: 'http://x'}", []),
    ],
)
def test_credentials_of_one_layer_that_meet_the_host_of_another_are_told(folder, house, own, expected) -> None:
    folder.write("house.yaml", f"preset: house\nmodel: {house}\n")

    assert folder.findings(f"name: a\nextends: ./house.yaml\nmodel: {own}\n") == expected


def test_the_command_line_may_name_a_host(folder) -> None:
    folder.write("house.yaml", "preset: house\nmodel: {provider: openai, api_key_env: KEY}\n")

    assert folder.findings("name: a\nextends: ./house.yaml\n", sets=["model.base_url=http://x"]) == []
