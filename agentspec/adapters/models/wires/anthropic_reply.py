"""anthropic_reply: answers of Anthropic's Messages API, whole or in pieces, into a draft.

Source: the Messages API, its stream events included. An event or a block of a kind that is not known says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentspec.adapters.models.wires.draft import (
    CALL_SIZE,
    CallDraft,
    Complained,
    Draft,
    Unreadable,
    keepable,
    label_of,
    mapping_of,
    word_of,
)
from agentspec.adapters.models.wires.json_bytes import from_json, to_json
from agentspec.adapters.models.wires.pieces import Pieces, Room
from agentspec.adapters.models.wires.provider_run import USE, calls_of_blocks, is_open, is_run_by_anthropic
from agentspec.core.calls.cap import encodable

THOUGHT = ("thinking", "redacted_thinking")
PAUSED = "is_paused"  # the provider has stopped in the middle of its own work, and goes on when asked again


class Block:
    """One block of the answer that is no call, as it will go back."""

    __slots__ = ("fields", "pieces")

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.pieces: dict[str, Pieces] = {}

    def whole(self) -> dict[str, Any]:
        """The block as it was sent."""
        texts: dict[str, Any] = {name: encodable(str(pieces)) for name, pieces in self.pieces.items()}
        if "input" in texts:  # of a call of the provider's own: an object, which came as text
            texts["input"] = _object(texts["input"]) or self.fields.get("input") or {}
        return {**keepable(self.fields), **texts}


class MessagesReader:
    """Reads one answer into `draft`."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._blocks: list[Block | CallDraft] = []
        self._at: dict[Any, Block | CallDraft] = {}  # by their places, which are labels
        self._usage: dict[str, Any] = {}
        self._events: dict[str, Callable[[dict[str, Any]], bool]] = {
            "message_start": lambda event: self._about(mapping_of(event.get("message"))),
            "content_block_start": lambda event: self._begin(
                event.get("index"), mapping_of(event.get("content_block"))
            ),
            "content_block_delta": lambda event: self._add(event.get("index"), mapping_of(event.get("delta"))),
            "message_delta": self._stop,
            "message_stop": self._done,
        }

    def add_event(self, name: bytes, event: Any) -> bool:  # noqa: ARG002 - an event has its name inside as well
        """Take one decoded event of a stream; say whether anything real was in it. Raises `Complained`."""
        event = mapping_of(event)
        if event.get("error"):
            raise Complained(event)
        read = self._events.get(word_of(event.get("type")))
        return read is not None and read(event)

    def add_whole(self, body: Any) -> None:
        """Take one whole answer, and end. Raises `Unreadable` or `Complained`."""
        if not isinstance(body, dict):
            raise Unreadable("it is JSON, but not an object")
        if body.get("error"):
            raise Complained(body)
        blocks = body.get("content")
        if not isinstance(blocks, list):
            raise Unreadable("it has no `content`")
        self._about(body)
        for place, block in enumerate(blocks):
            self._begin(place, block)
        self._stop({"delta": body, "usage": body.get("usage")})
        self.draft.is_done = True
        self.end()

    def end(self) -> None:
        """The body is over. Raises `Cut` or `Unreadable` where it brought no whole answer."""
        draft = self.draft
        draft.end()
        kinds = [block.fields["type"] for block in self._blocks if isinstance(block, Block)]
        is_served = any(map(is_run_by_anthropic, kinds))
        if not is_served and not any(kind in THOUGHT for kind in kinds):
            return
        whole = [
            block.whole() if isinstance(block, Block) else {"type": "tool_use", "id": block.id}
            for block in self._blocks
            if is_served or isinstance(block, Block)  # where only thoughts are kept, the calls follow them
        ]
        draft.provider_calls = calls_of_blocks(whole)
        is_going_on = draft.finish in ("tool_use", "pause_turn")  # else nobody will bring what is missing
        draft.extra["content"] = [
            block
            for block in whole
            if (block["type"] != "text" or block["text"].strip()) and (is_going_on or not is_open(block, whole))
        ]
        if draft.finish == "pause_turn" and draft.provider_calls:
            draft.extra[PAUSED] = True

    def _about(self, message: dict[str, Any]) -> bool:
        self.draft.model = self.draft.model or label_of(message.get("model"))
        self.draft.request_id = self.draft.request_id or label_of(message.get("id"))
        self._count(message.get("usage"))
        return False

    def _begin(self, place: Any, block: Any) -> bool:
        block = mapping_of(block)
        kind = word_of(block.get("type"))
        if kind not in ("text", "tool_use", *THOUGHT) and not is_run_by_anthropic(kind):
            return False
        self.draft.is_spoken = True
        if kind == "tool_use":
            call = self._at[_label(place)] = self.draft.begin_call()
            self._blocks.append(call)
            given = block.get("input")
            arguments = to_json(given).decode() if given else ""  # a stream begins with an empty one
            return self.draft.extend_call(
                call, call_id=word_of(block.get("id")), name=word_of(block.get("name")), arguments=arguments
            )
        self.draft.room.take(CALL_SIZE)
        begun = self._at[_label(place)] = Block({"type": kind})
        self._blocks.append(begun)
        if kind == "redacted_thinking" or is_run_by_anthropic(kind):
            self.draft.room.take(len(to_json(block)))
            begun.fields = block
            if kind in USE:
                begun.pieces["input"] = Pieces(self.draft.room)
            return True
        for name in ("text",) if kind == "text" else ("thinking", "signature"):
            # What is shown is counted where it is shown.
            begun.pieces[name] = Pieces(self.draft.room if name == "signature" else Room(self.draft.room.limit))
            self._write(begun, name, word_of(block.get(name)))
        given = block.get("citations")
        for citation in given if isinstance(given, list) else ():
            self._cite(begun, citation)
        return any(word_of(block.get(name)) for name in begun.pieces)

    def _add(self, place: Any, delta: dict[str, Any]) -> bool:
        at = self._at.get(_label(place))
        match at, delta.get("type"):
            case CallDraft(), "input_json_delta":
                return self.draft.extend_call(at, arguments=word_of(delta.get("partial_json")))
            case Block(), "text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta":
                name = delta["type"].removesuffix("_delta").removesuffix("_json")
                piece = word_of(delta.get("partial_json" if name == "input" else name))
                if name in at.pieces:
                    self._write(at, name, piece)
                return bool(piece)
            case Block(), "citations_delta":
                self._cite(at, delta.get("citation"))
                return True
            case _:
                return False

    def _cite(self, block: Block, citation: Any) -> None:
        """What a text refers to goes back with it: later answers may refer to the same."""
        self.draft.room.take(len(to_json(citation)))
        block.fields.setdefault("citations", []).append(citation)

    def _write(self, block: Block, name: str, piece: str) -> None:
        if not piece:
            return
        block.pieces[name].add(piece)
        if name == "text":
            self.draft.say(piece)
        elif name == "thinking":
            self.draft.think(piece)

    def _stop(self, event: dict[str, Any]) -> bool:
        delta = mapping_of(event.get("delta"))
        self._count(event.get("usage"))
        reason = word_of(delta.get("stop_reason"))
        if not reason:
            return False
        self.draft.finish = label_of(reason)
        self.draft.is_spoken = True  # without a block as well: the model may have nothing to say after a result
        if reason == "refusal":
            details = mapping_of(delta.get("stop_details"))
            why = [word_of(details.get("category")), word_of(details.get("explanation"))]
            self.draft.refusal.add(": ".join(word for word in why if word) or "no reason given")
        return True

    def _done(self, event: dict[str, Any]) -> bool:  # noqa: ARG002 - it says nothing else
        self.draft.is_done = True
        return True

    def _count(self, usage: Any) -> None:
        """Counts are totals, and the later ones count; what was read from a cache is not in `input_tokens` here."""
        self._usage |= {name: value for name, value in mapping_of(usage).items() if value is not None}
        told = self._usage
        cached, made = told.get("cache_read_input_tokens", 0), told.get("cache_creation_input_tokens", 0)
        parts = (told.get("input_tokens"), cached, made)
        fits = all(isinstance(part, int) and not isinstance(part, bool) and part >= 0 for part in parts)
        thought = mapping_of(told.get("output_tokens_details")).get("thinking_tokens")
        self.draft.usage = {
            "prompt_tokens": sum(part for part in parts if isinstance(part, int)) if fits else None,
            "completion_tokens": told.get("output_tokens"),
            "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": made},
            "completion_tokens_details": {"reasoning_tokens": thought},
        }


def _label(place: Any) -> Any:
    return place if isinstance(place, int | str) else None


def _object(text: str) -> dict[str, Any]:
    try:
        return mapping_of(from_json(text.encode()))
    except ValueError:
        return {}
