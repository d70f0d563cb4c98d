"""responses_reply: answers of OpenAI's Responses API, whole or in pieces, into a draft.

Source: the Responses API, its stream events included. Items keep their order: one of reasoning goes back before the
item that it led to.
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
from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.pictures import Sight
from agentspec.adapters.models.wires.provider_run import ASIDE, ITEMS, calls_of_items

IMAGE = "image_generation_call"
KEPT = ("reasoning", "message", *ITEMS, *ASIDE)
ALONE = ("message", "function_call")  # an answer of these needs nothing else to go back
CALL = "function_call"
ENDS = ("response.completed", "response.incomplete", "response.failed")
PIECES = {
    "response.output_text.delta": "say",
    "response.reasoning_summary_text.delta": "think",
    "response.reasoning_text.delta": "think",
}


class ResponsesReader:
    """Reads one answer into `draft`."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._items: dict[Any, dict[str, Any]] = {}  # by their places, in the order in which they began
        self._calls: dict[Any, CallDraft] = {}
        self._told: set[Any] = set()  # places whose words came in pieces

    def add_event(self, name: bytes, event: Any) -> bool:  # noqa: ARG002 - an event has its name inside as well
        """Take one decoded event of a stream; say whether anything real was in it. Raises `Complained`."""
        event = mapping_of(event)
        kind, place = word_of(event.get("type")), _label(event.get("output_index"))
        if kind == "error" or event.get("error"):
            raise Complained(event if event.get("error") else {"error": event})
        if kind in ENDS:
            return self._whole(mapping_of(event.get("response")))
        if kind in PIECES:
            return self._piece(PIECES[kind], place, word_of(event.get("delta")))
        match kind:
            case "response.created" | "response.in_progress":
                self._about(mapping_of(event.get("response")))
            case "response.output_item.added":
                return self._begin(place, mapping_of(event.get("item")))
            case "response.output_item.done":
                return self._finish(place, mapping_of(event.get("item")))
            case "response.refusal.delta":
                self._told.add(place)
                self.draft.refusal.add(word_of(event.get("delta")))
                return True
            case "response.function_call_arguments.delta" if place in self._calls:
                return self.draft.extend_call(self._calls[place], arguments=word_of(event.get("delta")))
        return False

    def add_whole(self, body: Any) -> None:
        """Take one whole answer, and end. Raises `Unreadable` or `Complained`."""
        if not isinstance(body, dict):
            raise Unreadable("it is JSON, but not an object")
        if body.get("error") and not isinstance(body.get("output"), list):
            raise Complained(body)
        if not isinstance(body.get("output"), list):
            raise Unreadable("it has no `output`")
        self._whole(body)
        self.end()

    def end(self) -> None:
        """The body is over. Raises `Cut` or `Unreadable` where it brought no whole answer."""
        self.draft.end()
        self.draft.provider_calls = calls_of_items(self._items.values())
        if any(item["type"] not in ALONE for item in self._items.values()):
            places = sorted(self._items, key=lambda place: place if isinstance(place, int) else len(self._items))
            self.draft.extra["items"] = [self._items[place] for place in places]

    def _about(self, response: dict[str, Any]) -> None:
        draft = self.draft
        draft.model = draft.model or label_of(response.get("model"))
        draft.request_id = draft.request_id or label_of(response.get("id"))
        draft.usage = mapping_of(response.get("usage")) or draft.usage

    def _whole(self, response: dict[str, Any]) -> bool:
        """The last event of a stream has the whole answer in it, as an answer that does not stream."""
        if response.get("error"):
            raise Complained({"error": response["error"]})
        self._about(response)
        output = response.get("output")
        for place, item in enumerate(output if isinstance(output, list) else []):
            self._finish(place, mapping_of(item))
        status = word_of(response.get("status"))
        reason = word_of(mapping_of(response.get("incomplete_details")).get("reason"))
        if status not in ("completed", "incomplete"):
            raise Unreadable(f"its status is `{label_of(status)}`")
        self.draft.finish = label_of(reason or status)
        self.draft.is_spoken = self.draft.is_done = True
        return True

    def _begin(self, place: Any, item: dict[str, Any]) -> bool:
        if item.get("type") != CALL or place in self._calls:
            return False
        self.draft.is_spoken = True
        call = self._calls[place] = self.draft.begin_call()
        call_id = word_of(item.get("call_id"))
        call.keep("call_id", call_id)
        if word_of(item.get("namespace")):
            call.keep("namespace", item["namespace"])
        self._items[place] = {"type": CALL, "call_id": call.extra["call_id"]}
        return self.draft.extend_call(call, call_id=call_id, name=word_of(item.get("name")))

    def _finish(self, place: Any, item: dict[str, Any]) -> bool:
        """An item is whole; what it says is taken from it where it did not come in pieces."""
        if item.get("type") == CALL:
            self._begin(place, item)
            call = self._calls[place]
            return not call.pieces and self.draft.extend_call(call, arguments=word_of(item.get("arguments")))
        if item.get("type") not in KEPT or place in self._items or _is_empty_thought(item):
            return False
        self.draft.is_spoken = True
        self.draft.room.take(CALL_SIZE + (len(to_json(item)) if item["type"] not in ALONE else 0))
        self._items[place] = keepable({name: value for name, value in item.items() if name != "created_by"})
        if item["type"] == IMAGE:
            kind = label_of(item.get("output_format")) or "png"
            self.draft.see(Sight(f"image/{kind}", word_of(item.get("result"))) if item.get("result") else None)
        if place not in self._told:
            for part in _parts(item):
                self._say(part)
        return True

    def _say(self, part: dict[str, Any]) -> None:
        match part.get("type"):
            case "output_text":
                self.draft.say(word_of(part.get("text")))
            case "refusal":
                self.draft.refusal.add(word_of(part.get("refusal")))
            case "summary_text" | "reasoning_text":
                self.draft.think(word_of(part.get("text")))

    def _piece(self, how: str, place: Any, piece: str) -> bool:
        add: Callable[[str], None] = self.draft.say if how == "say" else self.draft.think
        self._told.add(place)
        self.draft.is_spoken = True
        add(piece)
        return bool(piece)


def _parts(item: dict[str, Any]) -> list[dict[str, Any]]:
    listed = [item.get(name) for name in ("summary", "content")]
    return [mapping_of(part) for parts in listed if isinstance(parts, list) for part in parts]


def _is_empty_thought(item: dict[str, Any]) -> bool:
    """An item of reasoning that holds none: a model that is shown it again stops after its next result."""
    return item.get("type") == "reasoning" and not item.get("encrypted_content") and not _parts(item)


def _label(place: Any) -> Any:
    return place if isinstance(place, int | str) else None
