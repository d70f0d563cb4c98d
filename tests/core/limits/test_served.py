"""What a provider charges for the tools that it ran itself, as its answers tell of them."""

import pytest

from agentspec.core.limits.price import Price, cost_of_call, unpriced_in
from agentspec.core.messages import ProviderCall, Reply, Usage
from agentspec.spec.catalogue import known_prices

OPENED = {"action": {"type": "open_page", "url": "https://w.example"}}
SEARCHED = {"action": {"type": "search", "query": "w"}}
TWICE = {"queries": ["a", "b"]}


@pytest.mark.parametrize(
    ("price", "calls", "cost"),
    [
        (Price(search=0.01), [ProviderCall("web_search")] * 3, 0.03),
        (
            Price(search=0.01),
            [ProviderCall("web_search", status="error"), ProviderCall("web_search", status="open")],
            0,
        ),
        (Price(search=0.01), [ProviderCall("web_search", arguments=one) for one in (SEARCHED, OPENED)], 0.01),
        (Price(search=0.014), [ProviderCall("google_search", arguments=TWICE)], 0.028),
        (Price(searched=0.035), [ProviderCall("google_search", arguments=TWICE)], 0.035),
        (Price(searched=0.035), [ProviderCall("code_execution")], 0),
        (Price(), [ProviderCall("web_search")], 0),
    ],
)
def test_a_search_costs_what_its_provider_asks_for_one(price, calls, cost):
    reply = Reply(provider_calls=tuple(calls), usage=Usage(input_tokens=9))

    assert cost_of_call(reply, price, 5) == pytest.approx(cost)


@pytest.mark.parametrize(
    ("provider", "price", "unknown"),
    [
        ("anthropic", Price(search=0.01), ["code_execution"]),
        ("google", Price(searched=0.035), []),
        ("google", Price(), ["google_search"]),
    ],
)
def test_what_nobody_knows_a_price_of_is_named_once(provider, price, unknown):
    names = ["code_execution", "code_execution", "mcp", "google_search"]
    reply = Reply(provider=provider, provider_calls=tuple(map(ProviderCall, names)))

    assert unpriced_in(reply, price) == unknown


@pytest.mark.parametrize(
    ("provider", "model", "priced"),
    [
        ("anthropic", "claude-opus-5", "search"),
        ("openai_responses", "gpt-5.4-mini", "search"),
        ("google", "gemini-2.5-pro", "searched"),
    ],
)
def test_the_catalogue_knows_what_searches_cost(provider, model, priced):
    assert (known_prices(provider, model) or {})[priced] > 0
