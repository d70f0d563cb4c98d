"""leaked: calls that came as text although the provider's own calls were asked for.

Some servers put a call into the answer's text. It counts only where the whole text is made of calls of tools that are
there; anything else is prose, and prose must not run.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from agentspec.core.formats.objects import DECODER
from agentspec.core.formats.tagged import OPEN, TaggedRead, TextCall, as_call, read_tagged

LONGEST = 262_144  # characters; a longer text is no call
_FENCE = re.compile(r"\A```[a-zA-Z_]*\s*\n(.*?)\n?```\Z", re.DOTALL)
_TAG = re.compile(rf"^[ \t]*{OPEN}", re.MULTILINE)
_BETWEEN = re.compile(r"[\s,;]*")
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

    A tag counts at the beginning of a line outside of code fences, with nothing said after it: then it is a call that
    was meant, and a run must not take the text for an answer.

    >>> read_lost('<tool_call>{"name": "look", "argu', {"look"})
    TaggedRead(text='', calls=(), lost=('call 1 is not closed',))
    >>> read_lost('I look.\n<tool_call>{"name": "look", "arguments": {}}</tool_call>', {"look"}).lost
    ('a call stands as text beside prose',)
    >>> read_lost("A call is written between <tool_call> and </tool_call>.", {"look"}) is None
    True
    """
    found = _TAG.search(text)
    if not tools or found is None or len(text) > LONGEST or text.count("```", 0, found.start()) % 2:
        return None
    said, meant = text[: found.start()].strip(), text[found.start() :]
    read = read_tagged(meant)
    if read.text or any(call.name not in tools for call in read.calls):
        return None
    return TaggedRead(said, (), read.lost or ("a call stands as text beside prose",))


def _objects(body: str) -> tuple[TextCall, ...]:
    if not body.startswith(("{", "[")):
        return ()
    calls: list[TextCall] = []
    position = 0
    while position < len(body):
        try:
            value, position = DECODER.raw_decode(body, position)
        except (ValueError, RecursionError):
            return ()
        for each in value if isinstance(value, list) else [value]:
            call = as_call(each) if isinstance(each, dict) and each.keys() <= _KEYS else None
            if call is None:
                return ()
            calls.append(call)
        between = _BETWEEN.match(body, position)
        position = between.end() if between is not None else position
    return tuple(calls)
