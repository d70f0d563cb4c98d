"""sentinel: the word with which a model says that it is done, found in a reply and taken out of what people see."""

from __future__ import annotations

from msgspec.structs import replace

from agentspec.core.messages import Reply


def without_sentinel(reply: Reply, sentinel: str | None) -> Reply:
    """The reply with the sentinel noted and removed from its visible text; what the model wrote stays in `raw`.

    >>> reply = without_sentinel(Reply(text="All tests pass. ##DONE##"), "##DONE##")
    >>> reply.text, reply.has_sentinel, reply.raw
    ('All tests pass.', True, 'All tests pass. ##DONE##')
    """
    if not sentinel or sentinel not in reply.text:
        return reply
    visible = reply.text.replace(sentinel, "").strip()
    return replace(reply, text=visible, has_sentinel=True, raw=reply.raw or reply.text)
