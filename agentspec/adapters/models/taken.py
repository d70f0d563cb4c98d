"""taken: the ids of calls that a conversation holds already, so that no later call has one of them."""

from __future__ import annotations

from agentspec.core.messages import AssistantMessage
from agentspec.core.transcript import Transcript


class TakenIds:
    """Kept as the conversation grows; one serves one run."""

    def __init__(self) -> None:
        self._seen = Transcript()
        self._count = 0
        self._ids: set[str] = set()

    def of(self, transcript: Transcript) -> set[str]:
        """The ids of all calls up to here; those of what is shown no more stay taken."""
        if not transcript.is_extension_of(self._seen):
            self._count = 0
        for message in transcript.since(self._count):
            if isinstance(message, AssistantMessage):
                self._ids.update(call.id for call in message.calls)
        self._seen, self._count = transcript, len(transcript)
        return self._ids
