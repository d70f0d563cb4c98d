"""server: one client over standard input and output: its texts, what is said of them, and the answers that it asks for.

The loop only reads, cancels and writes; all that takes time is done by one worker, in the order in which it was asked.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from agentspec.checker.conceal import concealed
from agentspec.errors import AgentSpecError
from agentspec.lsp.desk import Desk
from agentspec.lsp.frames import messages, stream_of
from agentspec.lsp.positions import Places
from agentspec.lsp.wire import NAME, Wire, file_of

T = TypeVar("T")
PAUSE = 0.01  # seconds between a change and its check: what an editor asks right after a key is answered first
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602  # JSON-RPC 2.0, 5.1
EXIT = "exit"
SUFFIXES = {"agentspec": ".agent"}  # of texts that have no file yet, by language


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve one client until it says `exit` or is gone; the exit code is 1 where it left without `shutdown`.

    Source: LSP 3.17, *Exit Notification*.
    """
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    return asyncio.run(Service(stdout).run(stdin))


class Service:
    """The server of one client."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._server = LanguageServer(NAME, _version(), types.TextDocumentSyncKind.Full)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="agentspec-lsp")
        self._desk = Desk()
        self._uris: dict[str, str] = {}  # how the client calls its open files, by real path
        self._due: dict[str, None] = {}  # what has to be checked, in order
        self._checking: asyncio.Task[None] | None = None
        self._wire = Wire(Places(), self._uris.get)
        self._has_shut_down = False
        self._server.protocol.set_writer(_Writer(stdout))
        for name, handler in self._handlers().items():
            self._server.feature(name)(partial(handler))  # it is marked, which a method cannot be

    def _handlers(self) -> dict[str, Callable[..., Any]]:
        return {
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shut_down,
            types.TEXT_DOCUMENT_DID_OPEN: self._opened,
            types.TEXT_DOCUMENT_DID_CHANGE: self._changed,
            types.TEXT_DOCUMENT_DID_CLOSE: self._closed,
        }

    async def run(self, stdin: BinaryIO) -> int:
        """Read messages until there are no more."""
        async for body in messages(stream_of(stdin)):
            if self._take(body):
                break
        self._worker.shutdown(wait=False, cancel_futures=True)
        return 0 if self._has_shut_down else 1

    def _take(self, body: bytes) -> bool:
        """Handle one message; says whether it was the last."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, PARSE_ERROR, "this is no JSON")
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._refuse(None, INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
            return False
        if message.get("method") == EXIT:
            return True
        try:
            structured = self._server.protocol.structure_message(message)
        except Exception:  # noqa: BLE001 - whatever a client sends: it is told, and the next message is read
            self._refuse(message.get("id"), INVALID_PARAMS, f"`{message.get('method')}` takes other parameters")
            return False
        self._server.protocol.handle_message(structured)
        return False

    def _refuse(self, number: object, code: int, sentence: str) -> None:
        answer = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": sentence}}
        text = json.dumps(answer).encode()
        self._stdout.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self._stdout.flush()

    async def _work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Let the worker do something, after all that it was asked before."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)

    # --- the client's texts -----------------------------------------------------------------------------------------

    def _initialized(self, _: object) -> None:
        encoding = self._server.workspace.position_encoding
        self._wire = Wire(Places(types.PositionEncodingKind(encoding).value), self._uris.get)

    def _shut_down(self, _: object) -> None:
        self._has_shut_down = True

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        path = path_of(document.uri, document.language_id)
        self._uris[path] = document.uri
        self._put(path, document.text)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self._put(self._path(params.text_document.uri), params.content_changes[-1].text)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        path = self._path(params.text_document.uri)
        self._uris.pop(path, None)
        self._due.pop(path, None)
        self._worker.submit(self._desk.drop, path)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))

    def _path(self, uri: str) -> str:
        return next((path for path, known in self._uris.items() if known == uri), path_of(uri))

    def _put(self, path: str, text: str) -> None:
        self._worker.submit(self._desk.put, path, text)
        self._due[path] = None
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check_due())

    # --- findings ---------------------------------------------------------------------------------------------------

    async def _check_due(self) -> None:
        """Check what has changed until nothing is due; what changes meanwhile is checked once more, as it is then."""
        await asyncio.sleep(PAUSE)
        while self._due:
            path = next(iter(self._due))
            del self._due[path]
            found = await self._work(self._findings, path)
            if path in self._uris and path not in self._due:
                params = types.PublishDiagnosticsParams(self._uris[path], found)
                self._server.text_document_publish_diagnostics(params)

    def _findings(self, path: str) -> list[types.Diagnostic]:
        if path not in self._desk.ours:
            return []
        try:
            report = self._desk.report(path)
        except AgentSpecError:
            return []
        own = [one for one in concealed(report.diagnostics, report.secrets) if file_of(one.span.source) == path]
        return [self._wire.diagnostic(one) for one in own]


class _Writer:
    """Standard output as the protocol writes to it: each message goes out at once."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout

    def close(self) -> None:
        """It is not ours to close."""

    def write(self, data: bytes) -> None:
        self._stdout.write(data)
        self._stdout.flush()


def path_of(uri: str, language: str = "") -> str:
    """The real path of a document; of one that has no file yet, the one that it might have."""
    path = to_fs_path(uri)
    if path is not None and uri.startswith("file:"):
        return os.path.realpath(path)
    name = Path(uri.rpartition(":")[2]).name
    return os.path.realpath(name if Path(name).suffix else name + SUFFIXES.get(language, ".yaml"))


def _version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "0"
