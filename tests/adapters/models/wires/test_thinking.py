"""How much a model thinks: what a spec says, in the words of each protocol, and what follows where they are refused."""

from typing import get_args

import pytest

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.registry import make_model
from agentspec.adapters.models.wires.thinking import Effort, Thinking, read_thinking
from agentspec.ports import ModelRequest, ModelSettings
from agentspec.spec import model as spec_model
from tests.adapters.models.asking import KEY, OPENING
from tests.servers.loopback import Loopback, completion, response

MODELS = {
    "openai": "gpt-5.4-mini",
    "openai_responses": "gpt-5.4-mini",
    "anthropic": "claude-sonnet-5-5",
    "google": "gemini-3.5-flash",
    "ollama": "qwen3",
}
KEYS = {key: KEY for one in PROVIDERS.values() for key in one.key_variables}


async def sent(provider, reasoning, *answers, model=None, options=None):
    """What the server was asked, request by request, and the last answer."""
    async with Loopback(answers or [[response({"error": {"message": "no"}}, 401)]]) as server:
        client = HttpClient()
        settings = ModelSettings(
            provider=provider,
            model=model or MODELS[provider],
            base_url=server.url,
            reasoning=reasoning,
            options=options or {},
            stream=False,
        )
        asked = make_model(settings, KEYS, client)
        for _ in answers or [None]:
            answer = await asked.answer(ModelRequest(OPENING), None)
        await client.close()
        return [each.json for each in server.asked], answer


@pytest.mark.parametrize(
    ("provider", "effort", "fields"),
    [
        ("openai", "off", {"reasoning_effort": "none"}),
        ("openai", "max", {"reasoning_effort": "xhigh"}),
        ("openai_responses", "low", {"reasoning": {"effort": "low", "summary": "auto"}}),
        ("anthropic", "high", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ("anthropic", "off", {"thinking": {"type": "disabled"}}),
        (
            "google",
            "medium",
            {"generationConfig": {"thinkingConfig": {"thinkingLevel": "MEDIUM", "includeThoughts": True}}},
        ),
        ("google", "off", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": True}}}),
        ("ollama", "high", {"think": True}),
        ("ollama", "off", {"think": False}),
    ],
)
async def test_an_effort_is_said_in_the_words_of_the_protocol(provider, effort, fields):
    (asked,), _ = await sent(provider, effort)

    assert {name: asked.get(name) for name in fields} == fields


@pytest.mark.parametrize("provider", MODELS)
async def test_what_is_left_to_the_provider_is_not_said(provider):
    plain, auto, for_a_task = [
        (await sent(provider, given))[0] for given in (None, "auto", {"policy": "auto", "task": "code"})
    ]

    assert plain == auto == for_a_task  # the server is not the provider's own, so nobody knows what the model can


async def test_models_that_count_tokens_get_a_budget_of_the_scale():
    (asked,), _ = await sent("google", {"policy": "low", "scale": "large"}, model="gemini-2.5-flash")

    assert asked["generationConfig"]["thinkingConfig"]["thinkingBudget"] == 8192


async def test_an_option_of_the_provider_wins():
    (asked,), _ = await sent("openai", "high", options={"reasoning_effort": "low"})

    assert asked["reasoning_effort"] == "low"


async def test_a_server_that_refuses_it_is_asked_without():
    refusal = [response({"error": {"message": "Unrecognized request argument: reasoning_effort"}}, 400)]

    asked, answer = await sent("openai", "high", refusal, [response(completion({"content": "Hi."}))])

    assert ["reasoning_effort" in each for each in asked] == [True, False]
    assert answer.text == "Hi."


async def test_another_refusal_is_no_reason_to_think_less():
    refusal = [response({"error": {"message": "Invalid value: 'temperature'"}}, 400)]

    asked, _ = await sent("openai", "high", refusal, refusal)

    assert ["reasoning_effort" in each for each in asked] == [True, True]


@pytest.mark.parametrize(
    ("given", "thinking"),
    [
        ("auto", None),
        ({"policy": "auto"}, None),
        ({"policy": "auto", "task": "code"}, Thinking("medium", "small", is_asked=False)),
        ({"policy": "high", "scale": "large", "task": "code"}, Thinking("high", "large")),
        (None, None),
        (3, None),
    ],
)
def test_what_a_spec_says_is_an_effort_or_left_to_the_provider(given, thinking):
    assert read_thinking(given) == thinking


def test_the_efforts_are_those_of_the_language():
    assert {"auto", *get_args(Effort)} == set(get_args(spec_model.Effort))
