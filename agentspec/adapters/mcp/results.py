"""results: what a server answered to a call, as the output of a tool: words for the model, data for programs.

Never raises for what a server sends, and never leaves an answer empty that held something.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from agentspec.core.messages import MEDIA_TYPES, Picture, ToolError
from agentspec.ports import Output

Keep: TypeAlias = Callable[[bytes], str]
MESSAGE_MAX = 2000  # characters of an error
URI_MAX = 500


class _Part(NamedTuple):
    """One block of an answer: the words for it, and what programs are told of bytes that were kept."""

    text: str
    kept: dict[str, Any] | None = None


def output_of(result: Mapping[str, Any], keep: Keep) -> Output:
    """The output of a call from its result as JSON; bytes of images and files go to `keep`, which names them.

    >>> output_of({"content": [], "structuredContent": {"n": 1}}, lambda data: "").text
    '{"n": 1}'
    """
    parts = [_part(block, keep) for block in result.get("content") or ()]
    text = "\n".join(part.text for part in parts if part.text)
    structured = result.get("structuredContent")
    if not text and structured is not None:
        text = json.dumps(structured, ensure_ascii=False)
    if result.get("isError") is True:
        return failed("tool", text or "the tool failed and did not say why")
    kept = [part.kept for part in parts if part.kept is not None]
    data = structured if structured is not None else {"artifacts": kept} if kept else None
    return Output(text=text, data=data, pictures=tuple(filter(None, map(_picture, kept))))


def _picture(kept: Mapping[str, Any]) -> Picture | None:
    """What was kept, where it is an image that a model can be shown."""
    kind = str(kept["mime_type"])
    return Picture(kept["artifact"], kind, kept["bytes"]) if kind in MEDIA_TYPES else None


def failed(category: str, message: str) -> Output:
    """An output that tells of a failure; what is too long for an error stands whole below it."""
    if len(message) <= MESSAGE_MAX:
        return Output(status="error", error=ToolError(category=category, message=message))
    return Output(status="error", error=ToolError(category=category, message=message[:MESSAGE_MAX] + "…"), text=message)


def _part(block: Any, keep: Keep) -> _Part:
    if not isinstance(block, Mapping):
        return _Part("")
    match block.get("type"):
        case "text":
            return _Part(str(block.get("text", "")))
        case "image" | "audio" as kind:
            return _bytes(kind, block, block.get("data"), keep)
        case "resource":
            return _resource(block.get("resource"), keep)
        case "resource_link":
            return _Part(f"[resource {_named(block)}]")
        case other:
            return _Part(f"[a block of the kind `{str(other)[:100]}`, which is not shown]")


def _resource(resource: Any, keep: Keep) -> _Part:
    if not isinstance(resource, Mapping):
        return _Part("")
    if isinstance(resource.get("text"), str):
        return _Part(f"[resource {_named(resource)}]\n{resource['text']}")
    return _bytes(f"resource {_named(resource)}", resource, resource.get("blob"), keep)


def _bytes(kind: str, block: Mapping[str, Any], data: Any, keep: Keep) -> _Part:
    mime = str(block.get("mimeType") or "of an unknown type")[:100]
    try:
        decoded = base64.b64decode(str(data or ""), validate=True)
    except (binascii.Error, ValueError):
        return _Part(f"[{kind}, {mime}: its data is no base64]")
    artifact = keep(decoded)
    kept = {"artifact": artifact, "mime_type": mime, "bytes": len(decoded)}
    return _Part(f"[{kind}, {mime}, {len(decoded)} bytes, kept as artifact {artifact}]", kept)


def _named(block: Mapping[str, Any]) -> str:
    return ", ".join(_words(block))


def _words(block: Mapping[str, Any]) -> Iterator[str]:
    yield str(block.get("uri", "without an address"))[:URI_MAX]
    for key in ("title", "mimeType", "description"):
        if block.get(key):
            yield str(block[key])[:URI_MAX]
    if isinstance(block.get("size"), int):
        yield f"{block['size']} bytes"
