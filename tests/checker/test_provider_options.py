"""What the catalogue says of requests is what the vendors' own types have."""

from typing import get_type_hints

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from ollama import Options
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

from agentspec.adapters.models.local import SHIPPED
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.api.check import check
from agentspec.core.models.local import NAMED
from agentspec.spec.catalogue import dialect

OURS = {"model", "messages", "input", "tools", "stream", "system"}  # which no option may set
OLD = {"function_call", "functions"}
OLDER = {"temperature", "top_p", "top_k"}  # in the version that takes them
BETA = {"mcp_servers"}
GONE_FROM_OLLAMA = {"low_vram", "f16_kv", "logits_all", "vocab_only", "embedding_only"}  # its server has no such fields


@pytest.mark.parametrize(
    ("provider", "params", "more", "less"),
    [
        ("openai", CompletionCreateParamsNonStreaming, set(), OLD),
        ("openai_responses", ResponseCreateParamsNonStreaming, set(), set()),
        ("anthropic", MessageCreateParamsNonStreaming, OLDER | BETA, set()),
    ],
)
def test_the_options_of_a_provider_are_the_fields_of_its_requests(provider, params, more, less):
    assert set(dialect(provider)["options"]) == set(get_type_hints(params)) - OURS - less | more


def test_what_ollama_runs_a_model_with_is_what_its_own_package_has():
    own = set(get_type_hints(Options))

    assert set(dialect("ollama")["inner"]) == own - GONE_FROM_OLLAMA | {"min_p"}


def test_what_check_knows_of_models_is_what_adapters_do():
    assert tuple(SHIPPED) == NAMED
    assert [name for name, provider in PROVIDERS.items() if not provider.model] == ["ollama"]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("{provider: openai, model: gpt-5.4, options: {top_k: 3}}", [("AS819", "top_k")]),
        ("{provider: openai, model: gpt-5.4, options: {made_up: 3, user: u}}", []),
        ("{provider: openai, model: gpt-5.4, options: {temprature: 1}}", [("AS819", "temprature")]),
        ("{provider: ollama, model: qwen3, options: {num_ctx: 8192}}", [("AS819", "num_ctx")]),
        ("{provider: ollama, model: qwen3, options: {options: {num_ctx: 8192, made_up: 1}}}", []),
        ("{provider: ollama, model: qwen3, options: {options: {num_ctxt: 8192}}}", [("AS819", "num_ctxt")]),
        ("{provider: local, base_url: http://h/v1, api_key_env: K}", [("AS812", "base_url"), ("AS812", "api_key_env")]),
        ("{provider: script, ladder: small, options: {turns: [text: x]}}", [("AS812", "ladder")]),
        ("{provider: process, headers: {A: b}, options: {command: [cat]}}", [("AS812", "headers")]),
        ("{provider: local, options: {threads: 2, top_k: 3, keep: 1}}", []),
        ("{provider: openai, model: our, base_url: http://h/v1, options: {top_k: 3}}", []),
        ("{provider: anthropic, model: claude-haiku-4-5, temperature: 1.1}", [("AS822", "1.1")]),
        ("{provider: anthropic, model: claude-haiku-4-5, temperature: 1}", []),
        ("{provider: anthropic, model: our, base_url: http://h, temperature: 1.1}", []),
        ("{provider: openai, model: our-own, options: {top_k: 3}}", [("AS809", "our-own")]),
        ("{provider: anthropic, model: claude-opus-5, options: {response_format: {}}}", [("AS819", "response_format")]),
        ("{provider: google, model: gemini-3.5-flash, options: {thinking: {}}}", [("AS819", "thinking")]),
        ("{provider: ollama, model: qwen3, options: {options: {num_ctx: 9}}}", []),
        ("{provider: openai, model: claude-opus-5}", [("AS820", "claude-opus-5")]),
        ("{provider: openai_responses, model: gemini-3.5-flash}", [("AS820", "gemini-3.5-flash")]),
        ("{provider: openai, model: claude-opus-5, base_url: http://h/v1}", []),
        ("{provider: ollama, model: claude-opus-5}", []),
        ("{provider: ollama, model: qwen3, tool_choice: none}", [("AS524", "tool_choice"), ("AS812", "tool_choice")]),
        ("{provider: openai, model: gpt-5.4, prompt_cache: {ttl: 1h}}", [("AS812", "prompt_cache")]),
        ("{provider: openai, model: gpt-5.4, prompt_cache: auto}", []),
        ("{provider: anthropic, model: claude-opus-5, prompt_cache: {ttl: 1h}}", []),
    ],
)
def test_what_a_provider_does_not_take_is_told(tmp_path, model, expected):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\nmodel: {model}\n")

    assert [(one.code, one.span.text) for one in check(path).diagnostics] == expected
