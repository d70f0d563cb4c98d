"""written: what may be written to a file: nothing over one of another kind, nor over what a project is run by.

A file is of the kind that its beginning tells. Nothing is written or kept open here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from agentspec.errors import NotAllowed, NotFound
from agentspec.syntax.plain_file import head_of
from agentspec.text.control_files import control_rule
from agentspec.text.paths import is_file, is_folder, is_there


class Kind(NamedTuple):
    """A kind of file that is written: what it is called, and what its beginning has in it."""

    name: str
    mark: bytes


RECORDING = Kind("scenario", rb"(?m)^scenario[: ]")
REPORT = Kind("JUnit report", rb"\A(?:<\?xml[^>]*\?>)?\s*<testsuites?\b")
EXPORT = Kind("exported run", rb'\A\{"agentspec": ?"run"')
EVENTS = Kind("file of events", rb'\A\{"run_id": ?"[^"]+", ?"seq"')
RECEIPTS = Kind("file of receipts", rb'\A\{"at": ?[\d.]+, ?"event"')
TRANSCRIPT = Kind("transcript", rb'\A\{"role":')


def why_not(path: Path, kind: Kind) -> str:
    """Why nothing of this kind may be written there, and the way out; nothing where it may.

    >>> why_not(Path("shop/agentspec.toml"), EVENTS), why_not(Path("new.jsonl"), EVENTS)
    ('`shop/agentspec.toml` is one of the files that a project is run by: name another file', '')
    """
    if control_rule(path.as_posix()):
        return f"`{path}` is one of the files that a project is run by: name another file"
    if is_folder(path):
        return f"`{path}` is a folder: name a file"
    if not is_file(path):  # a pipe or a device keeps nothing that could be lost
        return ""
    try:
        head = head_of(path)
    except NotFound:  # whoever writes says that it can't
        return ""
    if not head.strip() or re.search(kind.mark, head):
        return ""
    return f"`{path}` is there and is no {kind.name}: name a new file, or an older {kind.name}"


def require_free(path: Path, kind: Kind) -> None:
    """Find out, before anything is done, whether that can be written there. Raises `NotAllowed`.

    A file that isn't there is made, to see that it can be, and taken away again.
    """
    why = why_not(path, kind)
    if why:
        raise NotAllowed(why)
    was_there = is_there(path)
    try:
        with path.open("ab"):
            pass
        if not was_there:
            path.unlink()
    except OSError as error:
        raise NotAllowed(f"can't write `{path}`: {error.strerror}; nothing was started") from None
