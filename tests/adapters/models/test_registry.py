"""Which provider answers: from the spec, else from the environment, else words that say what to set."""

import pytest

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.registry import make_model
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import ModelSettings

KEYS = " or ".join(f"`{key}`" for one in PROVIDERS.values() if one.is_chosen for key in one.key_variables)


def made(environment=None, **settings):
    return make_model(ModelSettings(**settings), environment or {}, HttpClient())


def refusal(environment=None, **settings):
    with pytest.raises(Unavailable) as caught:
        made(environment, **settings)
    return str(caught.value)


@pytest.mark.parametrize(
    ("environment", "settings", "chosen"),
    [
        ({"OPENAI_API_KEY": "sk-1"}, {}, ("openai", "gpt-5.4-mini")),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, {"model": "m"}, ("openai", "m")),
        ({}, {"base_url": "http://127.0.0.1:1/v1", "model": "m"}, ("openai", "m")),
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, {}, ("openai", "gpt-5.4-mini")),
        ({"ANTHROPIC_API_KEY": "a"}, {}, ("anthropic", "claude-sonnet-5-5")),
        ({"GOOGLE_API_KEY": "g"}, {}, ("google", "gemini-3.5-flash")),
        ({"OLLAMA_HOST": "h"}, {"model": "qwen3"}, ("ollama", "qwen3")),
        ({}, {"provider": "ollama", "model": "qwen3"}, ("ollama", "qwen3")),
        ({}, {"provider": "script", "options": {"turns": []}}, ("script", "script")),
        ({"MY_KEY": "k"}, {"provider": "openai", "api_key_env": "MY_KEY", "model": "m"}, ("openai", "m")),
        ({}, {"provider": "openai", "headers": {"Authorization": "Bearer k"}, "model": "m"}, ("openai", "m")),
    ],
)
def test_a_provider_is_chosen(environment, settings, chosen):
    model = made(environment, **settings)

    assert (model.provider, model.name) == chosen


def test_where_nothing_is_configured_the_variables_and_the_offline_way_are_named():
    assert refusal() == (
        f"no model provider is configured: set {KEYS}, or `OPENAI_BASE_URL` for a compatible server; "
        "`--script FILE` or `provider: script` runs without a network"
    )


def test_a_missing_key_is_named():
    assert refusal(provider="openai") == (
        "no key for the provider `openai`: set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a compatible server; "
        "`--script FILE` or `provider: script` runs without a network"
    )
    assert "set `MY_KEY`; " in refusal(provider="openai", api_key_env="MY_KEY", base_url="http://127.0.0.1:1")


def test_a_provider_without_a_usual_model_wants_one_named():
    assert refusal({"OLLAMA_HOST": "h"}) == "the provider `ollama` needs `model.model`: which of its models answers"


def test_a_misspelt_provider_gets_a_suggestion():
    assert refusal(provider="opnai") == "unknown provider `opnai`; did you mean `openai`?"
    assert refusal(provider="x") == (
        "unknown provider `x`; known are `openai`, `anthropic`, `google`, `ollama`, `openai_responses`, `process`, "
        "`script`, `local`"
    )


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("ftp://host/v1", "the URL must begin with `http://` or `https://` and name a host"),
        ("host/v1", "the URL must begin with `http://` or `https://` and name a host"),
        ("http://host:port/v1", "the URL is not well formed (its port or its brackets)"),
        ("http://user:hunter2@host/a b", "has characters that must be percent-encoded"),
    ],
)
def test_an_address_that_cannot_be_is_refused_without_its_password(base_url, words):
    message = refusal(base_url=base_url, model="m")

    assert words in message
    assert "hunter2" not in message


@pytest.mark.parametrize("headers", [{"X-A": "a\r\nX-B: b"}, {"X A": "a"}, {"Content-Length": "0"}, {"X-A": "\u4e2d"}])
def test_a_header_that_would_break_the_request_is_refused_by_name(headers):
    message = refusal(base_url="http://127.0.0.1:1", model="m", headers=headers)

    assert next(iter(headers)) in message


def test_a_key_with_a_newline_is_trimmed_and_one_that_is_no_key_is_refused_without_showing_it():
    made({"OPENAI_API_KEY": "sk-1\n"})

    message = refusal({"OPENAI_API_KEY": "sk-geheim\u00e4"})

    assert message == "the key in `OPENAI_API_KEY` has characters that no key has; set it again"


def test_no_key_shows_in_the_model_or_what_it_is_made_of():
    model = made({"OPENAI_API_KEY": "sk-geheim"}, headers={"X-Token": "geheim-2"})

    shown = " ".join(repr(value) for value in (model, *vars(model).values()))

    assert "sk-geheim" not in shown


@pytest.mark.parametrize("field", ["messages", "tools", "stream", "model"])
def test_options_cannot_take_the_place_of_what_the_run_builds(field):
    with pytest.raises(SpecInvalid, match=f"`model.options.{field}` cannot be set there"):
        made({"OPENAI_API_KEY": "k"}, options={field: 1})
