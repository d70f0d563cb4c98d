"""told: messages as plain words: one line each for a digest, whole ones for whoever summarises them. Pure.

Nothing in them reads like a call or a mark of a protocol, which a model would go on to imitate.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentspec.core.judging.consult import clip
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage
from agentspec.core.tokens import tokens_of

LINE = 120  # characters of a line of a digest
SHORT = 600  # characters of a message, where whole ones are too many
HEAD = 0.3  # the share of what fits that is the oldest, where the middle is left out


def digest(messages: Sequence[Message], most: float) -> str:
    """One line for each message, the newest that have room in `most` tokens; the older ones are only counted.

    >>> from agentspec.core.messages import UserMessage
    >>> print(digest([UserMessage("Look.\\nNow."), ToolMessage("c1", "look", "a book")], 100))
    - user: Look.
    - result of look: a book
    """
    lines: list[str] = []
    left = most
    for message in reversed(messages):
        line = f"- {first_line(message)}"
        left -= tokens_of(line) + 1
        if left < 0:
            break
        lines.append(line)
    older = len(messages) - len(lines)
    if older:
        lines.append(f"- {older} older message{'s' if older > 1 else ''}")
    return "\n".join(reversed(lines))


def first_line(message: Message) -> str:
    """Who said it, and the first line of it."""
    who, text = _said(message)
    line = next((line for line in text.splitlines() if line.strip()), "(nothing)").strip()
    room = LINE - len(who) - len(": ")
    return f"{who}: {line if len(line) <= room else f'{line[: room - 1]}…'}"


def whole(messages: Sequence[Message], most: float) -> str:
    """The messages one after the other; where they have more than `most` tokens, shortened, then without a middle."""
    for clipped in (clip, _short):
        lines = [f"{who}: {clipped(text)}" for who, text in map(_said, messages)]
        weights = [tokens_of(line) + 2 for line in lines]
        if _fitting(weights, most) == len(weights):
            return "\n\n".join(lines)
    head = _fitting(weights, most * HEAD)
    tail = _fitting(weights[head:][::-1], most * (1 - HEAD))
    left_out = len(lines) - head - tail
    return "\n\n".join([*lines[:head], f"({left_out} messages are left out here)", *lines[len(lines) - tail :]])


def told(message: Message) -> dict[str, str]:
    """A message as a function of the author's sees it."""
    who, text = _said(message)
    return {"role": who, "content": text}


def _said(message: Message) -> tuple[str, str]:
    match message:
        case ToolMessage(name=name, text=text):
            return f"result of {name}", text
        case AssistantMessage():
            calls = [f"asked for {call.name} with {call.arguments}" for call in message.calls]
            return "assistant", "\n".join(part for part in (message.text, *calls) if part)
        case SystemMessage(text=text):
            return "system", text
        case _:
            return "user", message.text


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT // 2]} … {text[-SHORT // 2 :]}"


def _fitting(weights: Sequence[float], most: float) -> int:
    """How many of them fit, from the first on."""
    total = 0.0
    for count, weight in enumerate(weights):
        total += weight
        if total > most:
            return count
    return len(weights)
