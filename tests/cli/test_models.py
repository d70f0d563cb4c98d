"""`agentspec models`: what the catalogue knows of models, and which providers are configured; no server is asked."""

import json

import pytest

from agentspec.adapters.models.engine import WINDOW
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.core.models.local import USUAL
from agentspec.spec.catalogue import known_prices, known_window, longest_answer, providers, rows_of
from tests import weights


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    for each in PROVIDERS.values():
        for name in (*each.key_variables, each.base_url_variable):
            monkeypatch.delenv(name, raising=False)


def test_a_model_is_told_with_its_window_and_its_prices(agentspec):
    done = agentspec("models", "openai:gpt-5.4-mini", "--json")

    value = json.loads(done.out)
    assert value["models"] == [
        {
            "provider": "openai",
            "id": "gpt-5.4-mini",
            "context_window": known_window("openai", "gpt-5.4-mini"),
            "max_output_tokens": longest_answer("openai", "gpt-5.4-mini"),
            "prices": known_prices("openai", "gpt-5.4-mini"),
            "takes": [],
            "lacks": [],
            "last_day": None,
            "instead": None,
        }
    ]
    assert [each["name"] for each in value["providers"]] == ["openai", "openai_responses"]


def test_all_models_of_the_catalogue_are_listed_by_provider(agentspec):
    done = agentspec("models")

    count = sum(len(rows_of(name)) for name in providers())
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert lines[-1].startswith(f"{count} models, as of 20")
    assert sum(line.startswith("  ") for line in lines) == count
    assert [line for line in lines if not line.startswith("  ")][:-1] == [
        *(f"{name}: not configured" for name in PROVIDERS),
        "local: configured by `agentspec[local]`" if weights.ARE_HERE else "local: not configured",
    ]


def test_what_a_local_model_is_loaded_with_is_what_the_catalogue_says():
    assert known_window("local", USUAL) == WINDOW


def test_a_provider_that_is_configured_says_by_what_and_never_with_what(agentspec, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-geheim")

    done = agentspec("models", "anthropic")

    assert done.out.startswith("anthropic: configured by `ANTHROPIC_API_KEY`\n")
    assert "geheim" not in done.out


@pytest.mark.parametrize(
    ("word", "hint"),
    [("gpt-5.4-mimi", "; did you mean `gpt-5.4-mini`?"), ("zzzzzzzz", "; `agentspec models` lists them")],
)
def test_a_word_that_nothing_fits_is_told(agentspec, word, hint):
    done = agentspec("models", word)

    assert (done.code, done.out) == (2, "")
    assert f"the catalogue has no model `{word}`{hint}" in done.err
