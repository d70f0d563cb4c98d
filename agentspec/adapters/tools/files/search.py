"""search: find files by name and lines by pattern, through RE2 alone, so that no pattern is slow."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agentspec.adapters.tools.files.beneath import Opened, Refused
from agentspec.adapters.tools.files.names import shown_name
from agentspec.adapters.tools.files.tool import Reading
from agentspec.adapters.tools.files.walk import Walk
from agentspec.adapters.tools.programs.decode import is_binary
from agentspec.core.calls.cap import encodable
from agentspec.core.calls.globs import compile_glob, fits
from agentspec.ports import Output

MOST_NAMES = 1000
MOST_FILE = 64 * 1024 * 1024  # bytes of one file that are searched
_BLOCK = 1024 * 1024
_SAMPLE = 8 * 1024
_AROUND = 200  # bytes of a long line that are shown before a match


class Match(NamedTuple):
    """A line that fits: its number from 1 and what is shown of it."""

    line: int
    text: str


def search_files(reading: Reading, arguments: Mapping[str, Any]) -> Output:
    """The lines that fit a pattern, `path:line: text`."""
    pattern = _pattern(arguments["pattern"], ignore_case=bool(arguments.get("ignore_case")))
    most = min(arguments.get("max_matches") or reading.max_matches, reading.max_matches)
    start = arguments.get("path") or "."
    lines: list[str] = []
    size = files = 0
    walk = Walk(reading.beneath, reading.beneath.relative(start), reading.stop)
    stopped_at = ""
    for path in _candidates(walk, reading, start, arguments.get("glob")):
        files += 1
        for match in _matches(reading, path, pattern):
            line = f"{shown_name(path)}:{match.line}: {match.text}"
            size += len(line.encode()) + 1
            if len(lines) >= most or size > reading.max_bytes:
                stopped_at = f"only the first {len(lines)} matches are shown; narrow the pattern, the path or the glob"
                break
            lines.append(line)
        if stopped_at or walk.is_over():
            break
    notes = [note for note in (stopped_at, _bound(walk)) if note]
    text = "\n".join(lines) if lines else f"no line of {files} files fits `{arguments['pattern']}`"
    return Output(text=_with_notes(text, notes), data={"matches": len(lines), "complete": not notes})


def find_files(reading: Reading, arguments: Mapping[str, Any]) -> Output:
    """The paths that fit a glob, one a line."""
    start = arguments.get("path") or "."
    walk = Walk(reading.beneath, reading.beneath.relative(start), reading.stop)
    found: list[str] = []
    size = 0
    notes: list[str] = []
    for path in _fitting(walk, start, arguments["glob"]):
        name = f"{shown_name(path)}  (secret, not readable)" if reading.beneath.secret(path) else shown_name(path)
        size += len(name.encode()) + 1
        if len(found) >= MOST_NAMES or size > reading.max_bytes:
            notes.append(f"only the first {len(found)} files are shown; narrow the glob or the path")
            break
        found.append(name)
    notes += [_bound(walk)] if walk.bound else []
    text = "\n".join(found) if found else f"no file fits `{arguments['glob']}`"
    return Output(text=_with_notes(text, notes), data={"files": len(found), "complete": not notes})


def _candidates(walk: Walk, reading: Reading, start: str, glob: str | None) -> Iterator[str]:
    """The files to search: the one that `start` names, or all that fit below it."""
    try:
        with reading.beneath.folder(start):
            pass
    except Refused as refusal:
        if refusal.category != "is_file":
            raise
        yield posixpath.normpath(reading.beneath.relative(start))
        return
    yield from _fitting(walk, start, glob or "**")


def _fitting(walk: Walk, start: str, glob: str) -> Iterator[str]:
    """The files below `start` whose path from there fits."""
    compiled = compile_glob(glob)
    prefix = posixpath.normpath(start)
    skip = 0 if prefix == "." else len(prefix) + 1
    for path in walk.files():
        if fits(compiled, path[skip:]):
            yield path


def _matches(reading: Reading, path: str, pattern: Any) -> Iterator[Match]:
    try:
        with reading.beneath.file(path) as file:
            yield from _in_file(file, pattern, reading)
    except Refused:  # secret, vanished, or a link that leads out: not there to be searched
        return


def _in_file(file: Opened, pattern: Any, reading: Reading) -> Iterator[Match]:
    if not stat.S_ISREG(file.stat.st_mode) or is_binary(os.pread(file.fd, _SAMPLE, 0)):
        return
    number = 1  # of the line that the block begins with
    for block in _whole_lines(file.fd):
        if reading.stop.is_set():
            return
        done = 0
        while (hit := pattern.search(block, done)) is not None:
            start = block.rfind(b"\n", 0, hit.start()) + 1
            if start == len(block):
                break  # after the last line end there is no line
            end = block.find(b"\n", hit.end())
            end = len(block) if end < 0 else end
            line = number + block.count(b"\n", 0, start)
            yield Match(line, _shown(block[start:end].rstrip(b"\r"), hit.start() - start, reading.max_line_bytes))
            done = end + 1
            if done >= len(block):
                break
        number += block.count(b"\n")


def _whole_lines(fd: int) -> Iterator[bytes]:
    """The content in pieces that end with a line, but for lines that are longer than a piece."""
    rest = b""
    offset = 0
    while offset < MOST_FILE and (block := os.pread(fd, _BLOCK, offset)):
        offset += len(block)
        block = rest + block
        cut = block.rfind(b"\n") + 1
        if not cut and len(block) < 8 * _BLOCK:
            rest = block
            continue
        cut = cut or len(block)
        rest = block[cut:]
        yield block[:cut]
    if rest:
        yield rest


def _shown(line: bytes, at: int, most: int) -> str:
    """A line, or of a long one the stretch around its match."""
    if len(line) <= most:
        return line.decode("utf-8", "replace")
    start = max(0, min(at - _AROUND, len(line) - most))
    end = min(len(line), start + most)
    text = line[start:end].decode("utf-8", "ignore")
    return ("…" if start else "") + text + ("…" if end < len(line) else "") + f" [line of {len(line)} bytes]"


def _pattern(text: str, *, ignore_case: bool) -> Any:
    import re2  # noqa: PLC0415 - a shared library, loaded only where patterns are used

    options = re2.Options()
    options.log_errors = False
    options.never_nl = True  # a match stays within its line
    options.case_sensitive = not ignore_case
    try:
        return re2.compile("(?m)" + encodable(text), options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args and isinstance(error.args[0], bytes) else error
        raise Refused(
            "invalid", f"the pattern `{text[:200]}` can't be read: {reason} (RE2: no look-around, no back-references)"
        ) from error


def _bound(walk: Walk) -> str:
    return f"not everything was looked at: stopped at {walk.bound}" if walk.bound else ""


def _with_notes(text: str, notes: list[str]) -> str:
    return text + "".join(f"\n[{note}]" for note in notes)
