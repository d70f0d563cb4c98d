"""page_text: the body of an HTTP response as text, by its type and its characters.

Bytes that are no text are refused, not shown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentspec.adapters.tools.web.readable import read_page

# By what pages call them, to what Python calls them: a page can't name a codec of Python's own (`punycode` is slow).
CHARSETS = {
    **{name: name for name in ("utf-8", "utf-16", "utf-16le", "utf-16be", "big5", "euc-jp", "euc-kr", "gb18030")},
    **{f"iso-8859-{number}": f"iso-8859-{number}" for number in (*range(1, 12), *range(13, 17))},
    **{f"windows-{number}": f"cp{number}" for number in (874, *range(1250, 1259))},
    "utf8": "utf-8",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "latin1": "cp1252",
    "iso-8859-1": "cp1252",
    "shift_jis": "cp932",
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "iso-2022-jp": "iso2022_jp",
}
MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
HTML = frozenset(("text/html", "application/xhtml+xml"))
TEXTS = re.compile(r"text/.*|.*[/+](json|xml|yaml|javascript|ecmascript|x-yaml|x-ndjson|ndjson|toml|sql|x-sh)")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_SNIFFED = 1024  # bytes at the begin in which a page may name its characters (HTML Standard, 13.2.3.2)


class Unreadable(Exception):
    """A body that is no text; `str()` says what it is."""


class Text(NamedTuple):
    """What was read; `kind` is the media type, `title` that of a page."""

    kind: str
    text: str
    title: str = ""


def text_of_body(body: bytes, content_type: str, url: str) -> Text:
    """The text of a body. Raises `Unreadable`."""
    kind = content_type.partition(";")[0].strip().lower()
    looks_like_page = body[:_SNIFFED].lstrip().lower().startswith((b"<!doctype html", b"<html"))
    if not kind or kind == "application/octet-stream":
        kind = "text/html" if looks_like_page else "text/plain" if b"\0" not in body[:_SNIFFED] else kind
    if kind not in HTML and not TEXTS.fullmatch(kind):
        raise Unreadable(f"`{url[:200]}` is `{kind[:80] or 'of no known type'}` of {len(body)} bytes, which is no text")
    text = body.decode(_charset(body, content_type, is_page=kind in HTML), "replace").removeprefix("\ufeff")
    if "\0" in text[:_SNIFFED]:
        raise Unreadable(f"`{url[:200]}` says that it is `{kind}`, but holds bytes that are no text")
    if kind not in HTML:
        return Text(kind, text)
    page = read_page(text, url)
    return Text(kind, page.text, page.title)


def _charset(body: bytes, content_type: str, *, is_page: bool) -> str:
    """The codec of a body: by its mark, its type, the head of the page; else UTF-8."""
    for mark, codec in MARKS:
        if body.startswith(mark):
            return codec
    places = [content_type, body[:_SNIFFED].decode("latin-1") if is_page else ""]
    for place in places:
        named = _CHARSET.search(place)
        if named is not None and named[1].lower() in CHARSETS:
            return CHARSETS[named[1].lower()]
    return "utf-8"
