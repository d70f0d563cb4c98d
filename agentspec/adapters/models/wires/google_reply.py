"""google_reply: answers of Gemini's `generateContent`, whole or in pieces, into a draft.

Source: the Gemini API, v1beta. A stream has the same objects in pieces and no last word: a finish reason ends it. A
thought signature belongs to the part that it came with.
"""

from __future__ import annotations

from typing import Any

from agentspec.adapters.models.wires.draft import Complained, Draft, Unreadable, keepable, label_of, mapping_of, word_of
from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.pictures import Sight
from agentspec.adapters.models.wires.provider_run import PARTS, calls_of_parts
from agentspec.core.calls.cap import encodable

SIGNATURE = "thoughtSignature"


class GenerateReader:
    """Reads one answer into `draft`."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._parts: list[dict[str, Any]] = []  # texts, calls that the provider ran, and signatures, as they go back
        self._queries: list[str] = []
        self._usage: dict[str, Any] = {}

    def add_event(self, name: bytes, event: Any) -> bool:  # noqa: ARG002 - the events of this protocol have no names
        """Take one decoded event of a stream; say whether anything real was in it. Raises `Complained`."""
        event = mapping_of(event)
        if event.get("error"):
            raise Complained(event)
        draft = self.draft
        draft.model = draft.model or label_of(event.get("modelVersion"))
        draft.request_id = draft.request_id or label_of(event.get("responseId"))
        self._count(event.get("usageMetadata"))
        blocked = word_of(mapping_of(event.get("promptFeedback")).get("blockReason"))
        if blocked:
            draft.finish = "content_filter"
            draft.refusal.add(f"the prompt was blocked ({label_of(blocked)})")
            draft.is_spoken = True
            return True
        candidates = event.get("candidates")
        if not isinstance(candidates, list) or not candidates:
            return False
        return self._candidate(mapping_of(candidates[0]))

    def add_whole(self, body: Any) -> None:
        """Take one whole answer, and end. Raises `Unreadable` or `Complained`."""
        events = body if isinstance(body, list) else [body]  # a list: the form of a stream that is not one of events
        if not events or not all(isinstance(event, dict) for event in events):
            raise Unreadable("it is JSON, but not an object")
        if not any(event.keys() & {"candidates", "promptFeedback", "error"} for event in events):
            raise Unreadable("it has no `candidates`")
        for event in events:
            self.add_event(b"", event)
        self.end()

    def end(self) -> None:
        """The body is over. Raises `Cut` or `Unreadable` where it brought no whole answer."""
        self.draft.end()
        self.draft.provider_calls = calls_of_parts(self._parts, self._queries)
        if any(SIGNATURE in part or "text" not in part for part in self._parts):
            parts = [
                {**part, "text": encodable("".join(part["text"]))} if "text" in part else part for part in self._parts
            ]
            self.draft.extra["parts"] = [part for part in parts if part.get("text") != "" or SIGNATURE in part]

    def _candidate(self, candidate: dict[str, Any]) -> bool:
        parts = mapping_of(candidate.get("content")).get("parts")
        real = False
        for part in parts if isinstance(parts, list) else []:
            self.draft.is_spoken = True
            real |= self._part(mapping_of(part))
        queries = mapping_of(candidate.get("groundingMetadata")).get("webSearchQueries")
        self._queries += [word_of(query) for query in queries] if isinstance(queries, list) else []
        reason = word_of(candidate.get("finishReason"))
        if reason:
            self.draft.finish = label_of(reason).lower()
            self.draft.is_spoken = True
        return real or bool(reason)

    def _part(self, part: dict[str, Any]) -> bool:
        signature = word_of(part.get(SIGNATURE))
        call = part.get("functionCall")
        if isinstance(call, dict):
            return self._call(call, signature)
        if any(name in part for name in PARTS):
            self.draft.room.take(len(to_json(part)))
            self._parts.append(keepable(part))
            return True
        image = mapping_of(part.get("inlineData"))
        if image:
            if signature:
                self._parts.append(keepable(part))
            return self.draft.see(Sight(label_of(image.get("mimeType")), word_of(image.get("data"))))
        text = word_of(part.get("text"))
        if part.get("thought") is True:
            self.draft.think(text)
            return bool(text)
        self.draft.say(text)
        # A signature may come alone, behind the text that it belongs to; texts on both sides of one stay apart.
        if not self._parts or SIGNATURE in self._parts[-1] or "text" not in self._parts[-1]:
            self._parts.append({"text": []})
        self._parts[-1]["text"].append(text)
        if signature:
            self.draft.room.take(len(signature))
            self._parts[-1][SIGNATURE] = encodable(signature)
        return bool(text or signature)

    def _call(self, call: dict[str, Any], signature: str) -> bool:
        begun = self.draft.begin_call()
        arguments = call.get("args")
        told = to_json(arguments).decode() if arguments is not None else ""
        call_id = word_of(call.get("id"))
        if call_id:
            begun.keep("id", call_id)
        if signature:
            begun.keep(SIGNATURE, signature)
        return self.draft.extend_call(begun, call_id=call_id, name=word_of(call.get("name")), arguments=told)

    def _count(self, usage: Any) -> None:
        """Counts are totals, and the later ones count; thoughts are not among the candidates' tokens here."""
        told = self._usage = self._usage | mapping_of(usage)
        self.draft.usage = {
            "prompt_tokens": _sum(told, "promptTokenCount", "toolUsePromptTokenCount"),
            "completion_tokens": _sum(told, "candidatesTokenCount", "thoughtsTokenCount"),
            "prompt_tokens_details": {"cached_tokens": told.get("cachedContentTokenCount")},
            "completion_tokens_details": {"reasoning_tokens": told.get("thoughtsTokenCount")},
        }


def _sum(told: dict[str, Any], *names: str) -> Any:
    """The sum of counts of which some may be left out; nothing where all are, or where one is no count."""
    counts = [told[name] for name in names if told.get(name) is not None]
    is_true = all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts)
    return sum(counts) if counts and is_true else None
