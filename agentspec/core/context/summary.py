"""summary: what a summariser is asked, and whether its answer is one. Pure.

It sees what is to be left out and, as evidence, what stays, each as the model is shown it; no tools. What is empty, no
shorter than what it stands for, or a call of a tool, is no summary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agentspec.core.context.fold import Fold
from agentspec.core.context.tokens import tokens_of
from agentspec.core.context.told import told, whole
from agentspec.core.judging.consult import clip
from agentspec.core.messages import Message, Reply
from agentspec.core.orders import Consultation
from agentspec.core.proposals import Think

TIMEOUT = 120.0  # seconds of one summary, its tries after passing faults included
LONGEST = 4_096  # tokens of a summary, where the spec says nothing
USUAL_WINDOW = 32_000  # tokens of a summariser's window, where nobody knows it
SHARE, EVIDENCE = 0.6, 0.15  # of that window: what is to be summarised, and what stays


class Material(NamedTuple):
    """What a summary is made of: the task, the summary before it, what it stands for, and what stays as it is."""

    task: str
    notes: str
    left_out: list[Message]
    stays: list[Message]


def material_of(think: Think, fold: Fold, task: str, notes: str) -> Material:
    """What a summary of these messages is made of."""
    transcript, view = think.transcript, think.view
    stays = view.uncut(transcript, range(fold.end, len(transcript)))
    return Material(task, notes, view.uncut(transcript, fold.taken), stays)


def question(system: str, material: Material, window: int | None, longest: int | None) -> Consultation:
    """What a summariser with this window is asked."""
    room = window or USUAL_WINDOW
    pieces = (
        ("task", clip(material.task)),
        ("notes_so_far", material.notes),
        ("messages", whole(material.left_out, room * SHARE)),
        ("evidence", whole(material.stays, room * EVIDENCE)),
    )
    packet = "\n\n".join(_tagged(tag, text) for tag, text in pieces if text)
    most = longest or max(256, min(LONGEST, room // 8))
    return Consultation(system=system, packet=packet, role="summary", timeout=TIMEOUT, max_output_tokens=most)


def _tagged(tag: str, text: str) -> str:
    inside = text.replace(f"</{tag}", f"< /{tag}")
    return f"<{tag}>\n{inside}\n</{tag}>"


def state_for(material: Material) -> dict[str, Any]:
    """The same for a function of the author's, as plain values."""
    return {
        "task": material.task,
        "notes": material.notes,
        "messages": [told(message) for message in material.left_out],
        "evidence": [told(message) for message in material.stays],
    }


def read_summary(reply: Reply, most: float) -> tuple[str, str]:
    """The notes in a reply, or nothing and why it is no summary of something that has `most` tokens.

    >>> read_summary(Reply(text=" It rains. "), 10.0), read_summary(Reply(text=""), 10.0)
    (('It rains.', ''), ('', 'it is empty'))
    """
    text = reply.text.strip()
    if reply.calls:
        return "", "it asks for a tool"
    if not text:
        return "", "it is empty"
    if tokens_of(text) >= most:
        return "", "it is no shorter than what it stands for"
    return text, ""
