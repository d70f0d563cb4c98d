"""fixed: what stands in every request of a spec, and the window that it has to fit. Claims only what is certain."""

from __future__ import annotations

from typing import NamedTuple

from agentspec.checker.questions.file_texts import FILE, SYSTEM
from agentspec.checker.reading import answered_once
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import known_window
from agentspec.syntax.tree import Mapping, Node, Path
from agentspec.text.source import Span

CHARACTERS_A_TOKEN = 5  # more than any tokenizer makes of prose, so that nothing is claimed too early
WINDOW: Path = ("model", "context_window")
TOOLS: Path = ("capability", "tools")


class Window(NamedTuple):
    """The tokens of a model's window, where that is known from, and the words that say so."""

    tokens: float
    span: Span
    says: str


class Fixed(NamedTuple):
    """The least number of tokens that every request has, and where most of them are written."""

    tokens: int
    path: Path
    what: str
    verb: str


@answered_once
def window_of(subject: Subject) -> Window | None:
    """The window that the spec gives, or the catalogue for the model of a provider's own server."""
    if subject.at(*WINDOW) is not None:
        written = subject.number(*WINDOW)
        return None if written is None else Window(written, subject.span(*WINDOW), "the window stands here")
    provider, model = subject.text("model", "provider"), subject.text("model", "model")
    if provider is None or model is None or subject.at("model", "base_url") is not None:
        return None
    known = known_window(provider, model)
    return None if known is None else Window(known, subject.span("model", "model"), "the window of this model")


@answered_once
def fixed_part(subject: Subject) -> Fixed | None:
    """The system text and what the tools say of themselves, counted rather too low."""
    in_file = next((text for path, _, text in subject.file_texts if path == (*SYSTEM, FILE)), "")
    system = len(subject.text(*SYSTEM) or in_file)
    tools = sum(_size(tool.body) for tool in subject.tools)
    if not system and not tools:
        return None
    tokens = (system + tools) // CHARACTERS_A_TOKEN
    if not tools:
        return Fixed(tokens, SYSTEM, "the system text", "has")
    if not system:
        return Fixed(tokens, TOOLS, "what the tools say of themselves", "has")
    return Fixed(tokens, SYSTEM if system >= tools else TOOLS, "the system text and the tools", "have")


def compacts(subject: Subject) -> bool:
    """Whether a long conversation is made to fit at all."""
    return "none" not in (subject.text("context", "compaction"), subject.text("context", "compaction", "strategy"))


def _size(tool: Mapping) -> int:
    """The characters of a tool's description and of what its parameters are called and say."""
    return len(text_of(tool.get("description")) or "") + _words(tool.get("parameters"))


def _words(node: Node | None) -> int:
    entries = node.entries if isinstance(node, Mapping) else []
    own = sum(len(entry.name) + len(text_of(entry.value) or "") for entry in entries)
    return own + sum(_words(entry.value) for entry in entries)
