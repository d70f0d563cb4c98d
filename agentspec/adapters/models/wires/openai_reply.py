"""openai_reply: answers of OpenAI Chat Completions, whole or in pieces, into a draft.

Both forms take one path: the pieces of a stream add up to the same draft that a whole answer is read into. Servers
differ in everything that can differ; what is accepted is said beside the code.
"""

from __future__ import annotations

from typing import Any

from agentspec.adapters.models.wires.draft import (
    CallDraft,
    Complained,
    Draft,
    Unreadable,
    keepable,
    label_of,
    mapping_of,
    word_of,
)
from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.pictures import from_url
from agentspec.core.calls.cap import encodable
from agentspec.core.models.replies import finish_of

CALL_FIELDS = frozenset({"id", "type", "function", "index"})
WITHOUT_WORDS = ("content_filter", "refusal")  # reasons for which a message may be missing altogether
REASONING_FIELDS = ("reasoning_content", "reasoning")


class ChatReader:
    """Reads one answer into `draft`."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._by_label: dict[int, CallDraft] = {}
        self._by_id: dict[str, CallDraft] = {}
        self._is_whole = False  # whether each call comes in one piece, so that none continues another
        self._choice_read: Any = None
        self._reasoning_field = ""

    def add_event(self, name: bytes, chunk: Any) -> bool:  # noqa: ARG002 - the events of this protocol have no names
        """Take one decoded event of a stream; say whether anything real was in it. Raises `Complained`."""
        if not isinstance(chunk, dict):
            return False
        if chunk.get("error"):
            raise Complained(chunk)
        self._about(chunk)
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return bool(chunk.get("usage"))
        real = False
        for choice in choices:
            real |= self._choice(choice, "delta")
        return real

    def add_whole(self, body: Any) -> None:
        """Take one whole answer. Raises `Unreadable` or `Complained`."""
        if isinstance(body, list):
            body = body[0] if len(body) == 1 and mapping_of(body[0]).get("error") else body
        if not isinstance(body, dict):
            raise Unreadable("it is JSON, but not an object")
        if body.get("error"):
            raise Complained(body)
        self._about(body)
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices:
            raise Unreadable("it has no `choices`")
        self._is_whole = True
        self._choice(choices[0], "message")
        self.draft.is_done = True
        self.end()

    def end(self) -> None:
        """The body is over. Raises `Cut` or `Unreadable` where it brought no whole answer."""
        self.draft.end()
        if self._reasoning_field == REASONING_FIELDS[0] and any(call.name.strip() for call in self.draft.calls):
            self.draft.extra[REASONING_FIELDS[0]] = encodable(
                str(self.draft.reasoning)
            )  # wanted back beside the calls it led to

    def _about(self, chunk: dict[str, Any]) -> None:
        usage = chunk.get("usage") or mapping_of(chunk.get("x_groq")).get("usage")
        if isinstance(usage, dict):
            self.draft.usage = usage  # later ones are totals and take the place of earlier ones
        self.draft.model = self.draft.model or label_of(chunk.get("model"))
        self.draft.request_id = self.draft.request_id or label_of(chunk.get("id"))

    def _choice(self, choice: Any, key: str) -> bool:
        if not isinstance(choice, dict):
            return False
        number = choice.get("index") or 0
        if self._choice_read is None:
            self._choice_read = number
        if number != self._choice_read:
            return False  # another alternative (`n` > 1): one is the answer
        if choice.get("error"):
            raise Complained(choice)
        if isinstance(choice.get("usage"), dict):
            self.draft.usage = choice["usage"]
        message = choice.get(key) or choice.get("message") or choice.get("delta") or choice.get(key)
        finish = choice.get("finish_reason")
        real = self._message(mapping_of(message))
        if isinstance(finish, str) and finish:
            self.draft.finish = label_of(finish)
            real = True
        if isinstance(message, dict) or finish_of(self.draft.finish or "", has_calls=False) in WITHOUT_WORDS:
            self.draft.is_spoken = True
        return real

    def _message(self, message: dict[str, Any]) -> bool:
        real = False
        content = message.get("content")
        if content:
            real |= self._content(content)
        refusal = message.get("refusal")
        if refusal and isinstance(refusal, str):
            self.draft.refusal.add(refusal)
            real = True
        for field in REASONING_FIELDS:
            piece = message.get(field)
            if piece and isinstance(piece, str):
                self._reasoning_field = self._reasoning_field or field
                if field == self._reasoning_field:
                    self.draft.think(piece)
                real = True
        images = message.get("images")
        for image in images if isinstance(images, list) else []:
            real |= self._image(image)
        details = message.get("reasoning_details")
        if isinstance(details, list) and details:
            self.draft.room.take(len(to_json(details)))
            self.draft.extra.setdefault("reasoning_details", []).extend(keepable(details) or [])
            real = True
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            for call in calls:
                real |= self._add_call(call)
        function = message.get("function_call")
        if isinstance(function, dict):
            real |= self._add_call({"index": 0, "function": function})
        return real

    def _content(self, content: Any) -> bool:
        """Text, or a list of parts: texts, refusals and thinking (Mistral's form)."""
        if isinstance(content, str):
            self.draft.say(content)
            return True
        real = False
        for part in content if isinstance(content, list) else []:
            part = {"type": "text", "text": part} if isinstance(part, str) else mapping_of(part)  # noqa: PLW2901
            if part.get("type") in ("thinking", "reasoning"):
                inner = part.get("thinking") or part.get("text")
                pieces = inner if isinstance(inner, list) else [{"text": inner}]
                for piece in pieces:
                    self.draft.think(word_of(mapping_of(piece).get("text")))
            elif part.get("type") == "image_url":
                self._image(part)
            elif part.get("type") == "refusal":
                self.draft.refusal.add(word_of(part.get("refusal")))
            else:
                self.draft.say(word_of(part.get("text")))
            real = True
        return real

    def _image(self, part: Any) -> bool:
        url = mapping_of(part).get("image_url")
        return self.draft.see(from_url(mapping_of(url).get("url") or url))

    def _add_call(self, piece: Any) -> bool:
        """Add a call, or a piece of one."""
        if not isinstance(piece, dict):
            return False
        function = mapping_of(piece.get("function"))
        label, call_id, name = piece.get("index"), word_of(piece.get("id")), word_of(function.get("name"))
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            arguments = to_json(arguments).decode()  # an object where its text belongs (Ollama's form)
        call = self._call_for(label, call_id, name)
        if call_id and not call.id:
            self._by_id.setdefault(call_id, call)
        is_real = self.draft.extend_call(call, call_id=call_id, name=name, arguments=arguments or "")
        for key in piece.keys() - CALL_FIELDS:
            call.keep(key, piece[key])
        return is_real

    def _call_for(self, label: Any, call_id: str, name: str) -> CallDraft:
        """Which call a piece belongs to: its index is a label, not a position, and not always there or right."""
        if self._is_whole:
            current = None
        elif isinstance(label, int):
            current = self._by_label.get(label)
        elif call_id:
            current = self._by_id.get(call_id)
        else:
            current = self.draft.calls[-1] if self.draft.calls else None
        if current is None or self._begins_another(current, call_id, name):
            current = self.draft.begin_call()
            if isinstance(label, int):
                self._by_label[label] = current
        return current

    def _begins_another(self, current: CallDraft, call_id: str, name: str) -> bool:
        """Some servers give every parallel call the index 0: a new id, or a new name, tells them apart."""
        if call_id and current.id:
            return call_id != current.id and (bool(name) or current.is_complete())
        return bool(name and current.pieces) and current.is_complete()
