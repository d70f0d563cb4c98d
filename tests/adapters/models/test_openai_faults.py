"""What servers of Chat Completions do wrong that others can't, hosts and certificates, sizes, and ways out."""

from __future__ import annotations

import gzip
import socket
import tracemalloc

import pytest

from agentspec.adapters.http.client import HttpClient
from agentspec.core.messages import Failure, Reply, Usage
from agentspec.ports import ModelRequest
from tests.adapters.models.asking import OPENING, ask, model_at
from tests.servers.loopback import (
    CLOSE,
    DONE,
    STALL,
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
EVENTS = b"".join((*HELLO_PIECES, *STOP))


WHOLE = response(HELLO)


def of_openai(message: str, code: str | None) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code, "param": None}}


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
ERRED = {"index": 0, "error": {"message": "upstream", "code": 502}, "finish_reason": "error"}
FORMS = pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])


def told(choice: object, *, streamed: bool) -> Script:
    body = {"id": "x", "choices": [choice]}
    return [stream(event(body), DONE) if streamed else response(body)]


@FORMS
@pytest.mark.parametrize("name", NOTHING)
async def test_a_choice_that_holds_no_message_is_no_answer(name: str, streamed: bool) -> None:
    async with Loopback([told(NOTHING[name], streamed=streamed)]) as server:
        answer = await ask(server.url, stream=streamed)

    assert isinstance(answer, Failure)
    assert (answer.category, answer.retryable) == ("bad_response", True)


@FORMS
async def test_an_error_inside_a_choice_is_that_error(streamed: bool) -> None:
    async with Loopback([told({**ERRED, "message": {}, "delta": {}}, streamed=streamed)]) as server:
        answer = await ask(server.url, stream=streamed)

    assert isinstance(answer, Failure)
    assert (answer.category, answer.retryable) == ("server_error", True)
    assert "upstream" in answer.message


HARMLESS: dict[str, Script] = {
    "an end marker and no finish reason": [stream(*HELLO_PIECES, usage_piece(), DONE)],
    "another alternative": [
        stream(HELLO_PIECES[0], event({"choices": [{"index": 1, "delta": {"content": "No"}}]}), HELLO_PIECES[1], *STOP)
    ],
    "chunk extensions": [stream_head() + b"%x;name=1\r\n%s\r\n0\r\n\r\n" % (len(EVENTS), EVENTS)],
    "heads with bare line feeds": [WHOLE.replace(b"\r\n", b"\n")],
}


@FORMS
@pytest.mark.parametrize("name", HARMLESS)
async def test_what_does_not_matter_gives_the_same_reply(name: str, streamed: bool) -> None:
    async with Loopback([HARMLESS[name]]) as server:
        answer = await ask(server.url, stream=streamed)

    assert isinstance(answer, Reply), answer
    assert (answer.text, answer.finish, answer.usage) == ("Hello.", "stop", Usage(11, 5))


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


LACKS = "the path of `base_url` has no `/v1`, and most servers answer under it"
HAS = "`base_url` ends with `/v1`, where Ollama speaks as `provider: openai`; `ollama` wants the address before it"


@pytest.mark.parametrize(
    ("provider", "path", "body", "hint"),
    [
        ("openai", "", "404 page not found", LACKS),
        ("openai", "/", "404 page not found", LACKS),
        ("openai", "/api", {"error": {"message": "Not Found"}}, LACKS),
        ("openai_responses", "", "404 page not found", LACKS),
        ("openai", "/v1", "404 page not found", ""),
        ("openai", "/proxy/v1beta/openai", "404 page not found", ""),
        ("openai", "", {"error": {"message": "The model `m-1` does not exist"}}, ""),
        ("ollama", "", "404 page not found", ""),
        ("ollama", "/v1", "404 page not found", HAS),
        ("ollama", "/v1", {"error": "model 'm-1' not found"}, ""),
        ("anthropic", "", "404 page not found", ""),
        ("google", "/v1", "404 page not found", ""),
    ],
)
async def test_a_path_that_is_not_there_says_what_may_be_wrong_with_the_address(
    provider: str, path: str, body: object, hint: str
) -> None:
    async with Loopback([[response(body, 404)]]) as server:
        answer = await ask("", provider=provider, base_url=server.url.removesuffix("/v1") + path)

    told = answer.message.partition("HTTP 404: ")[2]
    assert (answer.category, told.partition("; ")[2]) == ("invalid_request", hint)
