"""told: messages as plain words: one line each for a digest, whole ones for whoever summarises them. Pure.

Nothing in them reads like a call or a mark of a protocol, which a model would go on to imitate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from agentspec.core.context.tokens import tokens_of
from agentspec.core.judging.consult import CLIP, clip
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage
from agentspec.core.models.replies import BYTES_PER_TOKEN

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
    about = sum(min(len(message.text), CLIP) for message in messages) / BYTES_PER_TOKEN
    told_by = _short if about > most else clip
    head = _fitting(messages, most * HEAD, told_by)
    tail = _fitting(messages[: len(head) - 1 if head else None : -1], most * (1 - HEAD), told_by)
    left_out = len(messages) - len(head) - len(tail)
    gap = (f"({left_out} messages are left out here)",) if left_out else ()
    return "\n\n".join((*head, *gap, *reversed(tail)))


def _fitting(messages: Iterable[Message], most: float, told_by: Callable[[str], str]) -> list[str]:
    """The first of the messages, as many as have room."""
    fitting: list[str] = []
    for message in messages:
        who, text = _said(message)
        line = f"{who}: {told_by(text)}"
        most -= tokens_of(line) + 2
        if most < 0:
            break
        fitting.append(line)
    return fitting


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
