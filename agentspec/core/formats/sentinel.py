"""sentinel: the word with which a model says that it is done, found in a reply and taken out of what people see."""

from __future__ import annotations

from msgspec.structs import replace

from agentspec.core.messages import Reply
from agentspec.spec.settings import Settings

DEFAULT = "##DONE##"


def sentinel_of(settings: Settings, *, has_tools: bool) -> str | None:
    """The word of a spec. One that names none has the usual word in a loop that could not end without it.

    With the provider's own calls a reply without calls says that the work is done, and a JSON step says so itself.

    >>> sentinel_of(Settings({"execution": {"loop_until_done": True}}), has_tools=False)
    '##DONE##'
    """
    given = settings.get("execution.done_sentinel")
    if given is False or settings.get("execution.turn_policy.allow_done_sentinel") is False:
        return None
    if given is not None:
        return str(given)
    tool_format = settings.text("model.tool_format")
    needs_one = tool_format == "text" or (not has_tools and tool_format != "json")
    return DEFAULT if needs_one and settings.flag("execution.loop_until_done") else None


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
