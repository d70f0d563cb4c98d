"""ollama_reply: answers of Ollama's `/api/chat`, whole or line by line, into a draft.

Source: Ollama's API. Each line of a stream is a whole object; the one that says `done` is the last.
"""

from __future__ import annotations

from typing import Any

from agentspec.adapters.models.wires.draft import Complained, Draft, Unreadable, label_of, mapping_of, word_of
from agentspec.adapters.models.wires.json_bytes import to_json


class OllamaReader:
    """Reads one answer into `draft`."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    def add_event(self, name: bytes, event: Any) -> bool:  # noqa: ARG002 - the lines of this protocol have no names
        """Take one decoded line of a stream; say whether anything real was in it. Raises `Complained`."""
        event = mapping_of(event)
        if event.get("error"):
            raise Complained(event)
        self.draft.model = self.draft.model or label_of(event.get("model"))
        real = isinstance(event.get("message"), dict) and self._message(event["message"])
        if event.get("done") is not True:
            return real
        self.draft.finish = label_of(event.get("done_reason")) or "stop"
        self.draft.usage = {
            "prompt_tokens": event.get("prompt_eval_count"),
            "completion_tokens": event.get("eval_count"),
        }
        self.draft.is_done = True
        return True

    def add_whole(self, body: Any) -> None:
        """Take one whole answer, and end. Raises `Unreadable` or `Complained`."""
        if not isinstance(body, dict):
            raise Unreadable("it is JSON, but not an object")
        if not body.keys() & {"message", "error"}:
            raise Unreadable("it has no `message`")
        self.add_event(b"", body)
        self.end()

    def end(self) -> None:
        """The body is over. Raises `Cut` or `Unreadable` where it brought no whole answer."""
        self.draft.end()

    def _message(self, message: dict[str, Any]) -> bool:
        self.draft.is_spoken = True
        thought, text, calls = message.get("thinking"), message.get("content"), message.get("tool_calls")
        self.draft.think(word_of(thought))
        self.draft.say(word_of(text))
        made = [mapping_of(call) for call in calls] if isinstance(calls, list) else []
        for call in made:
            function = mapping_of(call.get("function"))
            given = function.get("arguments")
            arguments = given if isinstance(given, str) else "" if given is None else to_json(given).decode()
            self.draft.extend_call(
                self.draft.begin_call(),
                call_id=word_of(call.get("id")),
                name=word_of(function.get("name")),
                arguments=arguments,
            )
        return bool(thought or text or made)
