"""readable: the text of an HTML page as a person would read it: headings, lists, links, tables, no markup.

One pass that never looks back, so that no page takes long. What is left open at the end (a tag, a comment, a script)
swallows the rest, as in browsers (HTML Standard, 13.2.5). Nothing is loaded and nothing is run.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import urljoin

# Possessive quantifiers: what does not fit is not tried again in other ways.
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*+)((?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+)>")
_ATTRIBUTE = re.compile(r"([^\s=\"'/>]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++)))?")
_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_SPACES = re.compile(r"\s+")

HIDDEN = frozenset(("script", "style", "template", "noscript", "svg", "iframe", "canvas", "object", "math", "select"))
RAW = frozenset(("script", "style", "textarea", "title", "iframe", "noscript", "xmp"))
BLOCKS = frozenset(
    (
        *("p", "div", "section", "article", "header", "footer", "main", "nav", "aside", "ul", "ol", "dl", "dt", "dd"),
        *("table", "tr", "form", "fieldset", "figure", "figcaption", "blockquote", "address", "details", "summary"),
        *("pre", "body", "hr", "h1", "h2", "h3", "h4", "h5", "h6"),
    )
)
APART = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "table", "ul", "ol", "blockquote", "hr"))
HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
DEEPEST_LIST = 6  # levels that are indented
MOST_LINK = 500  # characters of an address that are shown


class Page:
    """What was read: the title and the text."""

    def __init__(self, title: str, text: str) -> None:
        self.title = title
        self.text = text


def read_page(source: str, url: str) -> Page:
    """The text of a page that stands at `url`, which links are resolved against.

    >>> read_page("<title>T</title><h1>Hi</h1><p>a <a href='/b'>link</a></p><script>x</script>", "https://h/").text
    '# Hi\\n\\na link (https://h/b)'
    """
    reader = _Reader(url)
    reader.read(source)
    return Page(_SPACES.sub(" ", reader.title).strip(), reader.finished())


class _Reader:
    def __init__(self, url: str) -> None:
        self._url = url
        self.title = ""
        self._lines: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._hidden = ""  # the element whose content is left out, and how deep within others of its name
        self._depth = 0
        self._pre = 0
        self._link = ""
        self._lists = 0

    # --- the source, piece by piece

    def read(self, source: str) -> None:
        at = 0
        while at < len(source):
            start = source.find("<", at)
            if start < 0:
                self._text(source[at:])
                return
            self._text(source[at:start])
            at = self._markup(source, start)

    def _markup(self, source: str, at: int) -> int:
        """Read what begins with `<`; gives the place behind it."""
        follows = source[at + 1 : at + 2]
        if source.startswith("<!--", at):
            return _behind(source, "-->", at + 4)
        if follows in ("!", "?") or (follows == "/" and not source[at + 2 : at + 3].isalpha()):
            return _behind(source, ">", at + 2)
        if not (follows.isascii() and follows.isalpha()) and follows != "/":
            self._text("<")
            return at + 1
        tag = _TAG.match(source, at)
        if tag is None:
            return len(source)
        name = tag[2].lower()
        if tag[1]:
            self._closes(name)
            return tag.end()
        end = self._opens(name, tag[3])
        return self._raw(source, name, tag.end()) if name in RAW and end else tag.end()

    def _raw(self, source: str, name: str, at: int) -> int:
        """The content of an element that holds no elements, up to its own end."""
        end = re.compile(f"</{name}(?=[\\s/>])", re.IGNORECASE).search(source, at)
        content = source[at : end.start()] if end else source[at:]
        if name == "title":
            self.title = self.title or html.unescape(content)
        elif name not in HIDDEN:
            self._text(content)
        self._hidden = ""
        return _behind(source, ">", end.start()) if end else len(source)

    # --- what it means

    def _opens(self, name: str, attributes: str) -> bool:
        """Begin an element; tells whether raw content may follow."""
        if self._hidden:
            self._depth += name == self._hidden
            return False
        if name in HIDDEN:
            if not attributes.rstrip().endswith("/"):
                self._hidden, self._depth = name, 1
            return True
        if name in BLOCKS or name == "li":
            self._break(is_apart=name in APART and not (name in ("ul", "ol") and self._lists))
        match name:
            case "br":
                self._break()
            case "hr":
                self._line.append("---")
                self._break(is_apart=True)
            case "td" | "th" if self._line and not self._line[-1].endswith("| "):
                self._line.append(" | ")
            case "li":
                self._prefix = "  " * min(max(self._lists - 1, 0), DEEPEST_LIST) + "- "
            case "ul" | "ol":
                self._lists += 1
            case "pre":
                self._pre += 1
            case "a":
                self._link = _attributes(attributes).get("href", "")
            case "img":
                alt = _attributes(attributes).get("alt", "").strip()
                self._text(f"[image: {alt}]" if alt else "")
            case _ if name in HEADINGS:
                self._prefix = HEADINGS[name]
        return True

    def _closes(self, name: str) -> None:
        if self._hidden:
            self._depth -= name == self._hidden
            self._hidden = self._hidden if self._depth > 0 else ""
            return
        match name:
            case "a":
                self._end_link()
            case "td" | "th":
                self._line.append(" | ")
            case "ul" | "ol":
                self._lists = max(self._lists - 1, 0)
            case "pre":
                self._break(is_apart=True)
                self._pre = max(self._pre - 1, 0)
        if name in BLOCKS or name == "li":
            self._break(is_apart=name in APART and not (name in ("ul", "ol") and self._lists))

    def _end_link(self) -> None:
        target, self._link = self._link, ""
        if not target or target.startswith(("#", "javascript:", "data:", "mailto:")):
            return
        try:
            address = urljoin(self._url, target.strip())
        except ValueError:
            return
        self._text(f" ({address})" if len(address) <= MOST_LINK else "")

    def _text(self, text: str) -> None:
        if not text or self._hidden:
            return
        text = html.unescape(text)
        if self._pre:
            *whole, rest = text.split("\n")
            for line in whole:
                self._line.append(line)
                self._lines.append(self._prefix + "".join(self._line).rstrip())
                self._line, self._prefix = [], ""
            self._line.append(rest)
            return
        text = _BLANKS.sub(" ", text)
        if not self._line or self._line[-1].endswith(" "):
            text = text.lstrip(" ")
        if text:
            self._line.append(text)

    def _break(self, *, is_apart: bool = False) -> None:
        """End the line; with `is_apart` an empty one follows."""
        text = "".join(self._line)
        text = (text if self._pre else text.strip()).removesuffix(" |").rstrip()
        if text:
            self._lines.append(self._prefix + text)
            self._prefix = ""
        self._line = []
        if is_apart and self._lines and self._lines[-1]:
            self._lines.append("")

    def finished(self) -> str:
        self._break()
        return "\n".join(self._lines).strip("\n")


def _behind(source: str, mark: str, at: int) -> int:
    end = source.find(mark, at)
    return len(source) if end < 0 else end + len(mark)


def _attributes(text: str) -> Mapping[str, str]:
    """The attributes of a tag, the first of each name."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        found.setdefault(match[1].lower(), html.unescape(match[2] or match[3] or match[4] or ""))
    return found
