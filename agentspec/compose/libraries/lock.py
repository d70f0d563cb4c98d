"""lock: `agentspec.lock`, which versions of libraries a project uses, and what each of their files and exports is.

Read here, and put into words; nothing is fetched or compared. The same libraries give the same bytes: blocks are sorted
by name and version, one line a file, and nothing in one block depends on another, so that git can merge two locks.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from agentspec.compose.files import Files
from agentspec.compose.findings import finding
from agentspec.compose.libraries.versions import Range, Version, is_name, read_version
from agentspec.compose.project import LOCK_FILE, toml_problem
from agentspec.errors import NotFound
from agentspec.syntax.read import decode
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_folder, is_there
from agentspec.text.source import Source, Span

FORMAT: Final = 1
LAST: Final = "# end"
LOCK: Final = "agentspec lib lock"

_HEAD = f"# Written by `{LOCK}`. Where two of these meet in a merge, take either one and lock again."
_LOWER = re.compile(r"^<{7}[^\n]*\n|^(?:\|{7}|={7})[^\n]*\n.*?^>{7}[^\n]*\n?", re.MULTILINE | re.DOTALL)
_UPPER = re.compile(r"^<{7}.*?^={7}[^\n]*\n|^>{7}[^\n]*\n?", re.MULTILINE | re.DOTALL)
"""What is not of the upper side where two locks meet in a merge, and what is not of the lower one."""
_TEXTS = ("name", "version", "source", "commit", "module", "digest")
_TABLES = ("requires", "exports", "files")


class Locked(NamedTuple):
    """One version of a library: where it came from, what it needs, the digests of its exports and of its files.

    `commit` is the one that a repository was read at; `module` is the package that holds an installed library.
    """

    name: str
    version: str
    source: str
    requires: Mapping[str, str]
    exports: Mapping[str, str]
    files: Mapping[str, str]
    commit: str = ""
    module: str = ""

    @property
    def number(self) -> Version:
        return read_version(self.version) or Version(0, 0, 0)

    @property
    def digest(self) -> str:
        """What tells this block from every other one, and a whole one from a torn one."""
        return hashlib.sha256(json.dumps(self, sort_keys=True).encode()).hexdigest()


class Lock(NamedTuple):
    """The locked libraries of a project, by name and version; `source` is the text of the file, where there is one."""

    libraries: tuple[Locked, ...] = ()
    source: Source | None = None

    def of_source(self, source: str, wanted: Range) -> Locked | None:
        """The lowest version of a source that a range admits."""
        return next((one for one in self.libraries if one.source == source and wanted.admits(one.number)), None)

    def of_name(self, name: str, wanted: Range) -> Locked | None:
        """The lowest version of a library that a range admits."""
        return next((one for one in self.libraries if one.name == name and wanted.admits(one.number)), None)


def read_lock(project: Path, files: Files) -> Lock | Diagnostic:
    """The lock of a project; an empty one where there is no file. What cannot be read whole is a finding."""
    path = project / LOCK_FILE
    try:
        content = files.content(str(path))
    except NotFound as gone:
        if files.is_past or not is_there(path):
            return Lock()
        refused = _refused(Source(str(path), ""), "it is a folder" if is_folder(path) else str(gone))
        return refused._replace(help=f"move it away, then `{LOCK}`") if is_folder(path) else refused
    source, problem = decode(str(path), content)
    if problem is not None:
        return _refused(source, problem.message)
    return parse_lock(source)


def parse_lock(source: Source) -> Lock | Diagnostic:
    """The lock that a text is."""
    import tomllib  # noqa: PLC0415 - only a spec that uses libraries pays for it

    if re.search(r"^(<{7}|={7}|>{7})", source.text, re.MULTILINE):
        return _refused(source, "it holds the marks of a merge")
    try:
        found = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        return _refused(source, "it is damaged", toml_problem(source, str(error))[0])
    version = found.get("version")
    if isinstance(version, int) and version > FORMAT:
        return _refused(source, f"it is of version {version}, and this agentspec reads {FORMAT}: upgrade agentspec")
    if version != FORMAT or not source.text.rstrip().endswith(LAST):
        return _refused(source, "its end is missing")
    strange = next((key for key in found if key not in ("version", "library")), None)
    if strange is not None:
        return _refused(source, f"it has no key `{strange}`")
    blocks = found.get("library", [])
    libraries = [_locked(each) for each in (blocks if isinstance(blocks, list) else [None])]
    torn = next((each for each in libraries if isinstance(each, str)), None)
    if torn is not None:
        return _refused(source, f"what it says of {torn} was changed by hand, or is not all there")
    return Lock(in_order(each for each in libraries if isinstance(each, Locked)), source)


def recovered(source: Source) -> Lock:
    """What can be believed of a lock that cannot be read whole: the whole blocks of a torn one, or of both sides of a
    merge. It has no source, since its file is not what it says.
    """
    import tomllib  # noqa: PLC0415 - as above

    found: dict[str, Locked] = {}
    for side in (_LOWER.sub("", source.text), _UPPER.sub("", source.text)):
        for block in re.split(r"^(?=\[\[library\]\])", side, flags=re.MULTILINE)[1:]:
            try:
                one = _locked(tomllib.loads(block)["library"][0])
            except tomllib.TOMLDecodeError:
                continue
            if isinstance(one, Locked):
                found[one.digest] = one
    return Lock(in_order(found.values()))


def in_order(libraries: Iterable[Locked]) -> tuple[Locked, ...]:
    """Libraries by name, version and source."""
    return tuple(sorted(libraries, key=lambda one: (one.name, one.number, one.source)))


def _locked(table: Any) -> Locked | str:
    """A block; the name of what cannot be believed."""
    texts = {key: table.get(key, "") for key in _TEXTS} if isinstance(table, dict) else {}
    tables = {key: table.get(key, {}) for key in _TABLES} if texts else {}
    are_texts = all(isinstance(text, str) for text in (*texts.values(), *_values(tables)))
    is_known = isinstance(table, dict) and not table.keys() - {*_TEXTS, *_TABLES}
    if not are_texts or not is_known or not is_name(texts.get("name", "")) or read_version(texts["version"]) is None:
        return f"`{texts['name']}`" if texts.get("name") else "a library"
    digest = texts.pop("digest")
    found = Locked(**texts, **tables)
    return found if found.digest == digest else f"`{found.name}`"


def _values(tables: Mapping[str, Any]) -> Iterator[object]:
    for table in tables.values():
        yield from table.values() if isinstance(table, dict) else (None,)


def _refused(source: Source, reason: str, place: Span | None = None) -> Diagnostic:
    help_ = None if "upgrade" in reason else f"`{LOCK}` writes it anew"
    return finding("AS441", place or Span(source, 0, 0), f"cannot read `{LOCK_FILE}`: {reason}", help=help_)


def lock_text(libraries: Iterable[Locked]) -> str:
    """The text of a lock."""
    blocks = ["\n".join(_block(each)) for each in in_order(libraries)]
    return "\n\n".join((f"{_HEAD}\nversion = {FORMAT}", *blocks, LAST)) + "\n"


def _block(one: Locked) -> Iterator[str]:
    yield "[[library]]"
    for key in ("name", "version", "source", "commit", "module", "digest"):
        text = getattr(one, key)
        yield from (f"{key} = {_quoted(text)}",) if text else ()
    for key in _TABLES:
        table: Mapping[str, str] = getattr(one, key)
        yield from (f"[library.{key}]",) if table else ()
        yield from (f"{_quoted(name)} = {_quoted(table[name])}" for name in sorted(table))


def _quoted(text: str) -> str:
    """A basic string of TOML 1.0: as in JSON, but that DEL is escaped, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
