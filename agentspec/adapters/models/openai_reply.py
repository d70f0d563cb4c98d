"""openai_reply: answers of OpenAI Chat Completions, whole or in pieces, become a `Reply`.

Both forms take one path: the pieces of a stream add up to the same drafts that a whole answer is read into. Servers
differ in everything that can differ; what is accepted is said beside the code. Types are never trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec

from agentspec.adapters.models.json_bytes import cleaned, from_json, to_json
from agentspec.adapters.models.openai_usage import read_usage
from agentspec.adapters.models.pieces import MAX_ANSWER, Pieces, Room
from agentspec.core.calls.cap import encodable
from agentspec.core.messages import Reply
from agentspec.core.replies import FINISHES, RawCall, finish_of, says_complete, settle_calls
from agentspec.ports import Delta

Listener = Callable[[Delta], None]

LABEL = 200  # characters of a name that are kept
CALL_SIZE = 1024  # bytes that a call takes beside its texts while it is put together
MAX_PARTS = 1_000_000  # parts of one JSON text: each takes twenty times as much memory as it is long
CALL_FIELDS = frozenset({"id", "type", "function", "index"})
WITHOUT_WORDS = ("content_filter", "refusal")  # reasons for which a message may be missing altogether
REASONING_FIELDS = ("reasoning_content", "reasoning")


class Unreadable(Exception):
    """The answer is not what the protocol says; the text tells what it is instead."""

    def __init__(self, message: str, *, may_pass: bool = True) -> None:
        super().__init__(message)
        self.may_pass = may_pass  # whether asking again can help


class Complained(Exception):
    """The answer is an error object under a success status."""

    def __init__(self, decoded: Any) -> None:
        super().__init__("an error object")
        self.decoded = decoded


def decode_json(data: bytes) -> Any:
    """As `from_json`; raises `Unreadable`."""
    if len(data) > MAX_PARTS and sum(map(data.count, (b"{", b"[", b","))) > MAX_PARTS:
        raise Unreadable(f"its JSON has more than {MAX_PARTS} parts", may_pass=False)
    try:
        return from_json(data)
    except ValueError as problem:
        deep = "nested too deeply" in str(problem)
        raise Unreadable("its JSON is nested too deeply" if deep else "its JSON is broken") from None


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _label(value: Any) -> str:
    """A short name that a server gave: a model, an id, a reason."""
    return encodable(_word(value)[:LABEL])


def _keepable(value: Any) -> Any:
    """What a server wants back, as far as a journal can hold it: a number of more than 64 bits cannot be kept."""
    value = cleaned(value)
    try:
        msgspec.json.encode(value)
    except OverflowError:
        return None
    return value


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class Cut(Exception):
    """A stream ended before it said that it was finished."""


class CallDraft:
    """One tool call while it is put together."""

    __slots__ = ("extra", "id", "name", "pieces", "place")

    def __init__(self, place: int, room: Room) -> None:
        self.place = place
        self.id = ""
        self.name = ""
        self.pieces = Pieces(room)
        self.extra: dict[str, Any] = {}

    @property
    def arguments(self) -> str:
        return str(self.pieces)

    def is_complete(self) -> bool:
        """Whether the arguments are a whole JSON value already, so that what follows belongs to another call."""
        try:
            msgspec.json.decode(self.arguments.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return False
        return True


class Draft:
    """An answer while it is put together: feed it whole messages or pieces, then `reply`."""

    def __init__(self, listen: Listener | None = None, limit: int = MAX_ANSWER) -> None:
        self.listen = listen
        self.room = Room(limit)
        self.text = Pieces(self.room)
        self.refusal = Pieces(self.room)
        self.reasoning = Pieces(self.room)
        self.calls: list[CallDraft] = []
        self.by_label: dict[int, CallDraft] = {}
        self.by_id: dict[str, CallDraft] = {}
        self._is_whole = False  # whether each call comes in one piece, so that none continues another
        self.finish: str | None = None
        self.is_done = False
        self.usage: dict[str, Any] = {}
        self.model = ""
        self.request_id = ""
        self.choice: Any = None
        self.is_spoken = False  # whether the provider has said anything as the model
        self.message_extra: dict[str, Any] = {}
        self.reasoning_field = ""

    # --- pieces

    def add_chunk(self, chunk: Any) -> bool:
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
            body = body[0] if len(body) == 1 and _mapping(body[0]).get("error") else body
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
        self.is_done = True
        self.end()

    def _about(self, chunk: dict[str, Any]) -> None:
        usage = chunk.get("usage") or _mapping(chunk.get("x_groq")).get("usage")
        if isinstance(usage, dict):
            self.usage = usage  # later ones are totals and take the place of earlier ones
        self.model = self.model or _label(chunk.get("model"))
        self.request_id = self.request_id or _label(chunk.get("id"))

    def _choice(self, choice: Any, key: str) -> bool:
        if not isinstance(choice, dict):
            return False
        number = choice.get("index") or 0
        if self.choice is None:
            self.choice = number
        if number != self.choice:
            return False  # another alternative (`n` > 1): one is the answer
        if choice.get("error"):
            raise Complained(choice)
        if isinstance(choice.get("usage"), dict):
            self.usage = choice["usage"]
        message = choice.get(key) or choice.get("message") or choice.get("delta") or choice.get(key)
        finish = choice.get("finish_reason")
        real = self._message(_mapping(message))
        if isinstance(finish, str) and finish:
            self.finish = _label(finish)
            real = True
        self.is_spoken |= isinstance(message, dict) or finish_of(self.finish or "", has_calls=False) in WITHOUT_WORDS
        return real

    def _message(self, message: dict[str, Any]) -> bool:
        real = False
        content = message.get("content")
        if content:
            real |= self._content(content)
        refusal = message.get("refusal")
        if refusal and isinstance(refusal, str):
            self.refusal.add(refusal)
            real = True
        for field in REASONING_FIELDS:
            piece = message.get(field)
            if piece and isinstance(piece, str):
                self.reasoning_field = self.reasoning_field or field
                if field == self.reasoning_field:
                    self.think(piece)
                real = True
        details = message.get("reasoning_details")
        if isinstance(details, list) and details:
            self.room.take(len(to_json(details)))
            self.message_extra.setdefault("reasoning_details", []).extend(_keepable(details) or [])
            real = True
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            for call in calls:
                real |= self.add_call(call)
        function = message.get("function_call")
        if isinstance(function, dict):
            real |= self.add_call({"index": 0, "function": function})
        return real

    def _content(self, content: Any) -> bool:
        """Text, or a list of parts: texts, refusals and thinking (Mistral's form)."""
        if isinstance(content, str):
            self.say(content)
            return True
        real = False
        for part in content if isinstance(content, list) else []:
            part = {"type": "text", "text": part} if isinstance(part, str) else _mapping(part)  # noqa: PLW2901
            if part.get("type") in ("thinking", "reasoning"):
                inner = part.get("thinking") or part.get("text")
                pieces = inner if isinstance(inner, list) else [{"text": inner}]
                for piece in pieces:
                    self.think(_word(_mapping(piece).get("text")))
            elif part.get("type") == "refusal":
                self.refusal.add(_word(part.get("refusal")))
            else:
                self.say(_word(part.get("text")))
            real = True
        return real

    def say(self, piece: str) -> None:
        """Add visible text."""
        if piece:
            self.text.add(piece)
            if self.listen is not None:
                self.listen(Delta("text_delta", encodable(piece)))

    def think(self, piece: str) -> None:
        """Add reasoning."""
        if piece:
            self.reasoning.add(piece)
            if self.listen is not None:
                self.listen(Delta("reasoning_delta", encodable(piece)))

    def add_call(self, piece: Any) -> bool:
        """Add a call, or a piece of one."""
        if not isinstance(piece, dict):
            return False
        function = _mapping(piece.get("function"))
        label, call_id, name = piece.get("index"), _word(piece.get("id")), _word(function.get("name"))
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            arguments = to_json(arguments).decode()  # an object where its text belongs (Ollama's form)
        draft = self._draft_for(label, call_id, name)
        if call_id and not draft.id:
            draft.id = call_id
            self.by_id.setdefault(call_id, draft)
        if name and name != draft.name and not draft.pieces:
            self.room.take(len(name))
            draft.name += name
        if arguments:
            draft.pieces.add(arguments)
        for key in piece.keys() - CALL_FIELDS:
            self.room.take(len(key) + len(to_json(piece[key])))
            draft.extra[encodable(key)] = _keepable(piece[key])
        if self.listen is not None:
            self.listen(Delta("tool_call_delta", encodable(arguments or ""), draft.place, encodable(name)))
        return bool(call_id or name or arguments)

    def _draft_for(self, label: Any, call_id: str, name: str) -> CallDraft:
        """Which call a piece belongs to: its index is a label, not a position, and not always there or right."""
        if self._is_whole:
            current = None
        elif isinstance(label, int):
            current = self.by_label.get(label)
        elif call_id:
            current = self.by_id.get(call_id)
        else:
            current = self.calls[-1] if self.calls else None
        if current is None or self._begins_another(current, call_id, name):
            self.room.take(CALL_SIZE)
            current = CallDraft(len(self.calls), self.room)
            self.calls.append(current)
            if isinstance(label, int):
                self.by_label[label] = current
        return current

    def _begins_another(self, current: CallDraft, call_id: str, name: str) -> bool:
        """Some servers give every parallel call the index 0: a new id, or a new name, tells them apart."""
        if call_id and current.id:
            return call_id != current.id and (bool(name) or current.is_complete())
        return bool(name and current.pieces) and current.is_complete()

    # --- the whole

    @property
    def shown(self) -> str:
        """The visible text so far."""
        return encodable(str(self.text))

    def end(self) -> None:
        """The body is over. Raises `Cut` where neither a finish reason nor the end marker has come, and `Unreadable`
        where nothing of a message has.
        """
        if self.finish is None and not self.is_done:
            raise Cut
        if not self.is_spoken:
            raise Unreadable("its choices hold no message")

    def reply(
        self, *, provider: str, model: str, origin: str, taken: Collection[str], position: int, sent: int
    ) -> Reply:
        """The normalised answer. `taken` ids are spoken for; `sent` is the size of the request in bytes."""
        raw = [RawCall(draft.id, encodable(draft.name), encodable(draft.arguments)) for draft in self.calls]
        calls, lost = settle_calls(raw, taken, lambda place: f"call_{position}_{place}")
        named = [draft for draft in self.calls if draft.name.strip()]
        text, refusal = self.shown, encodable(str(self.refusal))
        reasoning = encodable(str(self.reasoning))
        word = self.finish or ""
        if not calls and not lost and FINISHES.get(word.lower()) == "tool_calls":
            lost = (f"`{word}` announced a call, and none came",)
        extra = self._extra({call.id: draft.extra for call, draft in zip(calls, named, strict=False)}, reasoning)
        written = sum(each.pieces.size for each in self.calls) + len(text) + len(reasoning)
        return Reply(
            text=text or refusal,
            calls=calls,
            finish=finish_of(word, has_calls=bool(calls), refused=bool(refusal)),
            finish_text=word,
            is_complete=says_complete(word),
            usage=read_usage(self.usage, sent, written),
            model=self.model or model,
            provider=provider,
            request_id=self.request_id,
            reasoning=reasoning,
            extra=extra,
            origin=origin if extra else "",
            lost=lost,
        )

    def _extra(self, of_calls: dict[str, dict[str, Any]], reasoning: str) -> dict[str, Any]:
        """What the server wants back: signatures beside calls, and the reasoning that led to calls."""
        message = dict(self.message_extra)
        if reasoning and of_calls and self.reasoning_field == "reasoning_content":
            message["reasoning_content"] = reasoning
        kept = {call_id: extra for call_id, extra in of_calls.items() if extra}
        return {**({"message": message} if message else {}), **({"calls": kept} if kept else {})}
