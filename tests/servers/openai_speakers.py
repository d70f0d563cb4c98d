"""What a model says in OpenAI's two protocols."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.servers.said import ABSENT, ID, MODEL, Call, Said, fields_of, pieces_of, reason_of


class Chat:
    """OpenAI Chat Completions."""

    provider = "openai"
    paths = ("/v1/chat/completions", "/v1/chat/completions")
    reasons = {"stop": "stop", "calls": "tool_calls", "length": "length", "filter": "content_filter"}
    is_lines = False

    def whole(self, said: Said) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        if said.thought:
            message["reasoning_content"] = said.thought
        if said.calls:
            message["tool_calls"] = [self._call(call) for call in said.calls]
        choice = {"index": 0, "message": message, **fields_of(finish_reason=reason_of(self, said)), "logprobs": None}
        return {**self._about("chat.completion"), "choices": [choice], **self._usage(said)}

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        yield self._piece({"role": "assistant", "content": ""})
        yield from (self._piece({"reasoning_content": piece}) for piece in pieces_of(said.thought, size))
        yield from (self._piece({"content": piece}) for piece in pieces_of(said.text, size))
        for place, call in enumerate(said.calls):
            told = self._call(call)
            empty = {**told, "index": place, "function": {**told["function"], "arguments": ""}}
            yield self._piece({"tool_calls": [empty]})
            for piece in pieces_of(told["function"]["arguments"], size):
                yield self._piece({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        yield self._piece({}, **fields_of(finish_reason=reason_of(self, said)))
        if said.usage is not None:
            yield {**self._about("chat.completion.chunk"), "choices": [], **self._usage(said)}

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": f"error_{status}", "param": None, "code": None}}

    def _about(self, kind: str) -> dict[str, Any]:
        return {"id": ID, "object": kind, "created": 1, "model": MODEL}

    def _piece(self, delta: dict[str, Any], **fields: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": None, **fields}
        return {**self._about("chat.completion.chunk"), "choices": [choice]}

    def _call(self, call: Call) -> dict[str, Any]:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        return {"id": call.id, "type": "function", "function": function}

    def _usage(self, said: Said) -> dict[str, Any]:
        if said.usage is None:
            return {}
        told = said.usage
        counts = fields_of(prompt_tokens=told.prompt, completion_tokens=told.output, total_tokens=118)
        details = {"prompt_tokens_details": fields_of(cached_tokens=told.cached)}
        return {"usage": counts | details | {"completion_tokens_details": fields_of(reasoning_tokens=told.reasoning)}}


class Responses:
    """OpenAI's Responses API."""

    provider = "openai_responses"
    paths = ("/v1/responses", "/v1/responses")
    reasons = {"stop": "completed", "calls": "completed", "length": "max_output_tokens", "filter": "content_filter"}
    is_lines = False

    def whole(self, said: Said) -> dict[str, Any]:
        reason = reason_of(self, said)
        is_whole = reason == "completed"
        rest = {
            "object": "response", "created_at": 1, "error": None, "instructions": None, "metadata": {},
            "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        }  # fmt: skip
        status = {} if reason is ABSENT else {"status": "completed" if is_whole else "incomplete"}
        why = {"incomplete_details": None if is_whole else fields_of(reason=reason)}
        return {"id": ID, "model": MODEL, **rest, **status, **why, "output": self._items(said), **self._usage(said)}

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        begun = self.whole(said._replace(text="", calls=(), thought="", usage=None)) | {"status": "in_progress"}
        yield self._event("response.created", response=begun | {"incomplete_details": None})
        for place, item in enumerate(self._items(said)):
            empty = {"reasoning": {"summary": []}, "message": {"content": []}, "function_call": {"arguments": ""}}
            yield self._event("response.output_item.added", output_index=place, item=item | empty[item["type"]])
            for kind, fields, text in self._texts(item):
                for piece in pieces_of(text, size):
                    yield self._event(kind, output_index=place, item_id=item["id"], delta=piece, **fields)
            yield self._event("response.output_item.done", output_index=place, item=item)

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        whole = self.whole(said)
        yield self._event(f"response.{whole.get('status', 'completed')}", response=whole)

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return Chat().refusal(status, message)

    def _event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "sequence_number": 1, **fields}

    def _items(self, said: Said) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if said.thought:
            summary = [{"type": "summary_text", "text": said.thought}]
            items.append({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "b3BhcXVl"})
        if said.text:
            content = [{"type": "output_text", "text": said.text, "annotations": []}]
            items.append({"type": "message", "id": ID, "role": "assistant", "status": "completed", "content": content})
        for call in said.calls:
            told = {"call_id": call.id, "name": call.name, "arguments": json.dumps(call.arguments)}
            items.append({"type": "function_call", "id": f"fc_{call.id}", "status": "completed", **told})
        return items

    def _texts(self, item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
        for part in item.get("summary", ()):
            yield "response.reasoning_summary_text.delta", {"summary_index": 0}, part["text"]
        for part in item.get("content", ()):
            yield "response.output_text.delta", {"content_index": 0, "logprobs": []}, part["text"]
        yield "response.function_call_arguments.delta", {}, item.get("arguments", "")

    def _usage(self, said: Said) -> dict[str, Any]:
        if said.usage is None:
            return {"usage": None}
        told = said.usage
        counts = fields_of(input_tokens=told.prompt, output_tokens=told.output, total_tokens=118)
        details = {"input_tokens_details": fields_of(cached_tokens=told.cached) | {"cache_write_tokens": 0}}
        return {"usage": counts | details | {"output_tokens_details": fields_of(reasoning_tokens=told.reasoning)}}
