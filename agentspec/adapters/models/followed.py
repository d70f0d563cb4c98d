"""followed: what a conversation holds already, each message looked at once: the ids of its calls, and its size."""

from __future__ import annotations

from typing import Self

from agentspec.core.messages import AssistantMessage, Message, ToolMessage
from agentspec.core.transcript import Transcript


class Followed:
    """A conversation, followed as it grows; one serves one run.

    `ids` are those of all calls up to here, so that no later one has any of them: those of what is shown no more stay
    taken. `size` is how many characters it has, for an estimate of its tokens.
    """

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.size = 0
        self._seen = Transcript()

    def to(self, transcript: Transcript) -> Self:
        """Go on to the end of this one; of another conversation than before all is looked at.

        >>> from agentspec.core.messages import UserMessage
        >>> Followed().to(Transcript([UserMessage("four")])).size
        4
        """
        known = len(self._seen) if transcript.is_extension_of(self._seen) else 0
        self.size = self.size if known else 0
        for message in transcript.since(known):
            self.size += len(message.text) + self._of_calls(message)
        self._seen = transcript
        return self

    def _of_calls(self, message: Message) -> int:
        """Note the calls of a message; the characters that they, or the name of the one it answers, take."""
        match message:
            case AssistantMessage(calls=calls):
                self.ids.update(call.id for call in calls)
                return sum(len(call.name) + len(call.arguments) for call in calls)
            case ToolMessage(name=name):
                return len(name)
            case _:
                return 0
