"""A conversation is followed as it grows, and another one is looked at from its beginning."""

from __future__ import annotations

from agentspec.adapters.models.followed import Followed
from agentspec.core.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from agentspec.core.transcript import Transcript

ASKED = UserMessage("go")
CALLED = AssistantMessage("look", calls=(ToolCall("c1", "find", "{}"),))
BROUGHT = ToolMessage(call_id="c1", name="find", text="abc")


def test_the_ids_and_the_size_grow_with_the_conversation() -> None:
    followed, begun = Followed(), Transcript([ASKED])
    called = begun.append(CALLED)

    sizes = [followed.to(grown).size for grown in (begun, called, called.append(BROUGHT))]

    assert sizes == [2, 12, 19]
    assert followed.ids == {"c1"}


def test_another_conversation_is_measured_alone_and_the_ids_of_the_one_before_stay_taken() -> None:
    followed = Followed().to(Transcript([ASKED, CALLED, BROUGHT]))

    followed.to(Transcript([ASKED, AssistantMessage("", calls=(ToolCall("c2", "find", "{}"),))]))

    assert (followed.size, followed.ids) == (8, {"c1", "c2"})
