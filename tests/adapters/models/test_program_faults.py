"""What a server does wrong, done by a program: the same rows come to the same classes, as far as a program can do them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentspec.core.messages import Failure
from tests.adapters.models.faults import FAULTS, SILENCE
from tests.adapters.models.test_program import ask
from tests.servers.loopback import STALL, Drip, Script
from tests.servers.said import Said

SHORT, LONG = 1.0, 20.0
# What only a server does: heads, lengths, encodings, other hosts, and a status without words.
OF_SERVERS = (
    *("rate limited with milliseconds to wait", "rate limited until a date, by the server's clock"),
    *("rate limited until a date that is over", "rate limited for a negative time"),
    *("rate limited for no readable time", "rate limited for no time at all"),
    *("bad gateway with a page", "service unavailable", "unprocessable", "request too large without words"),
    *("a redirect to another host", "an error in a list", "an error that is not JSON", "a success that is no answer"),
    *("a length that is too long", "a length that is too short", "gzip that is cut", "gzip that is damaged"),
    *("an encoding that nobody asked for", "a length that is no number", "two lengths", "a chunk that is cut"),
    *("a chunk without its size", "no HTTP", "ten thousand headers", "an endless header"),
    "an HTML page with status 200",
)
# A program has no connection that breaks: what it has not written to its end is no JSON.
CUT = tuple(name for name in FAULTS if name.startswith(("closed", "reset", "ended")))
# Whoever writes something else does so each time.
SOMETHING_ELSE = (
    *("null", "a number", "a JSON text", "an empty list", "a list of nulls", "an empty object"),
    "an object of something else",
)
ROWS = [name for name in FAULTS if name not in OF_SERVERS]


class Speaker:
    """The protocol of programs, as they speak it."""

    provider = "process"
    paths = ("", "")
    reasons = {"stop": "stop", "calls": "tool_calls", "filter": "content_filter"}
    is_lines = False

    def whole(self, said: Said) -> dict[str, Any]:
        calls = [call._asdict() for call in said.calls]
        reason = self.reasons.get(said.reason, said.reason)
        return {"text": said.text, "finish_reason": reason, **({"tool_calls": calls} if calls else {})}

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return {"error": {"status": status, "message": message}}

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        return iter(())

    closing = opening


def written(script: Script) -> bytes:
    """What a program would write: the body, with the time to wait in it that a server has in its head."""
    sent = b"".join(part.data if isinstance(part, Drip) else part for part in script if isinstance(part, bytes | Drip))
    head, _, body = sent.partition(b"\r\n\r\n")
    wait = next((line[13:] for line in head.decode().split("\r\n") if line.startswith("retry-after: ")), None)
    if wait is None:
        return body
    told = json.loads(body)
    return json.dumps({"error": told["error"] | {"retry_after": float(wait)}}).encode()


@pytest.mark.parametrize("name", ROWS)
async def test_a_fault_of_a_program_is_of_the_class_of_a_servers(tmp_path: Path, name: str) -> None:
    fault, script = FAULTS[name], FAULTS[name].plain(Speaker())
    (tmp_path / "said").write_bytes(written(script))
    hangs = "exec sleep 9" if STALL in script or any(isinstance(part, Drip) for part in script) else ":"

    argv = ["/bin/sh", "-c", f"cat said; {hangs}"]
    answer = await ask(tmp_path, "", argv=argv, timeout=SHORT if name in SILENCE else LONG)

    category = fault.category[0] if isinstance(fault.category, tuple) else fault.category
    is_again = fault.retryable[0] if isinstance(fault.retryable, tuple) else fault.retryable
    assert isinstance(answer, Failure), answer
    assert answer.category == ("bad_response" if name in CUT else category)
    assert answer.retryable == (is_again and name not in SOMETHING_ELSE)
    assert answer.retry_after == fault.retry_after
    assert answer.message.startswith("process `mine` at `/bin/sh`: ")
