"""edit: the toolkit that changes the files below one folder.

Every path goes through `beneath`; a file is replaced as a whole or left as it was, and a cancelled call has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import posixpath
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.files.change import (
    Act,
    Changing,
    create_directory,
    delete_path,
    edit_file,
    patch_file,
    write_file,
)
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.files.tool import failed, folder_of, require_folder
from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.threads import begin
from agentspec.core.orders import RepeatClass
from agentspec.core.tools import Work
from agentspec.ports import Invocation, Output


class _Kind(NamedTuple):
    """One tool as the language fixes it."""

    description: str
    parameters: Mapping[str, Any]
    change: Act
    repeat: RepeatClass = "once"
    work: Work = ""


def _text(description: str, kind: str = "string") -> dict[str, Any]:
    return {"type": kind, "description": description}


_PATH = _text("Path of a file, relative to the project folder.")
_OLD = _text("The exact text to replace, with its white space, as it stands in the file.")
_NEW = _text("The text to put in its place; may be empty.")
_HUNKS = {
    "items": {
        "fields": {
            "old_string": _text("The exact text to replace; empty to insert before `line`."),
            "new_string": _NEW,
            "line": {
                "type": "integer?",
                "minimum": 1,
                "description": "The line where it begins, needed where the text stands more than once.",
            },
        }
    },
    "minItems": 1,
    "description": "Changes that are all made, or none; each is found in the file as it is before the call.",
}

TOOLS: dict[str, _Kind] = {
    "write_file": _Kind(
        "Write a whole file; one that is there is replaced, folders on the way are made.",
        {"path": _PATH, "content": _text("The whole content.")},
        write_file,
        "idempotent",
    ),
    "edit_file": _Kind(
        "Replace a text in a file. The old text must stand in it exactly once, unless `replace_all` is true.",
        {
            "path": _PATH,
            "old_string": _OLD,
            "new_string": _NEW,
            "replace_all": _text("Whether to replace it wherever it stands.", "boolean?"),
        },
        edit_file,
    ),
    "patch_file": _Kind(
        "Make several changes in one file at once.",
        {
            "path": _PATH,
            "hunks": _HUNKS,
            "expected_sha256": _text("Only if the file still has this SHA-256, as a call told.", "string?"),
        },
        patch_file,
    ),
    "create_directory": _Kind(
        "Make a folder, and the folders that it lies in.",
        {"path": _text("Path of the folder, relative to the project folder.")},
        create_directory,
        "idempotent",
    ),
    "delete_path": _Kind(
        "Delete a file, a link or a folder.",
        {
            "path": _text("Path, relative to the project folder."),
            "recursive": _text("Whether a folder is deleted with all that is in it.", "boolean?"),
        },
        delete_path,
        work="delete",
    ),
}


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `files.edit`. Nothing is opened: the folder need not be there to know its tools."""
    beneath = Beneath(folder_of(options, setting).absolute(), SecretFiles(setting.secrets))
    tools = [
        KitTool(
            name,
            kind.description,
            kind.parameters,
            EditTool(kind.change, beneath),
            effect="write",
            repeat=kind.repeat,
            work=kind.work,
        )
        for name, kind in TOOLS.items()
    ]
    return offer("files.edit", tools, options, setting)


def require(options: Mapping[str, Any], setting: Setting) -> None:
    """Raise `Unavailable` where the folder that the tools are to change isn't there."""
    require_folder("files.edit", options, setting)


class EditTool:
    """One tool: `change` does the work in a thread, which has ended when the call has, also a cancelled one."""

    def __init__(self, change: Act, beneath: Beneath) -> None:
        self._change, self._beneath = change, beneath

    @property
    def changes_below(self) -> Path:
        """The folder that every path leads into."""
        return Path(os.path.normpath(self._beneath.root))

    async def call(self, invocation: Invocation) -> Output:
        stop = threading.Event()
        outcome = begin(functools.partial(self._answer, invocation, stop), invocation.name)
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            stop.set()
            while not outcome.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait((outcome,))
            outcome.exception()  # looked at, so that nobody reports it as lost
            raise

    async def close(self) -> None: ...

    def _answer(self, invocation: Invocation, stop: threading.Event) -> Output:
        try:
            return self._change(Changing(self._beneath, stop), invocation.arguments)
        except Refused as refusal:
            return replace(failed(refusal.category, str(refusal)), data=self._place(invocation))

    def _place(self, invocation: Invocation) -> dict[str, str]:
        """The path that a failed call was about, so that later calls on the same one can be held back."""
        with contextlib.suppress(Refused):
            return {"path": posixpath.normpath(self._beneath.relative(str(invocation.arguments["path"])))}
        return {}
