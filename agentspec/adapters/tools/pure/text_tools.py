"""text_tools: the toolkit `text`: what models count, cut and compare badly by themselves. Pure functions.

A character is one code point. Patterns are RE2, so that none takes long.
"""

from __future__ import annotations

import base64
import binascii
import difflib
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from agentspec.adapters.tools.kit import Offered, Setting
from agentspec.adapters.tools.pure.patterns import find_matches, replace_matches
from agentspec.adapters.tools.pure.pure import LONGEST, Pure, Shown, Unfit, choice, parameter, pure_toolkit

MOST_LINES = 5000  # of each text of a diff: comparing takes more than its share with each line


def count_chars(text: str, part: str | None = None) -> int:
    if part is None:
        return len(text)
    if not part:
        raise Unfit("`part` is empty; leave it out to count all characters")
    return text.count(part)


def replace_text(text: str, old: str, new: str, most: int | None = None) -> Shown:
    if not old:
        raise Unfit("`old` is empty: there is nothing to replace")
    times = min(text.count(old), most) if most else text.count(old)
    if len(text) + times * (len(new) - len(old)) > LONGEST:
        raise Unfit(f"the result would have more than {LONGEST} characters")
    changed = text.replace(old, new, times)
    return Shown(changed, {"text": changed, "replaced": times})


def split_text(text: str, separator: str | None = None, most: int | None = None) -> list[str]:
    if separator == "":
        raise Unfit("`separator` is empty; leave it out to split at blanks")
    return text.split(separator, most - 1 if most else -1)


def join_text(parts: list[str], separator: str = "") -> str:
    if sum(map(len, parts)) + len(separator) * len(parts) > LONGEST:
        raise Unfit(f"the result would have more than {LONGEST} characters")
    return separator.join(parts)


def slice_text(text: str, start: int = 0, end: int | None = None) -> str:
    return text[start:end]


def _joined(text: str) -> str:
    return "".join(word.capitalize() for word in _words(text))


def _words(text: str) -> list[str]:
    """The words of a name in any case, in small letters: `parseHTTPReply2` is parse, http, reply, 2."""
    spaced = []
    for before, here, after in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        begins = here.isupper() and (not before.isupper() or after.islower())
        spaced.append(" " if here == "_" or not here.isalnum() else here)
        if begins or here.isdigit() != before.isdigit():
            spaced.insert(-1, " ")
    return "".join(spaced).lower().split()


CASES: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "title": lambda text: re.sub(r"[^\W\d_]+('[^\W\d_]+)?", lambda word: word[0].capitalize(), text),
    "sentence": lambda text: text[:1].upper() + text[1:].lower(),
    "swap": str.swapcase,
    "snake": lambda text: "_".join(_words(text)),
    "kebab": lambda text: "-".join(_words(text)),
    "camel": lambda text: _joined(text)[:1].lower() + _joined(text)[1:],
    "pascal": _joined,
}


def change_case(text: str, to: str) -> str:
    return CASES[to](text)


def sort_lines(text: str, *, reverse: bool = False, unique: bool = False, numeric: bool = False) -> str:
    lines = text.splitlines()
    if unique:
        lines = list(dict.fromkeys(lines))
    if numeric:
        lines.sort(key=_number, reverse=reverse)
    else:
        lines.sort(reverse=reverse)
    return "\n".join(lines)


def _number(line: str) -> tuple[float, str]:
    """Lines without a number stand at the end."""
    found = re.search(r"-?\d+(?:\.\d+)?", line)
    return (float(found[0]) if found else float("inf"), line)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def base64_encode(text: str, *, url: bool = False) -> str:
    encode = base64.urlsafe_b64encode if url else base64.b64encode
    return encode(text.encode()).decode()


def base64_decode(text: str) -> str:
    """Both alphabets are read, with padding or without, and blanks are skipped."""
    letters = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True).decode()
    except UnicodeDecodeError:
        raise Unfit("these are bytes and no text: what is decoded is not UTF-8") from None
    except (binascii.Error, ValueError):
        raise Unfit("`text` is no base64") from None


def url_encode(text: str) -> str:
    return quote(text, safe="")


def url_decode(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Unfit("these are bytes and no text: what is decoded is not UTF-8") from None


def diff_text(old: str, new: str, context: int = 3) -> str:
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MOST_LINES:
        raise Unfit(f"a text of more than {MOST_LINES} lines; compare it in parts")
    lines = [*difflib.unified_diff(before, after, "old", "new", lineterm="", n=context)]
    if not lines:
        return "the texts are equal" if old == new else "the lines are equal; the texts differ in their line ends"
    return "\n".join(lines)


_TEXT = parameter("string", "The text.")
_PATTERN = parameter("string", "Regular expression (RE2); no look-around, no back-references.")
_CASE = parameter("boolean?", "Whether upper and lower case are the same.")
TOOLS: dict[str, Pure] = {
    "count_chars": Pure(
        "Count the characters of a text, or how often a part occurs in it.",
        {
            "text": _TEXT,
            "part": parameter("string?", "What to count, such as one letter; all characters if not given."),
        },
        count_chars,
    ),
    "count_words": Pure("Count the words of a text, cut at blanks.", {"text": _TEXT}, lambda text: len(text.split())),
    "count_lines": Pure("Count the lines of a text.", {"text": _TEXT}, lambda text: len(text.splitlines())),
    "regex_match": Pure(
        "Find what a regular expression matches in a text, with groups and places (counted from 0).",
        {
            "text": _TEXT,
            "pattern": _PATTERN,
            "ignore_case": _CASE,
            "most": parameter("integer?", "Most matches to show; 100 if not given.", minimum=1, maximum=10_000),
        },
        find_matches,
    ),
    "regex_replace": Pure(
        r"Replace what a regular expression matches; `\1` or `\g<name>` in `new` is a group, `\\` a backslash.",
        {
            "text": _TEXT,
            "pattern": _PATTERN,
            "new": parameter("string", "What comes in its place."),
            "ignore_case": _CASE,
            "most": parameter("integer?", "Most matches to replace; all if not given.", minimum=1),
        },
        replace_matches,
    ),
    "replace_text": Pure(
        "Replace a part of a text by another, as it is written.",
        {
            "text": _TEXT,
            "old": parameter("string", "What is replaced."),
            "new": parameter("string", "What comes in its place."),
            "most": parameter("integer?", "Most occurrences to replace; all if not given.", minimum=1),
        },
        replace_text,
    ),
    "split_text": Pure(
        "Cut a text into a list of parts.",
        {
            "text": _TEXT,
            "separator": parameter("string?", "Where to cut; at blanks if not given."),
            "most": parameter("integer?", "Most parts; all if not given.", minimum=1),
        },
        split_text,
    ),
    "join_text": Pure(
        "Join a list of texts.",
        {
            "parts": parameter("string[]", "The texts."),
            "separator": parameter("string?", "What stands between them; nothing if not given."),
        },
        join_text,
    ),
    "slice_text": Pure(
        "Take the characters of a text from one place up to before another, counted from 0; negative from its end.",
        {
            "text": _TEXT,
            "start": parameter("integer?", "The first character; 0 if not given."),
            "end": parameter("integer?", "Up to before this one; to the end if not given."),
        },
        slice_text,
    ),
    "reverse_text": Pure("Turn a text around, character by character.", {"text": _TEXT}, lambda text: text[::-1]),
    "change_case": Pure(
        "Write a text in another case.", {"text": _TEXT, "to": choice(CASES, "The case.")}, change_case
    ),
    "sort_lines": Pure(
        "Sort the lines of a text.",
        {
            "text": _TEXT,
            "reverse": parameter("boolean?", "Whether the last comes first."),
            "unique": parameter("boolean?", "Whether equal lines are kept once."),
            "numeric": parameter("boolean?", "Whether to sort by the first number of each line."),
        },
        sort_lines,
    ),
    "sha256": Pure("The SHA-256 of a text in UTF-8, as hexadecimal digits.", {"text": _TEXT}, sha256),
    "base64_encode": Pure(
        "A text in UTF-8 as base64.",
        {"text": _TEXT, "url": parameter("boolean?", "Whether to use the alphabet of URLs (`-`, `_`).")},
        base64_encode,
    ),
    "base64_decode": Pure("Base64 as the text that it holds.", {"text": _TEXT}, base64_decode),
    "url_encode": Pure("A text percent-encoded for a URL.", {"text": _TEXT}, url_encode),
    "url_decode": Pure("A percent-encoded text as it is.", {"text": _TEXT}, url_decode),
    "diff_text": Pure(
        "Compare two texts line by line; answers a unified diff.",
        {
            "old": parameter("string", "The text before."),
            "new": parameter("string", "The text after."),
            "context": parameter("integer?", "Equal lines to show around; 3 if not given.", minimum=0, maximum=1000),
        },
        diff_text,
    ),
}


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `text`."""
    return pure_toolkit("text", TOOLS, options, setting)
