"""usage: the tokens of an answer, as reported, or estimated where that is missing or cannot be true."""

from __future__ import annotations

from typing import Any

from agentspec.core.messages import Usage
from agentspec.core.models.replies import estimate_tokens

MOST = 1 << 27  # tokens; more than that no call has used


def read_usage(usage: dict[str, Any], sent: int, written: int) -> Usage:
    """Tokens as reported; estimated from the bytes, and marked so, where that is missing or cannot be true."""
    prompt = _count(usage.get("prompt_tokens", usage.get("input_tokens")))
    output = _count(usage.get("completion_tokens", usage.get("output_tokens")))
    details = _details(usage.get("prompt_tokens_details") or usage.get("input_tokens_details"))
    cached = _count(details.get("cached_tokens", usage.get("prompt_cache_hit_tokens"))) or 0
    stored = _count(details.get("cache_write_tokens")) or 0
    thought = _details(usage.get("completion_tokens_details") or usage.get("output_tokens_details"))
    reasoning = _count(thought.get("reasoning_tokens")) or 0
    guessed_input, guessed_output = not prompt, output is None or (output == 0 and written > 0)
    return Usage(
        input_tokens=estimate_tokens(sent) if guessed_input else prompt or 0,
        output_tokens=estimate_tokens(written) if guessed_output else output or 0,
        cached_input_tokens=0 if guessed_input else min(cached, prompt or 0),
        reasoning_tokens=reasoning,
        estimated=guessed_input or guessed_output,
        cache_write_tokens=0 if guessed_input else min(stored, prompt or 0),
    )


def _count(value: Any) -> int | None:
    """A number of tokens, or None for what is none (text, negative, a boolean, absurdly large)."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value < MOST else None


def _details(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
