"""client: an editor as the server sees it: frames over two pipes, answers by number, findings by file."""

from __future__ import annotations

import itertools
import json
import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from agentspec.lsp.frames import INPUT, framed
from agentspec.lsp.server import serve

PATIENCE = 10  # seconds; no test waits that long unless something is wrong


class Client:
    def __init__(self, to_server: BinaryIO, from_server: BinaryIO) -> None:
        self._out, self._numbers = to_server, itertools.count(1)
        self._inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.kept: list[dict[str, Any]] = []
        self.listener = threading.Thread(target=self._listen, args=(from_server,), daemon=True)
        self.listener.start()

    def _listen(self, from_server: BinaryIO) -> None:
        while line := from_server.readline():
            length = int(line.partition(b":")[2])
            while from_server.readline().strip():
                pass
            self._inbox.put(json.loads(from_server.read(length)))
        self._inbox.put(None)

    def write(self, data: bytes) -> None:
        self._out.write(data)
        self._out.flush()

    def notify(self, method: str, params: object = None) -> None:
        self.write(framed({"jsonrpc": "2.0", "method": method, "params": params}))

    def send(self, method: str, params: object = None) -> int:
        number = next(self._numbers)
        self.write(framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return number

    def answer(self, number: int | str | None) -> dict[str, Any]:
        """The whole answer to a request; to None: the one to what could not be read."""
        return self._next(lambda one: "method" not in one and one.get("id") == number)

    def ask(self, method: str, params: object = None) -> Any:
        answer = self.answer(self.send(method, params))
        assert "error" not in answer, answer
        return answer.get("result")

    def told(self, method: str) -> dict[str, Any]:
        """The parameters of the next notification or request of this name from the server."""
        params: dict[str, Any] = self._next(lambda one: one.get("method") == method)["params"]
        return params

    def _next(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        for index, one in enumerate(self.kept):
            if fits(one):
                return self.kept.pop(index)
        while (message := self._inbox.get(timeout=PATIENCE)) is not None:
            if fits(message):
                return message
            self.kept.append(message)
        raise EOFError("the server has left")

    # --- what editors do ----------------------------------------------------------------------------------------------

    def start(
        self, root: Path, texts: object = None, *, process: int | None = None, watches: bool = False, **general: Any
    ) -> dict[str, Any]:
        watching = {"didChangeWatchedFiles": {"dynamicRegistration": watches}}
        capabilities = {"general": general, "textDocument": texts or {}, "workspace": watching}
        params = {"processId": process, "rootUri": root.as_uri(), "capabilities": capabilities}
        answer: dict[str, Any] = self.ask("initialize", params)
        self.server: dict[str, str] = answer["serverInfo"]
        self.notify("initialized", {})
        capable: dict[str, Any] = answer["capabilities"]
        return capable

    def open(self, path: Path, text: str | None = None, version: int = 1) -> str:
        document = {"uri": path.as_uri(), "languageId": path.suffix[1:], "version": version}
        self.notify(
            "textDocument/didOpen", {"textDocument": {**document, "text": path.read_text() if text is None else text}}
        )
        return path.as_uri()

    def change(self, uri: str, text: str, version: int = 2) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def findings(self, uri: str) -> list[dict[str, Any]]:
        """What the server says next of a file."""
        while (params := self.told("textDocument/publishDiagnostics"))["uri"] != uri:
            pass
        found: list[dict[str, Any]] = params["diagnostics"]
        return found

    def close(self) -> None:
        self._out.close()

    def leave(self) -> None:
        self.ask("shutdown")
        self.notify("exit")


@contextmanager
def served() -> Iterator[tuple[Client, Callable[[], int]]]:
    """A server in this process on two pipes, and a way to wait for its exit code."""
    (server_in, client_out), (client_in, server_out) = os.pipe(), os.pipe()
    codes: queue.Queue[int] = queue.Queue()
    with os.fdopen(server_in, "rb") as stdin, os.fdopen(server_out, "wb") as stdout:
        thread = threading.Thread(target=lambda: codes.put(serve(stdin, stdout)))
        thread.start()
        to_server = os.fdopen(client_out, "wb")
        with os.fdopen(client_in, "rb") as from_server:
            client = Client(to_server, from_server)
            try:
                yield client, lambda: codes.get(timeout=PATIENCE)
            finally:
                to_server.close()
                # Whoever still reads a pipe when its number is given to the next one would read that.
                for reader in [thread, *(one for one in threading.enumerate() if one.name == INPUT)]:
                    reader.join(PATIENCE)
                stdout.close()
                client.listener.join(PATIENCE)
