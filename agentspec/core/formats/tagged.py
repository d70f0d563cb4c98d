"""tagged: the format `text`: prose with calls in tags, one call a tag, long strings as heredocs.

<tool_call>
{"name": "write_file", "arguments": {"path": "a.py", "content": <<END
print("hi")
END
}}
</tool_call>
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from agentspec.core.formats.objects import DECODER

OPEN, CLOSE = "<tool_call>", "</tool_call>"
MOST_TAGS = 256  # calls of one reply that are read
# A string, the opening of a heredoc, or the end of the tag.
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*(?:"|\Z)|<<[ \t]*[\'"]?(?P<word>[A-Za-z_][A-Za-z0-9_]*)[\'"]?[ \t]*\r?\n|</tool_call>', re.DOTALL
)
_ARGUMENTS = ("arguments", "args", "parameters", "input")


class TextCall(NamedTuple):
    """A call that was written as text; `arguments` is JSON."""

    name: str
    arguments: str


class TaggedRead(NamedTuple):
    """What a reply says to a person, the calls in it, and in words what could not be read."""

    text: str
    calls: tuple[TextCall, ...] = ()
    lost: tuple[str, ...] = ()


def read_tagged(text: str) -> TaggedRead:
    """The calls of a reply, and its text without them.

    >>> read_tagged('I look.<tool_call>{"name": "look", "arguments": {"at": "sky"}}</tool_call>')
    TaggedRead(text='I look.', calls=(TextCall(name='look', arguments='{"at":"sky"}'),), lost=())
    >>> read_tagged('I look.<tool_call>{"name": "look", "arg').lost
    ('call 1 is not closed',)
    """
    visible: list[str] = []
    calls: list[TextCall] = []
    lost: list[str] = []
    position = 0
    while True:
        start = text.find(OPEN, position)
        if start >= 0 and len(calls) + len(lost) == MOST_TAGS:
            lost.append(f"more calls came; at most {MOST_TAGS} calls of one reply are read")
            break
        if start < 0:
            visible.append(text[position:])
            break
        visible.append(text[position:start])
        number = len(calls) + len(lost) + 1
        read = _read_tag(text, start + len(OPEN))
        if read.end is None:
            lost.append(f"call {number} is not closed")
            break
        if read.call is None:
            lost.append(f"call {number} {read.why}")
        else:
            calls.append(read.call)
        position = read.end
    said = "".join(visible).replace(CLOSE, "").strip()
    return TaggedRead(said, tuple(calls), tuple(lost))


def write_tagged(name: str, arguments: str) -> str:
    """A call in its tag, for one that was made in another format."""
    return f'{OPEN}\n{{"name": {json.dumps(name)}, "arguments": {arguments.strip() or "{}"}}}\n{CLOSE}'


def as_call(value: Any) -> TextCall | None:
    """The call that a JSON value is, in one of the forms that models write; None for anything else.

    >>> as_call({"type": "function", "function": {"name": "look", "arguments": "{}"}})
    TextCall(name='look', arguments='{}')
    """
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = value.get("name", value.get("tool"))
    if not isinstance(name, str) or not name.strip():
        return None
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if isinstance(given, str):
        return TextCall(name.strip(), given)
    if given is not None and not isinstance(given, dict):
        return None
    return TextCall(name.strip(), json.dumps(given or {}, ensure_ascii=False, separators=(",", ":")))


class _Tag(NamedTuple):
    call: TextCall | None
    end: int | None  # where the tag ends; None where it does not
    why: str = ""


def _read_tag(text: str, start: int) -> _Tag:
    """The call after an opening tag. Its own strings may hold the closing one: the object is read first."""
    plain, ends = _without_heredocs(text, start)
    if plain is not None:
        try:
            value, length = DECODER.raw_decode(plain.lstrip())
        except (ValueError, RecursionError):
            value = None
        else:
            length += len(plain) - len(plain.lstrip())
            close = re.compile(rf"\s*{CLOSE}").match(plain, length)
            if close is not None:
                call = as_call(value)
                return _Tag(call, ends(close.end()), "" if call is not None else "names no tool")
    close_at = text.find(CLOSE, start)
    if close_at < 0:
        return _Tag(None, None)
    return _Tag(None, close_at + len(CLOSE), "is no JSON object with `name` and `arguments`")


def _without_heredocs(text: str, start: int) -> tuple[str | None, Any]:
    """The text from `start` with each heredoc as a JSON string, and how its positions map to those of the text.

    None where a heredoc is not closed.
    """
    parts: list[str] = []
    marks: list[tuple[int, int]] = [(0, start)]  # position in the result, position in the text
    position, length = start, 0
    for opening, closing, content in _heredocs(text, start):
        if closing < 0:
            return None, None
        piece = text[position:opening] + json.dumps(content)
        parts.append(piece)
        length += len(piece)
        position = closing
        marks.append((length, position))
    parts.append(text[position:])

    def place(at: int) -> int:
        before, there = max((mark for mark in marks if mark[0] <= at), key=lambda mark: mark[0])
        return there + at - before

    return "".join(parts), place


def _heredocs(text: str, start: int) -> list[tuple[int, int, str]]:
    """Every heredoc that stands outside of strings: where it opens, where it is over (-1: never), what it holds."""
    found: list[tuple[int, int, str]] = []
    position = start
    while (token := _TOKEN.search(text, position)) is not None and token[0] != CLOSE:
        word = token["word"]
        if word is None:  # a string: nothing in it counts
            position = token.end()
            continue
        closing = re.compile(rf"^[ \t]*{word}\b", re.MULTILINE).search(text, token.end())
        if closing is None:
            found.append((token.start(), -1, ""))
            break
        content = text[token.end() : closing.start()]
        found.append((token.start(), closing.end(), content.removesuffix("\n").removesuffix("\r")))
        position = closing.end()
    return found
