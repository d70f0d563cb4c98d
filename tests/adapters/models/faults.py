"""Everything a server can do wrong, in every protocol, streamed and not; and what must come of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.servers.loopback import CLOSE, RESET, STALL, Drip, Script, chunk, response, stream_head
from tests.servers.said import Call, Said, Speaker
from tests.servers.speakers import Generate, Messages, frame, frames, head

AGAIN, NEVER = True, False  # whether the same request can succeed later
HELLO = Said("Hello.")
CALL = Said("", (Call("c1", "lookup", {"key": "a"}),), reason="calls")
OVERFLOW = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>"
GZIP = {"content-encoding": "gzip"}
Send = Callable[[Speaker], Script]


class Fault(NamedTuple):
    """What the server sends, plain and streamed, and what must come of it; a pair where the two forms differ."""

    plain: Send
    streamed: Send
    category: str | tuple[str, str]
    retryable: bool | tuple[bool, bool]
    status: int | None = None
    retry_after: float | None = None
    words: str = ""


# --- what servers send


def whole(speaker: Speaker, said: Said = HELLO) -> bytes:
    """A whole answer as it comes over the network."""
    return response(speaker.whole(said))


def text(speaker: Speaker, said: Said = HELLO) -> str:
    """The body of a whole answer."""
    return json.dumps(speaker.whole(said))


def opening(speaker: Speaker, said: Said = HELLO) -> bytes:
    """A stream up to where it would say why it is over."""
    return b"".join(frames(speaker, said)[0])


def events_of(speaker: Speaker, said: Said = HELLO) -> list[bytes]:
    """The framed events of a stream, its end among them."""
    begun, ended = frames(speaker, said)
    return [*begun, *ended]


def whole_stream(speaker: Speaker, said: Said = HELLO) -> bytes:
    """A stream with its end."""
    return b"".join(events_of(speaker, said))


def sends(data: bytes, speaker: Speaker) -> Script:
    """A stream of these bytes that ends in good order."""
    return [head(speaker), chunk(data), chunk(b"")]


def half_call(speaker: Speaker) -> bytes:
    """A stream up to the middle of a call; a call that comes whole is cut in its own bytes."""
    begun = opening(speaker, CALL)
    return begun[: begun.rindex(b'"key' if b'"key' in begun else b'{\\"')]


def body_of(speaker: Speaker, event: dict[str, Any]) -> tuple[Script, Script]:
    """An event as a whole answer, and as the last of a stream that had begun."""
    return [response(event)], sends(opening(speaker) + frame(speaker, event), speaker)


def kind(speaker: Speaker) -> dict[str, str]:
    """The header of a stream."""
    return {"content-type": "application/x-ndjson" if speaker.is_lines else "text/event-stream"}


# --- rows


def status(code: int, category: str, retryable: bool, message: str = "the server's words", **more: Any) -> Fault:
    """A refusal in the protocol's own form."""
    headers = {name.replace("_", "-"): value for name, value in more.pop("headers", {}).items()}

    def send(speaker: Speaker) -> Script:
        return [response(speaker.refusal(code, message), code, headers)]

    return Fault(send, send, category, retryable, code, more.get("after"), more.get("words", message))


def waiting(after: float | None, **headers: str) -> Fault:
    """Rate limited, with a time to wait."""
    return status(429, "rate_limited", AGAIN, headers=headers, after=after)


def raw(code: int, category: str, retryable: bool, body: Any, words: str, **headers: str) -> Fault:
    """A refusal in the form of whoever stands before the server."""
    return same([response(body, code, headers)], category, retryable, words, code)


def same(script: Script, category: str, retryable: bool, words: str = "", code: int | None = None) -> Fault:
    """The same bytes whatever was asked for."""
    return Fault(lambda _: script, lambda _: script, category, retryable, code, words=words)


def cut(plain: Send, streamed: Send, *, quiet: bool = False) -> Fault:
    """An answer that is not all there. `quiet`: the body ends in good order, so that the text itself is broken."""
    return Fault(plain, streamed, ("bad_response" if quiet else "connection", "connection"), AGAIN)


def error(message: str, code: int, category: str, retryable: bool) -> Fault:
    """An error object under a success status: alone, or in the middle of a stream."""

    def told(speaker: Speaker) -> dict[str, Any]:
        has_codes = isinstance(speaker, Messages | Generate)  # Ollama's own have none; those of its cloud do
        return speaker.refusal(code, message) if has_codes else of_openai(message, code)

    return Fault(
        lambda speaker: body_of(speaker, told(speaker))[0],
        lambda speaker: body_of(speaker, told(speaker))[1],
        category,
        retryable,
        words=message,
    )


def of_openai(message: str, code: int | str | None) -> dict[str, Any]:
    """An error object as OpenAI and most gateways have it."""
    return {"error": {"message": message, "type": "x", "code": code, "param": None}}


REFUSALS: dict[str, Fault] = {
    "rate limited": waiting(None),
    "rate limited with seconds to wait": waiting(7.0, retry_after="7"),
    "rate limited with a fraction of a second to wait": waiting(0.5, retry_after="0.5"),
    "rate limited with milliseconds to wait": waiting(1.5, retry_after_ms="1500", retry_after="9"),
    "rate limited until a date, by the server's clock": waiting(
        10.0, retry_after="Sat, 01 Jan 2050 00:00:10 GMT", date="Sat, 01 Jan 2050 00:00:00 GMT"
    ),
    "rate limited until a date that is over": waiting(
        0.0, retry_after="Sat, 01 Jan 2050 00:00:00 GMT", date="Sat, 01 Jan 2050 00:00:10 GMT"
    ),
    "rate limited for an absurd time": waiting(1e9, retry_after="1000000000"),
    "rate limited for a negative time": waiting(None, retry_after="-5"),
    "rate limited for no readable time": waiting(None, retry_after="soon"),
    "rate limited for no time at all": waiting(None, retry_after=""),
    "an empty balance": raw(
        429, "rate_limited", NEVER, of_openai("You exceeded your current quota", "insufficient_quota"), "quota"
    ),
    "short throttling that says quota": raw(
        429,
        "rate_limited",
        AGAIN,
        {"error": {"code": 429, "message": "check quota", "status": "RESOURCE_EXHAUSTED"}},
        "check quota",
    ),
    "payment required": status(402, "rate_limited", NEVER),
    "internal server error": status(500, "server_error", AGAIN),
    "bad gateway with a page": raw(502, "server_error", AGAIN, PAGE, "an HTML page (Sign in)"),
    "service unavailable": raw(503, "server_error", AGAIN, b"", "no reason given"),
    "gateway timeout": status(504, "server_error", AGAIN),
    "overloaded": status(529, "server_error", AGAIN, "Overloaded"),
    "request timeout": status(408, "timeout", AGAIN),
    "conflict": status(409, "server_error", AGAIN),
    "too early": status(425, "server_error", AGAIN),
    "forbidden": status(403, "auth", NEVER),
    "not found": status(404, "invalid_request", NEVER, "The model `m-1` does not exist"),
    "invalid request": status(400, "invalid_request", NEVER),
    "unprocessable": raw(
        422, "invalid_request", NEVER, {"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required"
    ),
    "an overflow of the window": status(400, "context_overflow", NEVER, OVERFLOW),
    "an overflow by code": raw(
        400, "context_overflow", NEVER, of_openai("Too much.", "context_length_exceeded"), "Too much."
    ),
    "an overflow under another status": status(413, "context_overflow", NEVER, "Request Entity Too Large"),
    "request too large without words": raw(413, "invalid_request", NEVER, b"", "no reason given"),
    "a content filter": raw(
        400, "content_filter", NEVER, of_openai("filtered by the content policy", "content_filter"), "filtered"
    ),
    "a redirect to another host": raw(
        307, "invalid_request", NEVER, b"", "it redirects to `elsewhere.example`", location="http://elsewhere.example/1"
    ),
    "an error that is only text": raw(
        500, "server_error", AGAIN, {"error": "runner has stopped"}, "runner has stopped"
    ),
    "an error in a list": raw(400, "invalid_request", NEVER, [{"error": {"message": "in a list"}}], "in a list"),
    "an error that is not JSON": raw(400, "invalid_request", NEVER, b"\xff\xfe no", "no"),
    "a success that is no answer": raw(204, "bad_response", NEVER, b"", "no reason given"),
}

CONNECTIONS: dict[str, Fault] = {
    "closed before the head": same([CLOSE], "connection", AGAIN, "closed the connection before it answered"),
    "reset before the head": same([RESET], "connection", AGAIN, "closed the connection before it answered"),
    "closed in the head": same([b"HTTP/1.1 200 OK\r\ncontent-", CLOSE], "connection", AGAIN),
    "closed after the head": cut(lambda _: [response(b"", length=100), CLOSE], lambda speaker: [head(speaker), CLOSE]),
    "closed before any token, in good order": cut(
        lambda _: [response(b"")], lambda speaker: [head(speaker), chunk(b"")], quiet=True
    ),
    "closed in the text": cut(
        lambda speaker: [whole(speaker)[:-40], CLOSE], lambda speaker: [head(speaker), chunk(opening(speaker)), CLOSE]
    ),
    "ended in the text, in good order": cut(
        lambda speaker: [response(text(speaker)[:-60])],
        lambda speaker: sends(opening(speaker), speaker),
        quiet=True,
    ),
    "closed in the arguments of a call": cut(
        lambda speaker: [whole(speaker, CALL)[:-90], CLOSE],
        lambda speaker: [head(speaker), chunk(half_call(speaker)), CLOSE],
    ),
    "ended in the arguments of a call, in good order": cut(
        lambda speaker: [response(text(speaker, CALL)[:-90])],
        lambda speaker: sends(half_call(speaker), speaker),
        quiet=True,
    ),
    "ended behind the arguments of a call": cut(
        lambda speaker: [whole(speaker, CALL)[:-1], CLOSE], lambda speaker: sends(opening(speaker, CALL), speaker)
    ),
    "reset in the body": cut(
        lambda speaker: [whole(speaker)[:-40], RESET],
        lambda speaker: [head(speaker), chunk(opening(speaker)), RESET],
    ),
    "a chunk that is cut": cut(
        lambda _: [stream_head({"content-type": "application/json"}) + b'40\r\n{"id"', CLOSE],
        lambda speaker: [head(speaker) + b"fff\r\n" + opening(speaker)[:20], CLOSE],
    ),
    "a length that is too long": cut(
        lambda speaker: [response(speaker.whole(HELLO), length=9999), CLOSE],
        lambda speaker: [response(opening(speaker), headers=kind(speaker), length=9999), CLOSE],
    ),
    "a length that is too short": cut(
        lambda speaker: [response(speaker.whole(HELLO), length=60)],
        lambda speaker: [response(opening(speaker), headers=kind(speaker), length=60)],
        quiet=True,
    ),
    "gzip that is cut": cut(
        lambda speaker: [response(gzip.compress(text(speaker).encode())[:-9], headers=GZIP)],
        lambda speaker: [response(gzip.compress(opening(speaker))[:-9], headers=GZIP | kind(speaker))],
    ),
    "gzip that is damaged": same([response(b"not gzip", headers=GZIP)], "bad_response", NEVER, "damaged"),
    "an encoding that nobody asked for": same(
        [response(b"{}", headers={"content-encoding": "br"})], "bad_response", NEVER, "content encoding `br`"
    ),
    "a length that is no number": same(
        [response(b"{}", headers={"content-length": "many"})], "bad_response", NEVER, "content-length is no number"
    ),
    "two lengths": same([response(b"{}", headers={"content-length": "5, 6"})], "bad_response", NEVER),
    "a chunk without its size": same([stream_head() + b"zz\r\n"], "bad_response", NEVER, "a chunk has no size"),
    "no HTTP": same(
        [b"220 mail.example ESMTP ready\r\n\r\n", CLOSE],
        "bad_response",
        NEVER,
        "does not begin with an HTTP status line",
    ),
    "ten thousand headers": same(
        [b"HTTP/1.1 200 OK\r\n" + b"x-filler: 1\r\n" * 10_000 + b"\r\n"],
        "bad_response",
        NEVER,
        "its headers are longer than 65536 bytes",
    ),
    "an endless header": same([b"HTTP/1.1 200 OK\r\nx: " + b"a" * 100_000, STALL], "bad_response", NEVER),
}

SILENCE: dict[str, Fault] = {
    "silence before the head": same([STALL], "timeout", AGAIN, "no whole answer within 1 s"),
    "silence after the head": Fault(
        lambda _: [response(b"", length=9), STALL], lambda speaker: [head(speaker), STALL], "timeout", AGAIN
    ),
    "silence in the middle": Fault(
        lambda speaker: [whole(speaker)[:-40], STALL],
        lambda speaker: [head(speaker) + chunk(opening(speaker)), STALL],
        "timeout",
        AGAIN,
    ),
    "a byte at a time past the deadline": Fault(
        lambda speaker: [Drip(whole(speaker), 0.02)],
        lambda speaker: [head(speaker), Drip(chunk(opening(speaker) * 9), 0.02)],
        "timeout",
        AGAIN,
    ),
}


def nothing(body: Any, words: str = "", *, may_pass: bool = True) -> Fault:
    """A body that is no answer of any protocol."""
    return same([response(body)], "bad_response", may_pass, words)


def broken_event(speaker: Speaker) -> Script:
    """A stream in which one event is no JSON."""
    begun, ended = frames(speaker, HELLO)
    return sends(b"".join([*begun, frame(speaker, b'{"choices": [}'), *ended]), speaker)


CONTENT: dict[str, Fault] = {
    "an HTML page with status 200": same(
        [response(PAGE, headers={"content-type": "text/html"})],
        "bad_response",
        NEVER,
        "it is an HTML page; is `base_url` right?",
    ),
    "an empty body": nothing(b"", "its body is empty"),
    "a body of blanks": nothing(b" \n\n ", "its body is empty"),
    "null": nothing(b"null"),
    "a number": nothing(b"17"),
    "a JSON text": nothing(b'"Hello!"'),
    "an empty list": nothing([]),
    "a list of nulls": nothing([None]),
    "an empty object": nothing({}, "it has no "),
    "an object of something else": nothing({"status": "ok"}),
    "plain text": nothing("Hello!", "its JSON is broken"),
    "bytes that are no text": nothing(b'{"id": "\xff\xfe', "its JSON is broken"),
    "JSON nested without end": nothing(b'{"choices":' + b"[" * 200_000, "nested too deeply"),
    "a stream with broken JSON": Fault(lambda _: [response(b'{"choices": [}')], broken_event, "bad_response", AGAIN),
    "an error with status 200": error("Overloaded", 529, "server_error", AGAIN),
    "a rate limit in the middle": error("slow down", 429, "rate_limited", AGAIN),
    "a refused key in the middle": error("bad key", 401, "auth", NEVER),
    "an overflow in the middle": error("prompt is too long: 9 tokens > 8", 400, "context_overflow", NEVER),
    "an error event without an error in it": Fault(
        lambda _: [response({"error": "boom"})],
        lambda speaker: sends(
            opening(speaker) + (b'{"error":"boom"}\n' if speaker.is_lines else b'event: error\ndata: {"m":"boom"}\n\n'),
            speaker,
        ),
        "server_error",
        AGAIN,
    ),
    "an answer that was withheld": Fault(
        lambda speaker: [whole(speaker, Said("Hel", reason="filter"))],
        lambda speaker: sends(whole_stream(speaker, Said("Hel", reason="filter")), speaker),
        "content_filter",
        NEVER,
    ),
    "an answer whose reason says error": Fault(
        lambda speaker: [whole(speaker, CALL._replace(reason="error"))],
        lambda speaker: sends(whole_stream(speaker, CALL._replace(reason="error")), speaker),
        "server_error",
        AGAIN,
        words="gave the answer up",
    ),
    "a call that the provider calls malformed": Fault(
        lambda speaker: [whole(speaker, Said("x", reason="MALFORMED_FUNCTION_CALL"))],
        lambda speaker: sends(whole_stream(speaker, Said("x", reason="MALFORMED_FUNCTION_CALL")), speaker),
        "bad_response",
        AGAIN,
        words="malformed",
    ),
}

FAULTS = REFUSALS | CONNECTIONS | SILENCE | CONTENT
