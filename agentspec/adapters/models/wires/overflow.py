"""overflow: the ways in which servers say that a request is larger than the window of the model.

Data, and one question. None of the words may be ones that a server says of too many requests or of too long an answer.
"""

from __future__ import annotations

OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded"})
WORDS = (
    "context length",  # OpenAI, vLLM, Mistral, DeepSeek, OpenRouter; LM Studio; Ollama; SGLang
    "context window",  # OpenAI, MiniMax
    "context size",  # llama.cpp
    "context_length_exceeded",
    "exceed context limit",  # Anthropic, of input and `max_tokens` together
    "context overflow",
    "maximum model length",  # vLLM, of one prompt
    "maximum prompt length",  # xAI
    "model token limit",  # Moonshot
    "prompt is too long",  # Anthropic, Fireworks
    "prompt too long",  # Ollama
    "prompt exceeds max length",  # Zhipu
    "prompt token count",  # GitHub Copilot
    "input is too long",  # Bedrock
    "input length exceeds",
    "range of input length",  # Alibaba
    "input token count",  # Google
    "input tokens exceed",  # OpenAI, Bedrock
    "too many input tokens",
    "too many tokens",  # Cohere
    "maximum number of tokens",  # Google
    "reduce the length of the messages",  # Groq, Cerebras
    "max_new_tokens` must be <=",  # Hugging Face's server, of both together
    "inputs` must have less than",
)
TOO_LARGE = ("too large", "too long", "request_too_large")  # what 413 says where no token is named


def is_overflow(status: int, codes: frozenset[str], words: str) -> bool:
    """Whether an error says that the request does not fit; `words` in lower case.

    >>> is_overflow(400, frozenset(), "prompt is too long: 9 tokens > 8 maximum")
    True
    """
    if codes & OVERFLOW_CODES or any(each in words for each in WORDS):
        return True
    return status == 413 and (any(each in words for each in TOO_LARGE) or "request_too_large" in codes)
