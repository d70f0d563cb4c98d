"""change: write, edit, patch and delete files below a folder; each call changes one path, or nothing."""

from __future__ import annotations

import contextlib
import hashlib
import posixpath
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.files.beneath_change import (
    Existing,
    existing,
    make_folders,
    place,
    put,
    remove,
    require_changeable,
)
from agentspec.adapters.tools.files.edits import NoEdit, line_of, patching, replacing
from agentspec.adapters.tools.files.text_file import Change, NotText, TextFile, require_writable
from agentspec.ports import Output

MOST_BYTES = 32 * 1024 * 1024  # of a file that is edited


class Changing(NamedTuple):
    """Where a call may change files. `stop` is set where nobody waits for the answer any more."""

    beneath: Beneath
    stop: threading.Event = threading.Event()


Act = Callable[[Changing, Mapping[str, Any]], Output]


def write_file(changing: Changing, arguments: Mapping[str, Any]) -> Output:
    """A file with this content, also in the place of one that is there; folders on the way are made."""
    path, content, beneath = arguments["path"], arguments["content"], changing.beneath
    require_changeable(beneath, path)
    with _spoken(path):
        require_writable(content)
    try:
        with existing(beneath, path, MOST_BYTES) as file:
            data, note = _in_style(file, content)
            put(file.place, data, file.stat, changing.stop)
            return _written(file.place.relative, data, f"replaced `{path}`{note}", created=False)
    except Refused as refused:
        if refused.category != "not_found":
            raise
    folder = posixpath.dirname(posixpath.normpath(beneath.relative(path)))
    if folder:
        make_folders(beneath, folder)
    data = content.encode()
    with place(beneath, path) as new:
        put(new, data, None, changing.stop)
        return _written(new.relative, data, f"wrote `{path}`", created=True)


def edit_file(changing: Changing, arguments: Mapping[str, Any]) -> Output:
    """The file with one text, or each of the same, replaced by another."""
    everywhere = bool(arguments.get("replace_all"))

    def find(text: str) -> list[Change]:
        return replacing(text, arguments["old_string"], arguments["new_string"], everywhere=everywhere)

    return _edited(changing, arguments["path"], find)


def patch_file(changing: Changing, arguments: Mapping[str, Any]) -> Output:
    """The file with all hunks applied, or none; only if it still is what `expected_sha256` says."""
    return _edited(
        changing,
        arguments["path"],
        lambda text: patching(text, arguments["hunks"]),
        expected=arguments.get("expected_sha256"),
    )


def create_directory(changing: Changing, arguments: Mapping[str, Any]) -> Output:
    """A folder and those that it lies in; one that is there already is no error."""
    path = arguments["path"]
    relative, is_new = make_folders(changing.beneath, path)
    words = f"made the folder `{path}`" if is_new else f"the folder `{path}` was already there"
    return Output(text=words, data={"path": relative, "created": is_new})


def delete_path(changing: Changing, arguments: Mapping[str, Any]) -> Output:
    """Nothing at that path afterwards; what isn't there is no error."""
    path = arguments["path"]
    with place(changing.beneath, path) as target:
        is_recursive = bool(arguments.get("recursive"))
        count = remove(changing.beneath, target, recursive=is_recursive, stop=changing.stop)
        words = f"deleted `{path}`" if count else f"there is no `{path}`: nothing to delete"
        return Output(
            text=words + (f" ({count} entries)" if count > 1 else ""), data={"path": target.relative, "deleted": count}
        )


def _edited(
    changing: Changing, path: str, find: Callable[[str], list[Change]], *, expected: str | None = None
) -> Output:
    with existing(changing.beneath, path, MOST_BYTES) as file, _spoken(path):
        _require_expected(path, file, expected)
        text = TextFile(file.data)
        changes = find(text.text)
        for change in changes:
            require_writable(change.new)
        data = text.changed(changes)
        put(file.place, data, file.stat, changing.stop)
        lines = [line_of(text.text, change.start) for change in changes]
        noun = f"{len(changes)} places" if len(changes) > 1 else "1 place"
        shown = ", ".join(map(str, lines[:10])) + (", …" if len(lines) > 10 else "")
        return _written(
            file.place.relative, data, f"changed `{path}` in {noun} (line {shown})", replaced=len(changes), lines=lines
        )


def _require_expected(path: str, file: Existing, expected: str | None) -> None:
    digest = hashlib.sha256(file.data).hexdigest()
    if expected is not None and expected.strip().lower() != digest:
        raise Refused("changed", f"`{path}` is not what it was: its SHA-256 is `{digest}`; read it again")


def _in_style(file: Existing, content: str) -> tuple[bytes, str]:
    """The bytes of a new content in the encoding and the line ends of what was there."""
    try:
        style = TextFile(file.data)
    except NotText:
        return content.encode(), ""
    data = style.written(content)
    return data, "" if data == content.encode() else ", with the encoding and the line ends that it had"


def _written(relative: str, data: bytes, words: str, **facts: Any) -> Output:
    digest = hashlib.sha256(data).hexdigest()
    return Output(
        text=f"{words}; {len(data)} bytes, SHA-256 {digest}",
        data={"path": relative, "bytes": len(data), "sha256": digest, **facts},
    )


@contextlib.contextmanager
def _spoken(path: str) -> Iterator[None]:
    """What is wrong with a text or an edit, as a refusal that names the file."""
    try:
        yield
    except NotText as problem:
        raise Refused("not_text", f"`{path}` can't be edited: {problem}") from problem
    except NoEdit as problem:
        raise Refused("no_match", f"`{path}` was not changed: {problem}") from problem
