"""tokenizer: the tokens of a long beginning, counted with a model's own vocabulary where an installed package has it.

Asked once, before a run: what it says goes into the journal, so that a resume on another machine decides the same. No
vocabulary is ever fetched.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable

from agentspec.core.messages import Message
from agentspec.core.transcript import MESSAGE_TOKENS, bytes_of

Count = Callable[[str], int]
PUBLIC = ("openai", "openai_responses")  # providers whose vocabularies are public
OLD = re.compile(r"gpt-(3\.5|35|4($|-))")  # models that count with the vocabulary before the present one
PIECE = 50_000  # characters that are counted at a time: the package refuses much longer texts
WORTH_COUNTING = 32_000  # bytes of a beginning; the estimate of a shorter one is true enough until it is counted


def counted(provider: str, model: str, opening: Iterable[Message]) -> int | None:
    """The tokens of a conversation that has only begun; None where it is short, or nobody here can count them.

    >>> counted("anthropic", "claude-opus-5", []) is None
    True
    """
    texts = [message.text for message in opening]
    if provider not in PUBLIC or sum(map(bytes_of, texts)) < WORTH_COUNTING:
        return None
    count = _counter(model)
    return None if count is None else sum(count(text) + int(MESSAGE_TOKENS) for text in texts)


def _counter(model: str) -> Count | None:
    """Who counts as this model does, if somebody is installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how it reads its own files is deprecated
            import bpe_openai  # noqa: PLC0415 - half a second, and optional
    except ImportError:
        return None
    encoding = bpe_openai.get_encoding("cl100k_base" if OLD.match(model) else "o200k_base")

    def count(text: str) -> int:
        pieces = (text[at : at + PIECE] for at in range(0, len(text), PIECE))
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces)

    return count
