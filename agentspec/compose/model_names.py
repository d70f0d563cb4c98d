"""model_names: how a model is called in one word: its id, or `PROVIDER:MODEL`. A table and one reading of it."""

from __future__ import annotations

from agentspec.text.installed import PROVIDERS, offers

BUILT_IN_PROVIDERS = ("openai", "openai_responses", "anthropic", "google", "ollama", "process", "local", "script")


def split_name(name: str) -> tuple[str | None, str]:
    """The provider in a name, where it begins with one, and the id of the model. An id may hold colons itself.

    Providers of installed packages count: only a prefix that is none of our own makes it look for them.

    >>> split_name("ollama:qwen3:8b"), split_name("qwen3:8b")
    (('ollama', 'qwen3:8b'), (None, 'qwen3:8b'))
    """
    provider, colon, model = name.partition(":")
    return (provider, model) if colon and model and _is_provider(provider) else (None, name)


def _is_provider(word: str) -> bool:
    return word in BUILT_IN_PROVIDERS or any(offer.name == word for offer in offers(PROVIDERS))
