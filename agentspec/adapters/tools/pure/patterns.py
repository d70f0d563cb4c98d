"""patterns: find and replace with regular expressions of a model's. RE2 alone: time grows with the text, never more."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from agentspec.adapters.tools.pure.pure import LONGEST, Shown, Unfit

MOST_PATTERN = 4096
MOST_MATCHES = 100
_TOKEN = re.compile(r"\\(?:(\d{1,2})|g<(\w+)>|(\\))")


def compile_pattern(pattern: str, *, ignore_case: bool = False) -> Any:
    """The pattern as RE2 has it. Raises `Unfit`, in words."""
    import re2  # noqa: PLC0415 - a shared library, loaded only where patterns are used

    if len(pattern) > MOST_PATTERN:
        raise Unfit(f"the pattern has {len(pattern)} characters; at most {MOST_PATTERN} are taken")
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
        shown = f"{pattern[:200]}"
        raise Unfit(
            f"the pattern `{shown}` can't be read: {reason} (RE2: no look-around, no back-references)"
        ) from error


def find_matches(text: str, pattern: str, most: int = MOST_MATCHES, *, ignore_case: bool = False) -> Shown:
    """All matches with their places and groups, and whether there are more."""
    found = compile_pattern(pattern, ignore_case=ignore_case)
    matches = list(islice(found.finditer(text), most + 1))
    shown = [_match(match) for match in matches[:most]]
    data = {"matches": shown, "more": len(matches) > most}
    if not shown:
        return Shown("no match", data)
    lines = [_line(one) for one in shown]
    return Shown("\n".join([*lines, "… and more"] if data["more"] else lines), data)


def _match(match: Any) -> dict[str, Any]:
    named = match.groupdict()
    return {
        "text": match.group(),
        "start": match.start(),
        "end": match.end(),
        "groups": list(match.groups()),
        **({"named": named} if named else {}),
    }


def _line(one: dict[str, Any]) -> str:
    groups = "".join(f" | {number}: {group}" for number, group in enumerate(one["groups"], 1) if group is not None)
    return f"{one['start']}-{one['end']}: {one['text']}{groups}"


def replace_matches(text: str, pattern: str, new: str, most: int = 0, *, ignore_case: bool = False) -> Shown:
    """The text with all matches replaced, or the first `most`."""
    found = compile_pattern(pattern, ignore_case=ignore_case)
    fill = _template(new, found)
    parts, end, size, times = [], 0, 0, 0
    for match in found.finditer(text):
        if most and times == most:
            break
        parts += [text[end : match.start()], fill(match)]
        end = match.end()
        times += 1
        size += len(parts[-1]) + len(parts[-2])
        if size > LONGEST:
            raise Unfit(f"the result would have more than {LONGEST} characters")
    changed = "".join([*parts, text[end:]])
    return Shown(changed, {"text": changed, "replaced": times})


def _template(new: str, pattern: Any) -> Callable[[Any], str]:
    """What fills in `\\1` and `\\g<name>`; the library's own way breaks every character that is not ASCII."""
    pieces: list[str | int] = []
    end = 0
    for token in _TOKEN.finditer(new):
        pieces += [new[end : token.start()], "\\" if token[3] else _group(token, pattern)]
        end = token.end()
    pieces.append(new[end:])

    def fill(match: Any) -> str:
        return "".join(piece if isinstance(piece, str) else match.group(piece) or "" for piece in pieces)

    return fill


def _group(token: re.Match[str], pattern: Any) -> int:
    name = token[1] or token[2]
    number = int(name) if name.isascii() and name.isdigit() else pattern.groupindex.get(name, -1)
    if not 0 <= number <= pattern.groups:
        raise Unfit(f"`new` names the group `{name}`, which the pattern does not have")
    return int(number)
