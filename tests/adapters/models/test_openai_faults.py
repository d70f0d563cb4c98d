"""Everything a server can do wrong, streamed and not: named, bounded in time, and never half an answer.

Each fault ends within its limit and a second, as a `Failure` of a known class, or as the same whole `Reply` as without
the fault where it does not matter. No failure carries calls: half an argument never reaches a tool.
"""

from __future__ import annotations

import gzip
import json
import socket
import time
import tracemalloc
from dataclasses import dataclass

import pytest

from agentspec.adapters.models.http import HttpClient
from agentspec.core.messages import Failure, Reply
from agentspec.ports import ModelRequest
from tests.adapters.models.asking import KEY, OPENING, ask, model_at
from tests.servers.loopback import (
    CLOSE,
    DONE,
    RESET,
    STALL,
    Drip,
    Loopback,
    Pause,
    Script,
    call_piece,
    chunk,
    completion,
    event,
    piece,
    response,
    stream,
    stream_head,
    usage_piece,
)

AGAIN, NEVER = True, False  # whether the same request can succeed later
LONG = 20.0  # seconds; nothing below comes near it
SHORT = 0.3  # seconds; the limit that a silent server runs into
HELLO = completion({"content": "Hello."})
CALL = completion(
    {
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{"key":"a"}'}}],
    },
    "tool_calls",
)
HELLO_PIECES = (piece({"role": "assistant", "content": ""}), piece({"content": "Hello."}))
STOP = (piece({}, "stop"), usage_piece(), DONE)
HALF_CALL = (call_piece(0, "c1", "lookup", '{"key":'),)


@dataclass(frozen=True)
class Fault:
    """What the server sends, plain and streamed, and what must come of it."""

    plain: Script
    streamed: Script
    category: str | tuple[str, str]  # of both, or of the plain and of the streamed one
    retryable: bool
    status: int | None = None
    retry_after: float | None = None
    words: str = ""


def status(code: int, category: str, *, retryable: bool, body: object = None, words: str = "", **headers: str) -> Fault:
    body = {"error": {"message": "the server's words", "type": "x"}} if body is None else body
    script = [response(body, code, {name.replace("_", "-"): value for name, value in headers.items()})]
    return Fault(script, script, category, retryable, code, words=words or "the server's words")


def waiting(after: float | None, **headers: str) -> Fault:
    fault = status(429, "rate_limited", retryable=True, **headers)
    return Fault(fault.plain, fault.streamed, fault.category, AGAIN, 429, after)


def same(script: Script, category: str, *, retryable: bool, words: str = "") -> Fault:
    return Fault(script, script, category, retryable, words=words)


def of_openai(message: str, code: str | None) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code, "param": None}}


WHOLE = response(HELLO)
OVERFLOW = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>"
FAR = "Sat, 01 Jan 2050 00:00:10 GMT"
DATE = "Sat, 01 Jan 2050 00:00:00 GMT"

FAULTS: dict[str, Fault] = {
    # --- refusals by status
    "rate limited": waiting(None),
    "rate limited with seconds to wait": waiting(7.0, retry_after="7"),
    "rate limited with a fraction of a second to wait": waiting(0.5, retry_after="0.5"),
    "rate limited with milliseconds to wait": waiting(1.5, retry_after_ms="1500", retry_after="9"),
    "rate limited until a date, by the server's clock": waiting(10.0, retry_after=FAR, date=DATE),
    "rate limited for an absurd time": waiting(1e9, retry_after="1000000000"),
    "rate limited for a negative time": waiting(None, retry_after="-5"),
    "rate limited for no readable time": waiting(None, retry_after="soon"),
    "an empty balance": status(
        429,
        "rate_limited",
        retryable=False,
        body=of_openai("You exceeded your current quota", "insufficient_quota"),
        words="You exceeded your current quota",
        retry_after="3",
    ),
    "short throttling that says quota": status(
        429,
        "rate_limited",
        retryable=True,
        body={"error": {"code": 429, "message": "check quota", "status": "RESOURCE_EXHAUSTED"}},
        words="check quota",
    ),
    "payment required": status(402, "rate_limited", retryable=False),
    "internal server error": status(500, "server_error", retryable=True),
    "bad gateway with a page": status(502, "server_error", retryable=True, body=PAGE, words="an HTML page (Sign in)"),
    "service unavailable": status(503, "server_error", retryable=True, body=b"", words="no reason given"),
    "gateway timeout": status(504, "server_error", retryable=True),
    "overloaded": status(
        529,
        "server_error",
        retryable=True,
        body={"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        words="Overloaded",
    ),
    "request timeout": status(408, "timeout", retryable=True),
    "conflict": status(409, "server_error", retryable=True),
    "too early": status(425, "server_error", retryable=True),
    "not authorised": status(
        401,
        "auth",
        retryable=False,
        body=of_openai(f"Incorrect API key provided: {KEY}.", "invalid_api_key"),
        words="Incorrect API key provided: [redacted]",
    ),
    "forbidden": status(403, "auth", retryable=False),
    "not found": status(
        404,
        "invalid_request",
        retryable=False,
        body=of_openai("The model `m-1` does not exist", "model_not_found"),
        words="The model `m-1` does not exist",
    ),
    "invalid request": status(400, "invalid_request", retryable=False),
    "unprocessable": status(
        422,
        "invalid_request",
        retryable=False,
        body={"detail": [{"loc": ["body"], "msg": "field required"}]},
        words="field required",
    ),
    "context overflow by code": status(
        400,
        "context_overflow",
        retryable=False,
        body=of_openai(OVERFLOW, "context_length_exceeded"),
        words="maximum context length",
    ),
    "context overflow in vLLM's words": status(
        400,
        "context_overflow",
        retryable=False,
        body={"object": "error", "message": OVERFLOW, "code": 400},
        words="maximum context length",
    ),
    "context overflow in llama.cpp's words": status(
        400,
        "context_overflow",
        retryable=False,
        body={
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size",
                "type": "exceed_context_size_error",
            }
        },
        words="available context size",
    ),
    "context overflow in Anthropic's words": status(
        400,
        "context_overflow",
        retryable=False,
        body={"error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8"}},
        words="prompt is too long",
    ),
    "request too large": status(
        413,
        "context_overflow",
        retryable=False,
        body={"error": {"message": "Request Entity Too Large"}},
        words="Too Large",
    ),
    "request too large without words": status(
        413, "invalid_request", retryable=False, body=b"", words="no reason given"
    ),
    "content filter": status(
        400,
        "content_filter",
        retryable=False,
        body=of_openai("filtered by the content policy", "content_filter"),
        words="filtered",
    ),
    "redirect to another host": status(
        307,
        "invalid_request",
        retryable=False,
        body=b"",
        location="http://elsewhere.example/v1?key=1",
        words="it redirects to `elsewhere.example`, and redirects are not followed",
    ),
    "an error that is only text": status(
        500,
        "server_error",
        retryable=True,
        body={"error": "model runner has stopped"},
        words="model runner has stopped",
    ),
    "an error in a list": status(
        400, "invalid_request", retryable=False, body=[{"error": {"message": "in a list"}}], words="in a list"
    ),
    "an error that is not JSON": status(400, "invalid_request", retryable=False, body=b"\xff\xfe no", words="no"),
    "a success that is no answer": status(204, "bad_response", retryable=False, body=b"", words="no reason given"),
    # --- the connection
    "closed before the head": same(
        [CLOSE], "connection", retryable=True, words="closed the connection before it answered"
    ),
    "reset before the head": same(
        [RESET], "connection", retryable=True, words="closed the connection before it answered"
    ),
    "closed in the head": same([b"HTTP/1.1 200 OK\r\ncontent-", CLOSE], "connection", retryable=True),
    "closed after the head": Fault(
        [response(b"", length=100), CLOSE],
        [stream_head(), CLOSE],
        "connection",
        AGAIN,
        words="in the middle of its answer",
    ),
    "closed before any token, in good order": Fault([response(b"")], [stream()], ("bad_response", "connection"), AGAIN),
    "closed in the text": Fault(
        [WHOLE[:-40], CLOSE], [stream_head(), chunk(b"".join(HELLO_PIECES)), CLOSE], "connection", AGAIN
    ),
    "ended in the text, in good order": Fault(
        [response(json.dumps(HELLO)[:-60])], [stream(*HELLO_PIECES)], ("bad_response", "connection"), AGAIN
    ),
    "closed in the arguments of a call": Fault(
        [response(CALL)[:-90], CLOSE], [stream_head(), chunk(b"".join(HALF_CALL)), CLOSE], "connection", AGAIN
    ),
    "ended in the arguments of a call, in good order": Fault(
        [response(json.dumps(CALL)[:-90])], [stream(*HALF_CALL)], ("bad_response", "connection"), AGAIN
    ),
    "reset in the body": Fault(
        [WHOLE[:-40], RESET], [stream_head(), chunk(HELLO_PIECES[1]), RESET], "connection", AGAIN
    ),
    "a chunk that is cut": Fault(
        [stream_head({"content-type": "application/json"}) + b'40\r\n{"id"', CLOSE],
        [stream_head() + b"ff\r\n" + HELLO_PIECES[1][:20], CLOSE],
        "connection",
        AGAIN,
    ),
    "a length that is too long": Fault(
        [response(HELLO, length=9999), CLOSE],
        [response(b"".join(HELLO_PIECES), headers={"content-type": "text/event-stream"}, length=9999), CLOSE],
        "connection",
        AGAIN,
    ),
    "a length that is too short": Fault(
        [response(HELLO, length=60)],
        [response(b"".join(HELLO_PIECES), headers={"content-type": "text/event-stream"}, length=60)],
        ("bad_response", "connection"),
        AGAIN,
    ),
    "a length that is no number": same(
        [response(HELLO, headers={"content-length": "many"})],
        "bad_response",
        retryable=False,
        words="content-length is no number",
    ),
    "two lengths": same([response(HELLO, headers={"content-length": "5, 6"})], "bad_response", retryable=False),
    "a chunk without its size": same(
        [stream_head() + b"zz\r\n"], "bad_response", retryable=False, words="a chunk has no size"
    ),
    "no HTTP": same(
        [b"220 mail.example ESMTP ready\r\n\r\n", CLOSE],
        "bad_response",
        retryable=False,
        words="does not begin with an HTTP status line",
    ),
    "ten thousand headers": same(
        [b"HTTP/1.1 200 OK\r\n" + b"x-filler: 1\r\n" * 10_000 + b"\r\n"],
        "bad_response",
        retryable=False,
        words="its headers are longer than 65536 bytes",
    ),
    "an endless header": same([b"HTTP/1.1 200 OK\r\nx: " + b"a" * 100_000, STALL], "bad_response", retryable=False),
    "gzip that is cut": Fault(
        [response(gzip.compress(json.dumps(HELLO).encode())[:-9], headers={"content-encoding": "gzip"})],
        [
            response(
                gzip.compress(b"".join(HELLO_PIECES))[:-9],
                headers={"content-encoding": "gzip", "content-type": "text/event-stream"},
            )
        ],
        "connection",
        AGAIN,
    ),
    "gzip that is damaged": same(
        [response(b"not gzip", headers={"content-encoding": "gzip"})], "bad_response", retryable=False, words="damaged"
    ),
    "an encoding that nobody asked for": same(
        [response(HELLO, headers={"content-encoding": "br"})],
        "bad_response",
        retryable=False,
        words="content encoding `br`",
    ),
    # --- silence
    "silence before the head": same([STALL], "timeout", retryable=True, words="no whole answer within 0.3 s"),
    "silence after the head": Fault([response(b"", length=9), STALL], [stream_head(), STALL], "timeout", AGAIN),
    "silence in the middle": Fault(
        [WHOLE[:-40], STALL], [stream_head() + chunk(HELLO_PIECES[1]), STALL], "timeout", AGAIN
    ),
    "a byte at a time past the deadline": Fault(
        [Drip(WHOLE, 0.02)], [stream_head(), Drip(chunk(b"".join(HELLO_PIECES * 9)), 0.02)], "timeout", AGAIN
    ),
    # --- content
    "an HTML page with status 200": same(
        [response(PAGE, headers={"content-type": "text/html"})],
        "bad_response",
        retryable=False,
        words="it is an HTML page; is `base_url` right?",
    ),
    "an empty body": same([response(b"")], "bad_response", retryable=True, words="its body is empty"),
    "a list": same([response([])], "bad_response", retryable=True, words="it is JSON, but not an object"),
    "plain text": same([response("Hello!")], "bad_response", retryable=True, words="its JSON is broken"),
    "no choices": same([response({"id": "x"})], "bad_response", retryable=True, words="it has no `choices`"),
    "empty choices": same([response({"choices": []})], "bad_response", retryable=True, words="it has no `choices`"),
    "choices that are none": same([response({"choices": "x"})], "bad_response", retryable=True),
    "JSON nested without end": same(
        [response(b'{"choices":' + b"[" * 200_000)], "bad_response", retryable=True, words="nested too deeply"
    ),
    "an error with status 200": Fault(
        [response({"error": {"message": "busy", "type": "overloaded_error"}})],
        [stream(event({"error": {"message": "busy", "type": "overloaded_error"}}))],
        "server_error",
        AGAIN,
        words="busy",
    ),
    "an error in the middle": Fault(
        [response({"error": {"message": "slow down", "code": 429}})],
        [stream(*HELLO_PIECES, event({"error": {"message": "slow down", "code": 429}}))],
        "rate_limited",
        AGAIN,
        words="slow down",
    ),
    "an error event without an error in it": Fault(
        [response({"error": "boom"})],
        [stream(*HELLO_PIECES, b'event: error\ndata: {"message":"boom"}\n\n')],
        "server_error",
        AGAIN,
        words="boom",
    ),
    "an error inside a choice": Fault(
        [
            response(
                {
                    "choices": [
                        {
                            "index": 0,
                            "message": {},
                            "error": {"message": "upstream", "code": 502},
                            "finish_reason": "error",
                        }
                    ]
                }
            )
        ],
        [
            stream(
                event(
                    {
                        "choices": [
                            {
                                "index": 0,
                                "delta": {},
                                "error": {"message": "upstream", "code": 502},
                                "finish_reason": "error",
                            }
                        ]
                    }
                )
            )
        ],
        "server_error",
        AGAIN,
        words="upstream",
    ),
    "an authentication error with status 200": Fault(
        [response({"error": {"message": "bad key", "type": "authentication_error"}})],
        [stream(event({"error": {"message": "bad key", "type": "authentication_error"}}))],
        "auth",
        NEVER,
    ),
    "a stream with broken JSON": Fault(
        [response(b'{"choices": [}')], [stream(*HELLO_PIECES, event(b'{"choices": [}'), *STOP)], "bad_response", AGAIN
    ),
    "a call that the provider calls malformed": Fault(
        [response(completion({"content": ""}, "MALFORMED_FUNCTION_CALL"))],
        [stream(piece({"content": ""}), piece({}, "malformed_function_call"), DONE)],
        "bad_response",
        AGAIN,
    ),
    "a whole call beside a finish reason that says error": Fault(
        [response({**CALL, "choices": [{**CALL["choices"][0], "finish_reason": "error"}]})],
        [stream(call_piece(0, "c1", "lookup", '{"key":"a"}'), piece({}, "error"), DONE)],
        "server_error",
        AGAIN,
        words="the provider gave the answer up (finish reason `error`)",
    ),
    "an end marker and nothing before it": Fault(
        [response(b"data: [DONE]\n\n")], [stream(DONE)], "bad_response", AGAIN
    ),
}
NOTHING: dict[str, object] = {
    "null": None,
    "a list": [],
    "a text": "x",
    "an empty object": {},
    "a message that is null": {"message": None, "delta": None},
    "a message that is null, and a reason": {"message": None, "delta": None, "finish_reason": "stop"},
    "a message that is a list": {"message": [], "delta": [], "finish_reason": "stop"},
    "a message that is a text": {"message": "x", "delta": "x", "finish_reason": "tool_calls"},
    "a reason alone": {"finish_reason": "length"},
    "a reason that is null": {"finish_reason": None},
}
for name, choice in NOTHING.items():
    body = {"id": "x", "choices": [choice]}
    FAULTS[f"a choice that is {name}"] = Fault([response(body)], [stream(event(body), DONE)], "bad_response", AGAIN)

CASES = [
    pytest.param(fault, streamed, id=f"{name}, {'streamed' if streamed else 'plain'}")
    for name, fault in FAULTS.items()
    for streamed in (False, True)
]


@pytest.mark.parametrize(("fault", "streamed"), CASES)
async def test_a_fault_is_a_failure_of_its_class_within_its_limit(fault: Fault, streamed: bool) -> None:
    began = time.monotonic()
    limit = SHORT if "timeout" in fault.category and fault.status is None else LONG

    async with Loopback([fault.streamed if streamed else fault.plain]) as server:
        answer = await ask(server.url, stream=streamed, listen=lambda _: None, timeout=limit, idle_timeout=limit)

    assert isinstance(answer, Failure), answer
    category = fault.category if isinstance(fault.category, str) else fault.category[streamed]
    expected = (category, fault.retryable, fault.status, fault.retry_after)
    assert (answer.category, answer.retryable, answer.http_status, answer.retry_after) == expected, answer.message
    assert fault.words in answer.message
    assert f"openai `m-1` at 127.0.0.1:{server.port}: " in answer.message
    assert KEY not in answer.message
    assert len(answer.message) < 600
    assert len(server.asked) == 1
    assert time.monotonic() - began < limit + 1


# --- what does not matter must not matter

EVENTS = b"".join((*HELLO_PIECES, *STOP))
AS_STREAM = {"content-type": "text/event-stream"}

HARMLESS: dict[str, Script] = {
    "events in one piece": [stream(EVENTS)],
    "one event a chunk": [stream_head(), *(chunk(each) for each in (*HELLO_PIECES, *STOP)), chunk(b"")],
    "a byte at a time": [stream_head(), *(chunk(EVENTS[at : at + 1]) for at in range(len(EVENTS))), chunk(b"")],
    "lines that end with CRLF": [stream(EVENTS.replace(b"\n", b"\r\n"))],
    "lines that end with CR": [stream(EVENTS.replace(b"\n", b"\r"))],
    "comments between events": [stream(*(b": ping\n\n" + each for each in (*HELLO_PIECES, *STOP)))],
    "no space after data": [stream(EVENTS.replace(b"data: ", b"data:"))],
    "a byte-order mark": [stream(b"\xef\xbb\xbf" + EVENTS)],
    "a byte-order mark over chunks": [
        stream_head(),
        chunk(b"\xef"),
        chunk(b"\xbb"),
        chunk(b"\xbf" + EVENTS),
        chunk(b""),
    ],
    "named events and ids": [stream(EVENTS.replace(b"data: {", b"event: message\nid: 7\nretry: 10\ndata: {"))],
    "data in several lines": [stream(EVENTS.replace(b'"choices": ', b'"choices": \ndata: '))],
    "the end marker twice": [stream(EVENTS, DONE)],
    "events after the end": [stream(EVENTS, piece({"content": "more"}))],
    "a finish reason and no end marker": [stream(*HELLO_PIECES, piece({}, "stop"), usage_piece())],
    "an end marker and no finish reason": [stream(*HELLO_PIECES, usage_piece(), DONE)],
    "an end marker without an empty line": [stream(*HELLO_PIECES, *STOP[:2], b"data: [DONE]")],
    "a finish reason and then a cut": [stream_head() + chunk(b"".join((*HELLO_PIECES, usage_piece(), STOP[0]))), RESET],
    "a finish reason and then silence": [
        stream_head() + chunk(b"".join((*HELLO_PIECES, usage_piece(), STOP[0]))),
        STALL,
    ],
    "an end marker and then silence": [stream_head() + chunk(EVENTS), STALL],
    "unknown event types": [stream(b"event: ping\ndata: {}\n\n", b'data: {"object":"news","n":1}\n\n', EVENTS)],
    "another alternative": [
        stream(HELLO_PIECES[0], event({"choices": [{"index": 1, "delta": {"content": "No"}}]}), HELLO_PIECES[1], *STOP)
    ],
    "a body until the connection closes": [
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + EVENTS,
        CLOSE,
    ],
    "HTTP 1.0": [b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n" + json.dumps(HELLO).encode(), CLOSE],
    "early hints first": [b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + WHOLE],
    "heads with bare line feeds": [WHOLE.replace(b"\r\n", b"\n")],
    "gzip": [response(gzip.compress(json.dumps(HELLO).encode()), headers={"content-encoding": "gzip"})],
    "gzip in a stream": [response(gzip.compress(EVENTS), headers={"content-encoding": "gzip", **AS_STREAM})],
    "a stream without its content type": [response(EVENTS, headers={"content-type": "text/plain"})],
    "JSON where a stream was asked for": [WHOLE],
    "JSON that calls itself a stream": [response(HELLO, headers=AS_STREAM)],
    "blank lines before the JSON": [response(b"\n\n  \n" + json.dumps(HELLO).encode())],
    "JSON with a byte-order mark": [response(b"\xef\xbb\xbf" + json.dumps(HELLO).encode())],
    "trailers after the last chunk": [stream_head() + chunk(EVENTS) + b"0\r\nx-checksum: 1\r\n\r\n"],
    "chunk extensions": [stream_head() + b"%x;name=1\r\n%s\r\n0\r\n\r\n" % (len(EVENTS), EVENTS)],
    "a megabyte of a line": [stream(event({"choices": [], "padding": "x" * (1 << 20)}), EVENTS)],
    "a model of another name": [response({**HELLO, "model": "m-1"})],
}


@pytest.mark.parametrize("name", HARMLESS)
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
async def test_what_does_not_matter_gives_the_same_reply(name: str, streamed: bool) -> None:
    expected = {"text": "Hello.", "calls": (), "finish": "stop", "model": "m-1", "lost": ()}

    async with Loopback([HARMLESS[name]]) as server:
        answer = await ask(
            server.url,
            stream=streamed,
            listen=lambda _: None,
            timeout=LONG,
            idle_timeout=SHORT if "silence" in name else LONG,
        )

    assert isinstance(answer, Reply), answer
    assert {key: getattr(answer, key) for key in expected} == expected
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.estimated) == (11, 5, False)


# --- hosts and certificates


async def test_a_refused_connection_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

        answer = await ask(f"http://127.0.0.1:{port}/v1")

    assert answer == Failure(
        category="connection",
        message=f"openai `m-1` at 127.0.0.1:{port}: no connection to `127.0.0.1:{port}` (Connection refused)",
        retryable=True,
        provider="openai",
        model="m-1",
    )


async def test_an_unknown_host_is_named() -> None:
    answer = await ask("http://nowhere.invalid/v1")

    assert (answer.category, answer.retryable) == ("connection", True)
    assert answer.message == "openai `m-1` at nowhere.invalid: the host of `nowhere.invalid:80` was not found"


async def test_a_certificate_that_nobody_vouches_for_is_refused_and_nothing_is_sent() -> None:
    async with Loopback([[WHOLE]], tls=True) as server:
        answer = await ask(server.url)

    assert (answer.category, answer.retryable, server.asked) == ("connection", False, [])
    assert answer.message == (
        f"openai `m-1` at 127.0.0.1:{server.port}: the certificate of `127.0.0.1:{server.port}` is not trusted "
        "(self-signed certificate); for a private authority set `SSL_CERT_FILE`"
    )


async def test_https_to_a_server_that_speaks_http_is_named() -> None:
    async with Loopback([[WHOLE]], greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n") as server:
        answer = await ask(server.url.replace("http:", "https:"))

    assert (answer.category, answer.retryable) == ("connection", False)
    assert "no TLS connection to" in answer.message


async def test_a_connection_that_never_opens_ends_at_its_own_limit() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        fillers = []
        for _ in range(4):
            filler = socket.socket()
            filler.settimeout(0)
            filler.connect_ex(("127.0.0.1", port))
            fillers.append(filler)
        try:
            answer = await ask(f"http://127.0.0.1:{port}/v1", connect_timeout=0.2, timeout=5.0)
        finally:
            for filler in fillers:
                filler.close()

    assert (answer.category, answer.retryable) == ("timeout", True)
    assert answer.message.endswith(f"no connection to `127.0.0.1:{port}` within 0.2 s")


async def test_a_redirect_is_not_followed_and_the_key_stays_here() -> None:
    async with Loopback([[WHOLE]]) as elsewhere:
        moved = response(b"", 308, {"location": elsewhere.url})
        async with Loopback([[moved]]) as server:
            answer = await ask(server.url)

    assert answer.category == "invalid_request"
    assert elsewhere.connections == 0


async def test_an_answer_without_end_is_cut_off_at_its_limit() -> None:
    lines = [piece({"content": "x" * 1000})] * 300

    async with Loopback([[stream_head(), *([chunk(b"".join(lines))] * 10), STALL]]) as server:
        answer = await ask(server.url, stream=True, max_bytes=1 << 20)

    assert (answer.category, answer.retryable) == ("bad_response", False)
    assert answer.message.endswith("the answer is larger than 1 MiB (request chatcmpl-1)")


MIB = b"x" * (1 << 20)
LINES = event({"choices": [{"index": 0, "delta": {"content": "x" * 30_000}}]}) * 35
ARGUMENTS = call_piece(0, None, None, "x" * 30_000) * 35
DATA_LINES = (b"data: " + b"x" * 1000 + b"\n") * 1000
OVERSIZED: dict[str, Script] = {
    "a body of a known length": [response(b'{"choices": "', length=60 << 20), *[MIB] * 60],
    "a body in chunks": [stream_head({"content-type": "application/json"}), chunk(b'{"x": "'), *[chunk(MIB)] * 60],
    "text in a stream": [stream_head(), *[chunk(LINES)] * 60],
    "arguments in a stream": [stream_head(), chunk(call_piece(0, "a", "lookup", "")), *[chunk(ARGUMENTS)] * 60],
    "one event": [stream_head(), chunk(b"data: "), *[chunk(MIB)] * 60],
    "an event of many lines": [stream_head(), *[chunk(DATA_LINES)] * 60],
    "calls in a stream": [stream_head(), *[chunk(call_piece(0, None, "f", "{}") * 5_000)] * 60],
    "a body of nothing but braces": [response(b'{"choices": [' + b"{}," * 5_000_000 + b"{}]}")],
    "an event of nothing but braces": [stream(b'data: {"choices": [' + b"{}," * 5_000_000 + b"{}]}\n\n")],
    "lines without meaning": [stream_head(), *[chunk(b"x: y\n" * 200_000)] * 70],
    "zeros in a small gzip": [
        stream_head({"content-type": "application/json", "content-encoding": "gzip"}),
        chunk(gzip.compress(b"[" + b" " * (60 << 20))),
    ],
}


@pytest.mark.parametrize("name", OVERSIZED)
async def test_an_answer_of_sixty_megabytes_is_refused_before_it_fills_the_memory(name: str) -> None:
    tracemalloc.start()
    try:
        async with Loopback([[*OVERSIZED[name], STALL]]) as server:
            answer = await ask(server.url, stream=True, timeout=LONG)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert isinstance(answer, Failure)
    assert (answer.category, answer.retryable) == ("bad_response", False)
    assert any(words in answer.message for words in ("is larger than", "unpacks to more than", "has more than"))
    assert peak < 80 << 20


async def test_of_a_refusal_only_the_beginning_is_read() -> None:
    script = [response(b'{"error": {"message": "no"}} ', 400, length=60 << 20), *[MIB] * 60]

    async with Loopback([[*script, STALL]]) as server:
        answer = await ask(server.url, timeout=LONG)

    assert (answer.category, answer.retryable, answer.http_status) == ("invalid_request", False, 400)


async def test_comments_do_not_keep_a_dead_stream_alive() -> None:
    pings = Drip(chunk(b": ping\n\n") * 400, 0.001)

    async with Loopback([[stream_head(), chunk(HELLO_PIECES[1]), pings, STALL]]) as server:
        answer = await ask(server.url, stream=True, idle_timeout=0.3, timeout=30.0)

    assert answer.category == "timeout"
    assert "nothing came for 0.3 s in the middle of the answer" in answer.message
    assert answer.text == "Hello."


async def test_content_keeps_a_slow_stream_alive() -> None:
    slow = [step for number in range(5) for step in (Pause(0.25), chunk(piece({"content": f"{number} "})))]

    async with Loopback([[stream_head(), *slow, chunk(b"".join(STOP)), chunk(b"")]]) as server:
        answer = await ask(server.url, stream=True, idle_timeout=1.0, timeout=30.0)

    assert answer.text == "0 1 2 3 4 "


async def test_a_server_that_never_begins_ends_at_the_first_byte_limit() -> None:
    async with Loopback([[STALL]]) as server:
        answer = await ask(server.url, first_byte_timeout=0.1, timeout=30.0)

    assert (answer.category, answer.message.endswith("no answer within 0.1 s")) == ("timeout", True)


async def test_a_call_that_was_cut_carries_no_calls_and_its_text_is_kept_apart() -> None:
    script = [stream_head(), chunk(b"".join((*HELLO_PIECES, *HALF_CALL))), CLOSE]

    async with Loopback([script]) as server:
        answer = await ask(server.url, stream=True)

    assert isinstance(answer, Failure)
    assert answer.text == "Hello."
    assert not hasattr(answer, "calls")


# --- the way out

STREAMLESS = [
    "Streaming is not supported for this model.",
    "`stream` must be false",
    "Unsupported value: 'stream' does not support true with this model.",
    "Your organization must be verified to stream this model.",
    "this backend can't stream",
]


@pytest.mark.parametrize("words", STREAMLESS)
@pytest.mark.parametrize("code", [400, 422, 501])
async def test_a_server_that_does_not_stream_is_asked_without_streaming_where_the_author_left_it_open(
    words: str, code: int
) -> None:
    client = HttpClient()
    async with Loopback([[response(of_openai(words, None), code)], [WHOLE]]) as server:
        model = model_at(server.url, client)
        first = await model.answer(ModelRequest(transcript=OPENING), lambda _: None)
        second = await model.answer(ModelRequest(transcript=OPENING), lambda _: None)
    await client.close()

    assert (first.retryable, second.text) == (True, "Hello.")
    assert first.message.endswith(f"HTTP {code}: {words}; `model.stream: false` asks without streaming")
    assert [asked.json["stream"] for asked in server.asked] == [True, False]


@pytest.mark.parametrize("streamed", [False, True])
async def test_what_the_author_says_about_streaming_stays_and_the_refusal_names_the_key(streamed: bool) -> None:
    async with Loopback([[response(of_openai(STREAMLESS[0], None), 400)]]) as server:
        answer = await ask(server.url, stream=streamed)

    assert (answer.category, answer.retryable) == ("invalid_request", False)
    assert answer.message.endswith("`model.stream: false` asks without streaming") is streamed


@pytest.mark.parametrize(
    "words", ["the stream of tokens is full", "temperature is not supported", "no stream of yours"]
)
async def test_other_refusals_that_speak_of_streams_or_support_give_no_such_hint(words: str) -> None:
    async with Loopback([[response(of_openai(words, None), 400)]]) as server:
        answer = await ask(server.url, listen=lambda _: None, stream=True)

    assert answer.message.endswith(f"HTTP 400: {words}")


@pytest.mark.parametrize(
    ("path", "body", "hinted"),
    [
        ("", "404 page not found", True),
        ("/", "404 page not found", True),
        ("/api", {"error": {"message": "Not Found"}}, True),
        ("/v1", "404 page not found", False),
        ("/proxy/v1beta/openai", "404 page not found", False),
        ("", {"error": {"message": "The model `m-1` does not exist"}}, False),
    ],
)
async def test_a_path_that_is_not_there_says_so_where_the_address_lacks_its_version(
    path: str, body: object, hinted: bool
) -> None:
    async with Loopback([[response(body, 404)]]) as server:
        answer = await ask(server.url.removesuffix("/v1") + path)

    hint = "; the path of `base_url` has no `/v1`, and most servers answer under it"
    assert (answer.category, answer.message.endswith(hint)) == ("invalid_request", hinted)
