"""thinking: how much a model is asked to think, in the words of each protocol. A table and no choice of provider.

A server that refuses the words is asked without them for the rest of the run; what an author writes into
`model.options` wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

Effort = Literal["off", "minimal", "low", "medium", "high", "max"]

# What `policy: auto` comes to for a task that the author names; without one it is left to the provider.
OF_TASK: Final[dict[str, Effort]] = {"agent": "medium", "code": "medium", "verify": "medium", "summarize": "low"}
BUDGETS: Final[dict[Effort, int]] = {
    "off": 0, "minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "max": 24576,
}  # fmt: skip
SCALES: Final = {"small": 1, "medium": 2, "large": 4}
OPENAI: Final[dict[Effort, str]] = {
    "off": "none", "minimal": "minimal", "low": "low", "medium": "medium", "high": "high", "max": "xhigh",
}  # fmt: skip
ANTHROPIC: Final[dict[Effort, str]] = {
    "minimal": "low", "low": "low", "medium": "medium", "high": "high", "max": "max",
}  # fmt: skip
GOOGLE: Final[dict[Effort, str]] = {
    "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "max": "HIGH",
}  # fmt: skip
LEVELS = ("gpt-oss",)  # the models of Ollama that know more than whether to think
REFUSED = re.compile(r"reasoning|think|effort")
# A server that does not take back what it said before: its key has changed, or a gateway asks another one this time.
NOT_TAKEN_BACK = re.compile(
    r"signature|encrypted content|encrypted_content|(?:expected|invalid|modified)\b.*\bthinking|"
    r"redacted_thinking|required following item|required 'reasoning' item|items are not persisted|"
    r"reasoning_content|reasoning_details|extra_content"
)


class Thinking(NamedTuple):
    """How hard, and how many tokens a step of that is worth; `is_asked` by the author, and not made of the task."""

    effort: Effort
    scale: str = "small"
    is_asked: bool = True

    @property
    def tokens(self) -> int:
        """A budget, for models that know no other measure."""
        return BUDGETS[self.effort] * SCALES[self.scale]


def read_thinking(given: Any) -> Thinking | None:
    """What a spec says under `model.reasoning`; None where that is left to the provider.

    >>> read_thinking("high")
    Thinking(effort='high', scale='small', is_asked=True)
    >>> read_thinking({"policy": "auto", "task": "summarize"})
    Thinking(effort='low', scale='small', is_asked=False)
    """
    if isinstance(given, str):
        given = {"policy": given}
    if not isinstance(given, Mapping):
        return None
    policy, scale = given.get("policy", "auto"), given.get("scale", "small")
    if policy != "auto":
        return Thinking(policy, scale)
    effort = OF_TASK.get(given.get("task", ""))
    return None if effort is None else Thinking(effort, scale, is_asked=False)


def for_chat(thinking: Thinking, model: str) -> dict[str, Any]:  # noqa: ARG001 - the shape
    """The fields of OpenAI Chat Completions."""
    return {"reasoning_effort": OPENAI[thinking.effort]}


def for_responses(thinking: Thinking, model: str) -> dict[str, Any]:  # noqa: ARG001 - the shape
    """The fields of OpenAI's Responses API."""
    return {"reasoning": {"effort": OPENAI[thinking.effort], "summary": "auto"}}


def for_messages(thinking: Thinking, model: str) -> dict[str, Any]:  # noqa: ARG001 - the shape
    """The fields of Anthropic's Messages API."""
    if thinking.effort == "off":
        return {"thinking": {"type": "disabled"}}
    return {"thinking": {"type": "adaptive"}, "output_config": {"effort": ANTHROPIC[thinking.effort]}}


def for_generate(thinking: Thinking, model: str) -> dict[str, Any]:
    """The fields of Gemini's `generateContent`: models before Gemini 3 count tokens."""
    if thinking.effort == "off" or "gemini-2" in model:
        return {"generationConfig": {"thinkingConfig": {"thinkingBudget": thinking.tokens, "includeThoughts": True}}}
    level = GOOGLE[thinking.effort]
    return {"generationConfig": {"thinkingConfig": {"thinkingLevel": level, "includeThoughts": True}}}


def for_ollama(thinking: Thinking, model: str) -> dict[str, Any]:
    """The fields of Ollama's `/api/chat`."""
    if thinking.effort == "off":
        return {"think": False}
    level = {"minimal": "low", "max": "high"}.get(thinking.effort, thinking.effort)
    return {"think": level if model.startswith(LEVELS) else True}
