"""announced: find the call that a text speaks of without making it: announced at its end, or in a code fence.

A guess at what was meant: it may be told to the model, and never runs anything.
"""

from __future__ import annotations

import re

LOOKED_AT = 20_000  # characters from the end of a text
LOOKED_BACK = 2  # sentences at the end of a text that may announce something
LAST = 400  # characters that they may have

INTENT = re.compile(
    r"\b(?:I(?:['’]ll| will| am going to|['’]m going to| need to| should)|let(?: me|['’]s)|(?:next|now),? I|calling)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
FENCE = re.compile(r"```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)


def fenced_call(text: str, tools: tuple[str, ...]) -> str | None:
    r"""The tool that a code fence calls: `name(`, or an object that names it.

    >>> fenced_call("Look:\n```\nread(1)\n```", ("read",))
    'read'
    """
    for _, body in FENCE.findall(text[-LOOKED_AT:]):
        for name in tools:
            call = rf"""^\s*{re.escape(name)}\s*\(|"(?:name|tool)"\s*:\s*"{re.escape(name)}\""""
            if re.search(call, body, re.MULTILINE):
                return name
    return None


def announced_call(text: str, tools: tuple[str, ...]) -> str | None:
    """The tool that one of the last two sentences says it is about to call; English only.

    >>> announced_call("There are two files. I will read the first with read_file.", ("read_file",))
    'read_file'
    """
    sentences = [sentence for sentence in SENTENCE.split(text[-LAST:].strip()) if sentence.strip()]
    for sentence in reversed(sentences[-LOOKED_BACK:]):
        if INTENT.search(sentence):
            return next((name for name in tools if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)), None)
    return None
