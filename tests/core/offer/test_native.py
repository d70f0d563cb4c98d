"""Who searches for tools: the provider only where all that answer can, and can do what the spec asks for."""

import pytest

from agentspec.core.offer.native import is_native, obstacles
from agentspec.spec.settings import Settings

CLAUDE = {"provider": "anthropic", "model": "claude-sonnet-5-5"}
GPT = {"provider": "openai_responses", "model": "gpt-5.4-mini"}
BM25 = {"strategy": "bm25"}


@pytest.mark.parametrize(
    ("model", "search", "native"),
    [
        (CLAUDE, "bm25", True),
        (CLAUDE, "regex", True),
        (CLAUDE, "hybrid", False),
        (CLAUDE, "off", False),
        (CLAUDE, {**BM25, "mode": "client"}, False),
        (CLAUDE, {**BM25, "budget_tokens": 100}, False),
        (CLAUDE, {**BM25, "rank": "tool.score"}, False),
        (CLAUDE, {**BM25, "include_stub_listing": False, "always_loaded": ["look"]}, True),
        ({**CLAUDE, "model": "claude-3-5-sonnet"}, "bm25", False),
        ({**CLAUDE, "model": "claude-haiku-4-5"}, "bm25", True),
        ({**CLAUDE, "model": "claude-opus-4-1"}, "bm25", False),
        ({**CLAUDE, "base_url": "http://127.0.0.1:1"}, "bm25", False),
        ({**CLAUDE, "tool_format": "json"}, "bm25", False),
        (GPT, "bm25", True),
        (GPT, "hybrid", True),
        (GPT, "regex", False),
        ({**GPT, "model": "gpt-5.3"}, "bm25", False),
        ({**GPT, "model": "gpt-6-sol"}, "bm25", True),
        ({"provider": "openai", "model": "gpt-5.4"}, "bm25", False),
        ({"routes": [{**GPT, "when": "attempt > 1"}, CLAUDE]}, "bm25", True),
        ({"routes": [{"provider": "google", "model": "g", "when": "attempt > 1"}, CLAUDE]}, "bm25", False),
        ({**CLAUDE, "fallback": ["ollama:qwen3"]}, "bm25", False),
        ({}, "bm25", False),
        ({"provider": "script"}, {**BM25, "mode": "native"}, True),
    ],
)
def test_the_provider_searches_where_it_is_known_to_and_nothing_else_is_asked_for(model, search, native):
    assert is_native(Settings({"model": model, "capability": {"tool_search": search}})) is native


def test_every_route_that_cannot_search_is_told_once():
    google = {"provider": "google", "model": "g"}

    assert obstacles({"routes": [{**google, "when": "attempt > 1"}, google, CLAUDE]}, BM25) == [
        "the provider `google` does not search for tools; `anthropic` and `openai_responses` do"
    ]
