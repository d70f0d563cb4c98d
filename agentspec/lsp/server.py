"""server: one client over standard input and output: its texts, what is said of them, and the answers that it asks for.

The loop only reads, cancels and writes; all that takes time is done by one worker, in the order in which it was asked.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import agentspec
from agentspec.lsp.answers import Answers
from agentspec.lsp.checking import Checking
from agentspec.lsp.connection import Connection
from agentspec.lsp.desk import Desk
from agentspec.lsp.positions import Positions
from agentspec.lsp.wire import FIX_ALL, NAME, Wire

T = TypeVar("T")
WATCHED = "**/*.{agent,yaml,yml,json,md,txt,toml,lock}"
TRIGGERS = (".", "/", '"', "'", "{", "[")
ACTIONS = (types.CodeActionKind.QuickFix, FIX_ALL)
OURS = (
    types.SHUTDOWN,
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
"""What pygls would do by itself: the desk keeps the texts, and `shutdown` takes no question back."""
SUFFIXES = {"agentspec": ".agent"}  # of texts that have no file yet, by language


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve one client until it says `exit` or is gone; the exit code is 1 where it left without `shutdown`.

    Source: LSP 3.17, *Exit Notification*.
    """
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    return asyncio.run(_serve(stdin, stdout))


async def _serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    return await Service(Connection(stdin, stdout)).run()


class Service:
    """The server of one client."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._server = LanguageServer(NAME, agentspec.__version__, types.TextDocumentSyncKind.Full)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="agentspec-lsp")
        self._desk = Desk()
        self._uris: dict[str, str] = {}  # how the client calls its open files, by real path
        self._answers = Answers(self._desk, Wire(Positions(), self._uris.get))
        self._checking = Checking(self._worker, self._find, self._publish, self._report)
        self._has_answered = asyncio.Event()
        known = self._server.protocol.fm.builtin_features
        for name in OURS:
            del known[name]
        for name, (handler, options) in self._features().items():
            self._server.feature(name, options)(partial(handler))  # it is marked, which a method cannot be

    def _features(self) -> dict[str, tuple[Callable[..., Any], Any]]:
        """What is done about each message, and what a client is told of that."""
        return {
            types.INITIALIZE: (self._initialize, None),
            types.INITIALIZED: (self._initialized, None),
            types.SHUTDOWN: (self._shut_down, None),
            types.TEXT_DOCUMENT_DID_OPEN: (self._opened, None),
            types.TEXT_DOCUMENT_DID_CHANGE: (self._changed, None),
            types.TEXT_DOCUMENT_DID_CLOSE: (self._closed, None),
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (self._changed_on_disk, None),
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (self._changed_folders, None),
            types.TEXT_DOCUMENT_COMPLETION: (self._completion, types.CompletionOptions(trigger_characters=TRIGGERS)),
            types.TEXT_DOCUMENT_HOVER: (self._hover, None),
            types.TEXT_DOCUMENT_DEFINITION: (self._definition, None),
            types.TEXT_DOCUMENT_REFERENCES: (self._references, None),
            types.TEXT_DOCUMENT_PREPARE_RENAME: (self._prepare_rename, None),
            types.TEXT_DOCUMENT_RENAME: (self._rename, types.RenameOptions(prepare_provider=True)),
            types.TEXT_DOCUMENT_FORMATTING: (self._formatting, None),
            types.TEXT_DOCUMENT_CODE_ACTION: (self._code_action, types.CodeActionOptions(ACTIONS)),
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (self._symbols, None),
        }

    async def run(self) -> int:
        """Serve until the client leaves; gives the exit code."""
        await self._connection.listen(self._server.protocol)
        if self._connection.has_shut_down:
            await self._has_answered.wait()
            await asyncio.sleep(0)  # the last answer is written as soon as its task is done
        self._worker.shutdown(wait=False, cancel_futures=True)
        return 0 if self._connection.has_shut_down else 1

    async def _work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Let the worker do something, after all that it was asked before."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)

    # --- the client -------------------------------------------------------------------------------------------------

    def _initialize(self, params: types.InitializeParams) -> None:
        encoding = types.PositionEncodingKind(self._server.workspace.position_encoding)
        completion = params.capabilities.text_document and params.capabilities.text_document.completion
        item = completion and completion.completion_item
        takes_snippets = bool(item and item.snippet_support)
        wire = Wire(Positions(encoding.value), self._uris.get, takes_snippets=takes_snippets)
        self._answers = Answers(self._desk, wire)
        roots = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
        self._desk.folders = frozenset(path_of(uri) for uri in roots if uri)
        if params.process_id is not None:
            self._connection.watch(params.process_id)

    async def _initialized(self, _: object) -> None:
        """Ask to be told of files that change outside of the editor, where the client can do that."""
        workspace = self._server.client_capabilities.workspace
        watching = workspace and workspace.did_change_watched_files
        if watching and watching.dynamic_registration:
            wanted = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(WATCHED)])
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            await self._server.client_register_capability_async(
                types.RegistrationParams([types.Registration(f"{NAME}-files", method, wanted)])
            )

    async def _shut_down(self, _: object) -> None:
        try:
            await self._work(bool)  # what was asked before is answered before
        finally:
            self._has_answered.set()

    # --- its texts --------------------------------------------------------------------------------------------------

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        path = path_of(document.uri, document.language_id)
        self._uris[path] = document.uri
        self._checking.change(self._desk.put, path, document.text)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        path = self._path(params)
        for change in params.content_changes[-1:] if path in self._uris else ():
            self._checking.change(self._desk.put, path, change.text)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        path = self._path(params)
        self._checking.close(path)
        self._uris.pop(path, None)
        self._checking.change(self._desk.drop, path)

    def _changed_on_disk(self, params: types.DidChangeWatchedFilesParams) -> None:
        self._checking.change(self._desk.change_on_disk, {path_of(change.uri) for change in params.changes})

    def _changed_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        removed, added = ({path_of(one.uri) for one in each} for each in (params.event.removed, params.event.added))
        self._desk.folders = self._desk.folders - removed | added

    def _path(self, params: Any) -> str:
        """The file that a request is about."""
        uri = params.text_document.uri
        return next((path for path, known in self._uris.items() if known == uri), path_of(uri))

    def _find(self, path: str) -> dict[str, list[types.Diagnostic]]:
        return self._answers.findings(path)

    def _publish(self, uri: str, found: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    def _report(self, bug: Exception) -> None:
        told = f"a bug in agentspec ({type(bug).__name__}: {bug}); please report it"
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Error, told))

    # --- its questions ----------------------------------------------------------------------------------------------

    async def _completion(self, params: types.CompletionParams) -> types.CompletionList:
        return await self._work(self._answers.completion, self._path(params), params.position)

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        return await self._work(self._answers.hover, self._path(params), params.position)

    async def _definition(self, params: types.DefinitionParams) -> list[types.Location]:
        return await self._work(self._answers.definition, self._path(params), params.position)

    async def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        ask = partial(self._answers.references, with_declaration=params.context.include_declaration)
        return await self._work(ask, self._path(params), params.position)

    async def _prepare_rename(self, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
        return await self._work(self._answers.prepare_rename, self._path(params), params.position)

    async def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        return await self._work(self._answers.rename, self._path(params), params.position, params.new_name)

    async def _formatting(self, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        return await self._work(self._answers.formatting, self._path(params))

    async def _code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        return await self._work(self._answers.code_actions, self._path(params), params)

    async def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return await self._work(self._answers.symbols, self._path(params))


def path_of(uri: str, language: str = "") -> str:
    """The real path of a document; of one that has no file yet, the one that it might have."""
    path = to_fs_path(uri)
    if path is None or not uri.startswith("file:"):
        name = Path(uri.rpartition(":")[2]).name
        path = name if Path(name).suffix else name + SUFFIXES.get(language, ".yaml")
    # Neither a NUL nor half a character can be part of a path.
    return os.path.realpath(path.encode(errors="replace").decode().replace("\0", "?"))
