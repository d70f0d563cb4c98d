"""show: show a stretch of a file, its end, its outline, or what a folder holds."""

from __future__ import annotations

import contextlib
import os
import posixpath
import stat
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from agentspec.adapters.tools.files.beneath import Opened, Refused, kind_of
from agentspec.adapters.tools.files.lines import Line, count_lines, read_lines, tail
from agentspec.adapters.tools.files.names import shown_name
from agentspec.adapters.tools.files.outline import pattern_for
from agentspec.adapters.tools.files.tool import Reading, failed
from agentspec.adapters.tools.files.walk import MOST_ENTRIES, entries_of
from agentspec.adapters.tools.programs.decode import decode, describe, is_binary, is_utf16
from agentspec.ports import Output
from agentspec.text.suggest import nearest

LIMIT = 2000  # lines, where the model names no limit
TAIL = 50
_SAMPLE = 8 * 1024
_MOST_LISTED = 1000
_MOST_PARTS = 500
_UTF16_MAX = 4 * 1024 * 1024


def read_file(reading: Reading, arguments: Mapping[str, Any]) -> Output:
    """Whole lines from `offset` on, as many as were asked for and fit."""
    path, first = arguments["path"], arguments.get("offset") or 1
    limit = arguments.get("limit") or LIMIT
    with _text_file(reading, path) as file:
        if isinstance(file, Output):
            return file
        shown: list[str] = []
        size = replaced = cut = 0
        more = False
        for line in read_lines(file.fd, first, reading.max_line_bytes):
            if len(shown) >= limit or (shown and size + len(line.data) > reading.max_bytes):
                more = True
                break
            text, bad = _line_text(line)
            replaced, cut, size = replaced + bad, cut + line.is_cut, size + len(line.data)
            shown.append(text)
        if not shown:
            return _nothing(path, first, file)
        if first == 1:
            shown[0] = shown[0].removeprefix("\ufeff")
        last = first + len(shown) - 1
        notes = [
            f"lines {first} to {last} of `{path}` ({file.stat.st_size} bytes); go on with offset={last + 1}"
            if more
            else "",
            f"{cut} lines were longer than {reading.max_line_bytes} bytes and are cut" if cut else "",
            _replaced(replaced),
        ]
        facts = {"path": path, "first_line": first, "last_line": last, "complete": not more, "size": file.stat.st_size}
        return Output(text=_noted("".join(shown), notes), data=facts)


def read_file_tail(reading: Reading, arguments: Mapping[str, Any]) -> Output:
    """The last lines, read from the end."""
    path, lines = arguments["path"], arguments.get("lines") or TAIL
    with _text_file(reading, path) as file:
        if isinstance(file, Output):
            return file
        size = file.stat.st_size
        end = tail(file.fd, size, lines, reading.max_bytes)
        text = end.decode("utf-8", "replace")
        count = len(end.splitlines())
        notes = [
            f"the last {count} lines of `{path}` ({size} bytes); no more fit"
            if count < lines and len(end) < size
            else "",
            _replaced(text.count("\ufffd") - end.count("\ufffd".encode())),
        ]
        return Output(
            text=_noted(text, notes) or "(the file is empty)", data={"path": path, "lines": count, "size": size}
        )


def list_directory(reading: Reading, arguments: Mapping[str, Any]) -> Output:
    """The entries of a folder, one a line."""
    path = arguments.get("path") or "."
    lines: list[str] = []
    names: list[str] = []
    with reading.beneath.folder(path) as folder:
        prefix = posixpath.normpath(reading.beneath.relative(path))
        entries = entries_of(folder.fd, MOST_ENTRIES)
        visible = [entry for entry in entries if not reading.beneath.is_excluded(posixpath.join(prefix, entry.path))]
        for entry in visible[:_MOST_LISTED]:
            names.append(entry.path + "/" * entry.is_folder)
            lines.append(_entry(reading, folder, posixpath.join(prefix, entry.path)))
    notes = [f"only the first {len(names)} of {len(visible)} entries are shown" if len(visible) > len(names) else ""]
    text = "\n".join(lines) if lines else "(the folder is empty)"
    return Output(text=_noted(text, notes), data={"path": path, "entries": len(visible)})


def file_outline(reading: Reading, arguments: Mapping[str, Any]) -> Output:
    """The lines that name the parts of a file, `line: text`."""
    path = arguments["path"]
    pattern = pattern_for(path)
    if pattern is None:
        return failed("unsupported", f"there is no outline for files like `{path}`; read it with `read_file`")
    with _text_file(reading, path) as file:
        if isinstance(file, Output):
            return file
        parts = [
            (number, text.rstrip())
            for number, line in enumerate(read_lines(file.fd, 1, 200), 1)
            if pattern.match(text := line.data.decode("utf-8", "replace"))
        ]
    shown = parts[:_MOST_PARTS]
    notes = [f"only the first {len(shown)} of {len(parts)} parts are shown" if len(parts) > len(shown) else ""]
    text = "\n".join(f"{number}: {text}" for number, text in shown) if shown else "(no parts were found)"
    return Output(text=_noted(text, notes), data={"path": path, "parts": len(parts)})


@contextlib.contextmanager
def _text_file(reading: Reading, path: str) -> Iterator[Opened | Output]:
    """An open text file, or for a binary one the answer that describes it. A wrong path gets a suggestion."""
    try:
        with reading.beneath.file(path) as file:
            sample = os.pread(file.fd, _SAMPLE, 0)
            is_large = file.stat.st_size > _UTF16_MAX
            if is_binary(sample) or (is_utf16(sample) and is_large):
                text = describe(sample, "file", file.stat.st_size)
                yield Output(text=text, data={"path": path, "size": file.stat.st_size, "binary": True})
            elif is_utf16(sample):
                with tempfile.TemporaryFile() as whole:
                    whole.write(decode(os.pread(file.fd, _UTF16_MAX, 0)).text.encode())
                    whole.flush()
                    yield file._replace(fd=whole.fileno())
            else:
                yield file
    except Refused as refusal:
        if refusal.category != "not_found":
            raise
        raise Refused("not_found", str(refusal) + _suggestion(reading, path)) from refusal


def _suggestion(reading: Reading, path: str) -> str:
    """The file in the same folder that was most likely meant."""
    folder, name = posixpath.split(posixpath.normpath(reading.beneath.relative(path)))
    try:
        with reading.beneath.folder(folder or ".") as opened:
            near = nearest(name, (entry.path for entry in entries_of(opened.fd, 2000)))
    except Refused:
        return ""
    return f"; did you mean `{shown_name(posixpath.join(folder, near[0]))}`?" if near else ""


def _line_text(line: Line) -> tuple[str, int]:
    """A line as text, and how much of it was no UTF-8."""
    if line.is_cut:
        return line.data.decode("utf-8", "ignore") + f"… [line of {line.size} bytes]\n", 0
    try:
        return line.data.decode(), 0
    except UnicodeDecodeError:
        text = line.data.decode("utf-8", "replace")
        return text, text.count("\ufffd")


def _nothing(path: str, first: int, file: Opened) -> Output:
    if file.stat.st_size == 0:
        return Output(text="(the file is empty)", data={"path": path, "size": 0, "complete": True})
    return failed("past_the_end", f"`{path}` has {count_lines(file.fd)} lines; there is no line {first}")


def _entry(reading: Reading, folder: Opened, path: str) -> str:
    raw = posixpath.basename(path)
    name = shown_name(raw)
    try:
        found = os.stat(raw, dir_fd=folder.fd, follow_symlinks=False)
    except OSError:
        return name
    if stat.S_ISDIR(found.st_mode):
        return name + "/"
    if stat.S_ISLNK(found.st_mode):
        return f"{name} -> {shown_name(os.readlink(raw, dir_fd=folder.fd))}"
    if reading.beneath.secret(path):
        return f"{name}  (secret, not readable)"
    if not stat.S_ISREG(found.st_mode):
        return f"{name}  ({kind_of(found.st_mode)})"
    return f"{name}  {found.st_size} bytes"


def _replaced(count: int) -> str:
    return f"{count} bytes that are not UTF-8 were replaced by \ufffd" if count else ""


def _noted(text: str, notes: list[str]) -> str:
    told = [note for note in notes if note]
    if not told:
        return text
    return text + ("" if text.endswith("\n") else "\n") + "\n".join(f"[{note}]" for note in told)
