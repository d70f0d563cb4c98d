"""gitignore: whether git would leave a path alone. Reads patterns; never the files that they name.

The rules are those of gitignore(5): the last pattern that matches decides, `!` turns it round, a slash inside anchors
it to its own folder, a slash at the end means folders only, `**` crosses folders.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import NamedTuple


class Pattern(NamedTuple):
    """One line of a `.gitignore`: where it counts from, what it matches there, and which way it decides."""

    base: Path
    matcher: re.Pattern[str]
    is_ignored: bool
    is_folder_only: bool


def read_patterns(folder: Path) -> list[Pattern]:
    """The patterns of the `.gitignore` of one folder, in order; none where there is no such file."""
    try:
        text = (folder / ".gitignore").read_text("utf-8", errors="replace")
    except OSError:
        return []
    lines = [line.rstrip() for line in text.splitlines()]
    return [_pattern(folder, line) for line in lines if line.strip("/!") and not line.startswith("#")]


def patterns_above(folder: Path) -> list[Pattern]:
    """The patterns that hold in a folder: from the top of its repository down to the folder itself."""
    chain: list[Path] = []
    for parent in (folder, *folder.parents):
        chain.append(parent)
        if (parent / ".git").exists():
            return [pattern for each in reversed(chain) for pattern in read_patterns(each)]
    return read_patterns(folder)


def is_ignored(path: Path, patterns: list[Pattern], *, is_folder: bool) -> bool:
    """Whether the last pattern that matches the path says to ignore it."""
    for pattern in reversed(patterns):
        if pattern.is_folder_only and not is_folder:
            continue
        if pattern.matcher.fullmatch(PurePosixPath(path.relative_to(pattern.base)).as_posix()):
            return pattern.is_ignored
    return False


def _pattern(base: Path, line: str) -> Pattern:
    is_negated = line.startswith("!")
    line = line.removeprefix("!").removeprefix("\\")
    is_folder_only = line.endswith("/")
    line = line.rstrip("/")
    anywhere = "" if "/" in line else "(?:.*/)?"
    return Pattern(base, re.compile(anywhere + _translate(line.removeprefix("/"))), not is_negated, is_folder_only)


PIECES = r"\*\*/|/\*\*|\*|\?|\[!?[^\]/]+\]|\\.|[^*?\[\\]+|."
WILD = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}


def _translate(glob: str) -> str:
    out = ""
    for piece in re.findall(PIECES, glob, re.DOTALL):
        if piece in WILD:
            out += WILD[piece]
        elif piece.startswith("[") and len(piece) > 1:
            out += "[" + piece[1:-1].replace("\\", "\\\\").replace("!", "^", 1) + "]"
        else:
            out += re.escape(piece.removeprefix("\\") or piece)
    return out
