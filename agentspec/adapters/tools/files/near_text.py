"""near_text: what in a text is nearly what was looked for, in words that let the next try succeed."""

from __future__ import annotations

import difflib
import re

_MOST_LINES = 20_000
_MOST_COMPARED = 2_000
_MOST_LENGTH = 300
_SHOWN = 2_000
_NUMBERED = re.compile(r"^ *\d+(?:\t|→|: ?| ?\| ?)", re.MULTILINE)


def near_miss(text: str, old: str) -> str:
    """Why `old` is not in `text`, as far as it can be told."""
    if "\ufffd" in old:
        return "`old_string` isn't in the file: `\ufffd` stands for bytes that are not UTF-8; leave them out of it"
    if (start := text.lower().find(old.lower())) >= 0:
        line = text.lower().count("\n", 0, start) + 1
        return f"`old_string` isn't in the file; it would fit in line {line} but for capital letters"
    if (bare := _NUMBERED.sub("", old)) != old and bare.strip() and bare in text:
        return "`old_string` isn't in the file as it stands: leave out the numbers of lines"
    return "`old_string` isn't in the file" + (_but_for_space(text, old) or _nearest_line(text, old))


def _but_for_space(text: str, old: str) -> str:
    """The place whose lines are the same but for the white space in them."""
    wanted = [_squeezed(line) for line in old.strip().split("\n")]
    lines = text.split("\n")[:_MOST_LINES]
    squeezed = [_squeezed(line) for line in lines]
    first = _squeezed(wanted[0])
    for at, line in enumerate(squeezed):
        if first in line and squeezed[at + 1 : at + len(wanted)] == wanted[1:]:
            found = "\n".join(lines[at : at + len(wanted)])[:_SHOWN]
            where = f"line {at + 1} differs" if len(wanted) == 1 else f"lines {at + 1} to {at + len(wanted)} differ"
            return f"; {where} from it only in white space:\n{found}"
    return ""


def _squeezed(line: str) -> str:
    return "".join(line.split())


def _nearest_line(text: str, old: str) -> str:
    wanted = next((line.strip() for line in old.split("\n") if line.strip()), "")[:_MOST_LENGTH]
    lines = [line.strip()[:_MOST_LENGTH] for line in text.split("\n")[:_MOST_COMPARED]]
    near = difflib.get_close_matches(wanted, filter(None, dict.fromkeys(lines)), n=1) if wanted else []
    return f"; the nearest to its first line is line {lines.index(near[0]) + 1}: `{near[0]}`" if near else ""
