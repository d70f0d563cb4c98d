"""any_answer: one HTTP/1.1 response that is not plain, read by h11. It is imported when the first such answer comes."""

from __future__ import annotations

from collections.abc import Iterator

import h11

from agentspec.adapters.http.plain import MAX_HEAD, Cut, Head, Malformed

# h11 has to be told of a request before it reads the answer; what is really sent is `http`'s matter.
ASKED = h11.Request(method="POST", target="/", headers=[("host", "-"), ("content-length", "0")])
ASKED_WHOLE = h11.EndOfMessage()
# What h11 says, in the words of this project.
WORDS = {
    "status line": "the answer does not begin with an HTTP status line",
    "chunk header": "a chunk has no size",
    "conflicting Content-Length": "it has two lengths that differ",
    "Content-Length": "its content-length is no number",
    "Transfer-Encoding": "it uses a transfer encoding that nobody asked for",
}


class AnyAnswer:
    """Reads one response from its start; see `parse.Incoming`."""

    def __init__(self) -> None:
        self._reader = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        self._reader.send(ASKED)
        self._reader.send(ASKED_WHOLE)
        self.is_whole = False

    def feed(self, data: bytes) -> Iterator[Head | bytes]:
        """What can be read with `data` added; raises `Malformed` and `Cut`."""
        try:
            self._reader.receive_data(data)
            while not self.is_whole:
                event = self._reader.next_event()
                match event:
                    case h11.NEED_DATA:
                        return
                    case h11.Response():
                        yield Head(event.status_code, _joined(event.headers))
                    case h11.Data():
                        yield bytes(event.data)
                    case h11.EndOfMessage():
                        self.is_whole = True
                    case h11.ConnectionClosed():
                        raise Cut
                    case _:
                        continue  # `100 Continue` and its like
        except h11.RemoteProtocolError as problem:
            if not data:
                raise Cut from problem
            raise Malformed(_words(problem)) from problem

    @property
    def keeps_alive(self) -> bool:
        """Whether the server will read another request here, and has said nothing more than it was asked."""
        return self._reader.their_state is h11.DONE and not self._reader.trailing_data[0]


def _joined(headers: h11._headers.Headers) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def _words(problem: h11.RemoteProtocolError) -> str:
    if problem.error_status_hint == 431:
        return f"its headers are longer than {MAX_HEAD} bytes"
    text = str(problem)
    return next((words for sign, words in WORDS.items() if sign in text), f"it breaks a rule of HTTP ({text[:80]})")
