"""failures: what a provider's refusal means, told in one short sentence without secrets.

Tables first. Whether something is retried is the retry policy's to decide; here it is only said whether the same
request can succeed later.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from agentspec.adapters.http.retry_after import read_retry_after, seconds_of
from agentspec.adapters.models.wires.json_bytes import from_json, to_json
from agentspec.adapters.models.wires.overflow import OVERFLOW_CODES, is_overflow
from agentspec.core.calls.cap import encodable
from agentspec.core.messages import FailureClass
from agentspec.text.secrets import redact_loosely

PREVIEW = 400

RETRYABLE: frozenset[FailureClass] = frozenset({"rate_limited", "timeout", "server_error", "connection"})

BY_STATUS: dict[int, FailureClass] = {
    401: "auth",
    402: "rate_limited",  # no money left; never retried, see `PERMANENT`
    403: "auth",
    408: "timeout",
    409: "server_error",
    425: "server_error",
    429: "rate_limited",
}

# Words of error objects that come with HTTP 200, as events of a stream mostly.
STATUS_OF_WORD: dict[str, int] = {
    "overloaded": 529,
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "insufficient_quota": 429,
    "invalid_request_error": 400,
    "invalid_request": 400,
    "badrequesterror": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "timeout": 408,
    "timeout_error": 408,
    "api_error": 500,
    "server_error": 500,
    "internal_error": 500,
    "internal_server_error": 500,
    "internalservererror": 500,
    "unavailable": 503,
    "service_unavailable": 503,
}

KEY_REFUSED = "api key not valid"  # said with the status of a bad request
FILTER_CODES = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed"}
)

# Finish reasons under which nothing of the answer counts: the provider itself gave up on it. Asking again can help.
GIVEN_UP = frozenset(
    {
        "error",
        "failed",
        "abort",
        "aborted",
        "cancelled",
        "canceled",
        "server_error",
        "internal_error",
        "network_error",
        "insufficient_system_resource",
    }
)
BROKEN_CALL = frozenset(
    {"malformed_function_call", "malformed_tool_call", "malformed_response", "unexpected_tool_call"}
)
# What servers call an error which is the model's fault: it wrote a call, or an answer, that they can't read (Groq).
BROKEN_CODES = frozenset({"tool_use_failed", "output_parse_failed", "json_validate_failed"})
PERMANENT_CODES = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "account_deactivated"}
)
PERMANENT_WORDS = ("credit balance is too low", "insufficient balance", "insufficient credits", "billing hard limit")


REFUSED = (
    r"not (?:yet )?(?:be )?(?:support|allow|availab|enabl|implement|permit)|n't support|unsupported|disabled|"
    r"must be (?:set to )?false|cannot|can't|must be verified"
)
NO_STREAMS = re.compile(rf"stream(?!_options).*(?:{REFUSED})|(?:{REFUSED}).*stream(?!_options)", re.DOTALL)
# Some servers say with a 500 that a model can't see: llama.cpp's, "image input is not supported".
SEEING = r"image[ _](?:input|url)|\bimages\b|\bvision\b|multi-?modal"
NO_IMAGES = re.compile(rf"(?:{SEEING}).*(?:{REFUSED})|(?:{REFUSED}).*(?:{SEEING})", re.DOTALL)


class Refusal(NamedTuple):
    """A provider's error, read."""

    category: FailureClass
    retryable: bool
    retry_after: float | None
    words: str


class Complaint(NamedTuple):
    """What an error body says: its message, and every code and type in it, in lower case."""

    message: str
    codes: frozenset[str]
    resets_in: float | None = None


def read_complaint(body: bytes) -> Complaint:
    """The message and codes of an error body, whatever shape it has."""
    try:
        decoded = from_json(body)
    except ValueError:
        return Complaint(_plain(body), frozenset())
    return complaint_of(decoded)


def complaint_of(decoded: Any) -> Complaint:
    """As `read_complaint`, from a decoded value: `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}`, `[{…}]`, …"""
    if isinstance(decoded, list) and decoded:
        decoded = decoded[0]
    if not isinstance(decoded, dict):
        return Complaint(decoded if isinstance(decoded, str) else "", frozenset())
    inner = decoded.get("error", decoded)
    if isinstance(inner, str):
        inner = {**decoded, "message": decoded.get("message") or inner}
    if not isinstance(inner, dict):
        inner = decoded
    codes = {
        str(inner[key]).lower() for key in ("code", "type", "status", "error") if isinstance(inner.get(key), str | int)
    }
    message = next((inner[key] for key in ("message", "detail", "msg") if inner.get(key)), "")
    if not isinstance(message, str):
        message = to_json(message).decode()
    resets_in = seconds_of(str(inner.get("resets_in_seconds"))) or _retry_delay(inner)
    upstream = _upstream(inner, message)
    return Complaint(upstream.message or message, upstream.codes | codes, resets_in or upstream.resets_in)


def _upstream(inner: Mapping[str, Any], message: str) -> Complaint:
    """What the server behind a gateway said: the gateway quotes its whole error, beside its own words or as them."""
    quoted = inner.get("metadata")
    quoted = quoted.get("raw") if isinstance(quoted, dict) else message
    if not isinstance(quoted, str) or not quoted.startswith("{"):
        return Complaint(quoted if isinstance(quoted, str) and quoted != message else "", frozenset())
    try:
        return complaint_of(from_json(quoted.encode()))
    except ValueError:
        return Complaint("", frozenset())


def _retry_delay(inner: Mapping[str, Any]) -> float | None:
    """Seconds to wait as Google says them: a detail with `retryDelay: "34s"` (google.rpc.RetryInfo)."""
    details = inner.get("details")
    for detail in details if isinstance(details, list) else []:
        told = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(told, str) and told.endswith("s"):
            return seconds_of(told[:-1])
    return None


def _plain(body: bytes) -> str:
    text = body[: 8 * PREVIEW].decode("utf-8", "replace").strip()
    if len(body) > 8 * PREVIEW:
        text = (text.rsplit(None, 1) or [""])[0]  # half a word may be half a key, which no mask would know
    if not text.startswith("<"):
        return text
    title = re.search(r"<title[^>]*>([^<]*)", text, re.IGNORECASE)
    return f"an HTML page ({title[1].strip()})" if title and title[1].strip() else "an HTML page"


def classify(status: int, complaint: Complaint, headers: Mapping[str, str]) -> Refusal:
    """What an answer with HTTP `status` means (runtime.md, 12: the error classes)."""
    category = _category(status, complaint)
    permanent = status == 402 or _is_permanent(complaint)
    retryable = (category in RETRYABLE and not permanent) or bool(complaint.codes & BROKEN_CODES)
    retry_after = read_retry_after(headers, time.time())
    if retry_after is None:
        retry_after = complaint.resets_in
    return Refusal(category, retryable, retry_after if retryable else None, complaint.message)


def _category(status: int, complaint: Complaint) -> FailureClass:
    words = complaint.message.lower()
    if status in (401, 403) or KEY_REFUSED in words:
        return "auth"
    if complaint.codes & BROKEN_CODES:
        return "bad_response"
    if complaint.codes & FILTER_CODES:
        return "content_filter"
    if status not in (402, 408, 409, 425, 429) and status <= 500 and is_overflow(status, complaint.codes, words):
        return "context_overflow"
    if status in BY_STATUS:
        return BY_STATUS[status]
    if status in (500, 501) and NO_IMAGES.search(words):
        return "invalid_request"
    if status >= 500:
        return "server_error"
    return "invalid_request" if status >= 300 else "bad_response"


def _is_permanent(complaint: Complaint) -> bool:
    """Whether waiting doesn't help. The word quota alone is not enough: short throttling says it too."""
    words = complaint.message.lower()
    return bool(complaint.codes & PERMANENT_CODES) or any(each in words for each in PERMANENT_WORDS)


def refuses_streams(words: str) -> bool:
    """Whether a refusal says that answers are not streamed here.

    >>> refuses_streams("Streaming is not supported for this model."), refuses_streams("the stream is full")
    (True, False)
    """
    return NO_STREAMS.search(words.lower()) is not None


def status_of(complaint: Complaint) -> int:
    """The HTTP status that an error object inside a 200 stands for; 500 where nothing says it."""
    for code in sorted(complaint.codes):
        if code.isascii() and code.isdigit() and 400 <= int(code) <= 599:
            return int(code)
        if code in STATUS_OF_WORD:
            return STATUS_OF_WORD[code]
    if complaint.codes & (OVERFLOW_CODES | FILTER_CODES):
        return 400
    return 500


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without the known secrets and without what looks like a key, and at most `PREVIEW` characters long."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[redacted]")
    text = redact_loosely(text)
    text = " ".join(encodable(text).split())
    return text if len(text) <= PREVIEW else f"{text[:PREVIEW]}… ({len(text)} characters)"


def shown_host(url: str) -> str:
    """The host of a redirect's address, for a message; nothing else of it."""
    try:
        return urlsplit(url).hostname or "another path"
    except ValueError:
        return "another address"


def refuses_search(refusal: Refusal) -> bool:
    """Whether a server has no search for tools, or none for this model."""
    words = refusal.words.lower()
    return refusal.category == "invalid_request" and any(word in words for word in ("tool_search", "defer_loading"))
