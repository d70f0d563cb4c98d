"""leaked: calls that came as text although the provider's own calls were asked for.

Some servers put a call into the answer's text. It counts only where the whole text is made of calls of tools that are
there; anything else is prose, and prose must not run.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from agentspec.core.formats.objects import DECODER
from agentspec.core.formats.tagged import OPEN, TaggedRead, TextCall, as_call, read_tagged

LONGEST = 262_144  # characters; a longer text is no call
_FENCE = re.compile(r"\A```[a-zA-Z_]*\s*\n(.*?)\n?```\Z", re.DOTALL)
_TAG = re.compile(rf"^[ \t]*{OPEN}", re.MULTILINE)
_BETWEEN = re.compile(r"[\s,;]*")
# How models mark their calls, where a server leaves the marks standing: before JSON (Mistral's, Llama's, Granite's) or
# around a name, with JSON behind it (Llama's, newer ones of Mistral).
_MARK = re.compile(r"(?:\[TOOL_CALLS\]|<\|python_tag\|>|<\|?tool_call\|>)\s*(?=[\[{])")
_NAMED = re.compile(r"(?:<function=([\w.-]+)>|\[TOOL_CALLS\]([\w.-]+)\[ARGS\])\s*(?=\{)")
_CALLED = re.compile(r"(?:<function=|\[TOOL_CALLS\])([\w.-]+)")
_NAMED_END = re.compile(r"\s*</function>")
_KEYS = frozenset(("name", "tool", "arguments", "args", "parameters", "input", "id", "type", "function", "call_id"))


def read_leaked(text: str, tools: Collection[str]) -> tuple[TextCall, ...]:
    """The calls that a whole text is made of, or none.

    >>> read_leaked('{"name": "look", "arguments": {"at": "sky"}}', {"look"})
    (TextCall(name='look', arguments='{"at":"sky"}'),)
    >>> read_leaked('Call it so: {"name": "look", "arguments": {}}', {"look"})
    ()
    """
    body = text.strip()
    if not tools or not body or len(body) > LONGEST:
        return ()
    if body.startswith(OPEN):
        read = read_tagged(body)
        calls = () if read.text or read.lost else read.calls
    else:
        fenced = _FENCE.match(body)
        calls = _objects(fenced[1].strip() if fenced is not None else body)
    return calls if calls and all(call.name in tools for call in calls) else ()


def read_lost(text: str, tools: Collection[str]) -> TaggedRead | None:
    """What a text says beside calls that it ends with and that must not run, and why; None where it ends with none.

    A tag counts at the beginning of a line outside of code fences, with nothing said after it, and the mark of a model
    where the text begins with it: then it is a call that was meant, and a run must not take the text for an answer.

    >>> read_lost('<tool_call>{"name": "look", "argu', {"look"})
    TaggedRead(text='', calls=(), lost=('call 1 is not closed',))
    >>> read_lost('I look.\n<tool_call>{"name": "look", "arguments": {}}</tool_call>', {"look"}).lost
    ('a call stands as text beside prose',)
    >>> read_lost("A call is written between <tool_call> and </tool_call>.", {"look"}) is None
    True
    """
    if not tools or len(text) > LONGEST:
        return None
    if _begins_with_mark(text.lstrip(), tools):
        return TaggedRead("", (), ("a call stands as text in a form that can't be read",))
    found = _TAG.search(text)
    if found is None or text.count("```", 0, found.start()) % 2:
        return None
    said, meant = text[: found.start()].strip(), text[found.start() :]
    read = read_tagged(meant)
    if read.text or any(call.name not in tools for call in read.calls):
        return None
    return TaggedRead(said, (), read.lost or ("a call stands as text beside prose",))


def _begins_with_mark(body: str, tools: Collection[str]) -> bool:
    """Whether a text begins as only calls do; whatever follows, it is no answer."""
    called = _CALLED.match(body)
    return _MARK.match(body) is not None or (called is not None and called[1] in tools)


def _objects(body: str) -> tuple[TextCall, ...]:
    """The calls of a text that is made of nothing else."""
    calls: list[TextCall] = []
    position = 0
    while position < len(body):
        named = _NAMED.match(body, position)
        marked = named or _MARK.match(body, position)
        try:
            value, position = DECODER.raw_decode(body, marked.end() if marked is not None else position)
        except (ValueError, RecursionError):
            return ()
        if named is not None:
            value = {"name": named[1] or named[2], "arguments": value}
            ended = _NAMED_END.match(body, position)
            position = ended.end() if ended is not None else position
        read = [_call(each) for each in _values(value)]
        calls += [call for call in read if call is not None]
        if None in read:
            return ()
        between = _BETWEEN.match(body, position)
        position = between.end() if between is not None else position
    return tuple(calls)


def _values(value: Any) -> list[Any]:
    """What one value holds: itself, the items of a list, or the calls of an answer as providers have it."""
    if isinstance(value, dict) and value.keys() == {"tool_calls"}:
        value = value["tool_calls"]
    return value if isinstance(value, list) else [value]


def _call(value: Any) -> TextCall | None:
    return as_call(value) if isinstance(value, dict) and value.keys() <= _KEYS else None
