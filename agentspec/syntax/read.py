"""read: a file on disk to a parsed text, by its name: `*.agent` is the DSL, `*.yaml`, `*.yml` and `*.json` are YAML.

Never more than the size limit is read, and never from something that is not a plain file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from agentspec.errors import NotFound
from agentspec.syntax import yaml
from agentspec.syntax.characters import too_large
from agentspec.syntax.findings import finding
from agentspec.syntax.limits import MAX_BYTES, MAX_DOCUMENTS
from agentspec.syntax.plain_file import read_plain
from agentspec.syntax.tree import Parsed
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import real_path
from agentspec.text.secret_names import secret_rule
from agentspec.text.source import Source, Span

DSL_SUFFIXES = frozenset((".agent",))
YAML_SUFFIXES = frozenset((".yaml", ".yml", ".json"))
BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
BOM = b"\xef\xbb\xbf"
_DSL_HEAD = re.compile(r"(?:\s|#[^\r\n]*+)*+(?P<head>(?:agent|preset|library)\s+[^\s:][^:]*\{|scenario\s+\")")


def read_file(path: str | Path) -> Parsed:
    """The documents of a file and what is wrong with its text.

    Raises `NotFound`, with a sentence for people, where there is no text at all: no such file, a folder, a device, no
    permission. Everything about a file that is there comes back in `diagnostics`.
    """
    return parse_bytes(str(path), read_plain(Path(path), MAX_BYTES + 1))


def read_text(path: Path) -> str:
    """The text of a file that a spec names, such as a prompt.

    Raises `NotFound` with a sentence that says why it can't be used: it isn't there, is no plain file, is too large, is
    no UTF-8 text, or holds secrets by its name.
    """
    rule = secret_rule(real_path(path)) if "\0" not in str(path) else ""
    if rule:
        raise NotFound(f"`{path}` may hold secrets (`{rule}`); such files are never read")
    source, problem = decode(str(path), read_plain(path, MAX_BYTES + 1))
    if problem is not None:
        raise NotFound(f"`{path}` cannot be used: {problem.message}")
    return source.text


def parse_bytes(name: str, content: bytes) -> Parsed:
    """As `read_file`, for the bytes of a file of that name."""
    source, problem = decode(name, content)
    if problem is not None:
        return Parsed(source=source, spelling=spelling_of(name), documents=[], diagnostics=[problem])
    return parse(source)


def parse(source: Source) -> Parsed:
    """The documents of a text, in the spelling that its name says."""
    suffix = Path(source.name).suffix.lower()
    if suffix in DSL_SUFFIXES:
        from agentspec.syntax import dsl  # noqa: PLC0415 - YAML files must not load the DSL's parser

        return _within_limit(dsl.parse(source))
    if suffix in YAML_SUFFIXES:
        return _misnamed(source) if begins_in_dsl(source.text) else _within_limit(yaml.parse(source))
    problem = finding(
        "AS027",
        f"`{Path(source.name).name}` is not named as a spec",
        Span(source, 0, 0),
        help="name it `*.agent` for the DSL, `*.yaml`, `*.yml` or `*.json` for YAML",
    )
    return Parsed(source=source, spelling="yaml", documents=[], diagnostics=[problem])


def begins_in_dsl(text: str) -> bool:
    """Whether a text begins as one of the DSL does: with the head of a document.

    >>> begins_in_dsl("# x\\nagent a {\\n}"), begins_in_dsl("agent: a")
    (True, False)
    """
    return _DSL_HEAD.match(text) is not None


def _misnamed(source: Source) -> Parsed:
    """A text of the DSL that is named as YAML: of its entries nothing true could be said."""
    head = _DSL_HEAD.match(source.text)
    start = 0 if head is None else head.start("head")
    name = Path(source.name)
    message = f"this is written in the DSL, and `{name.name}` is named otherwise"
    problem = finding("AS027", message, Span(source, start, start), help=f"name it `{name.stem}.agent`")
    return Parsed(source=source, spelling="yaml", documents=[], diagnostics=[problem])


def _within_limit(parsed: Parsed) -> Parsed:
    if len(parsed.documents) <= MAX_DOCUMENTS:
        return parsed
    message = f"the file has more than {MAX_DOCUMENTS} documents"
    problem = finding("AS004", message, parsed.documents[MAX_DOCUMENTS].span.part(0, 1))
    return Parsed(source=parsed.source, spelling=parsed.spelling, documents=[], diagnostics=[problem])


def decode(name: str, content: bytes) -> tuple[Source, Diagnostic | None]:
    """The text of a file, or as much of it as shows the place of the error that comes with it."""
    if len(content) > MAX_BYTES:
        source = Source(name, "")
        return source, too_large(source)
    encoding = _foreign_encoding(content)
    if encoding is not None:
        source = Source(name, "")
        message = f"the file is {encoding}, not UTF-8"
        return source, finding("AS002", message, Span(source, 0, 0), help="save it as UTF-8")
    start = len(BOM) if content.startswith(BOM) else 0
    try:
        return Source(name, content[start:].decode()), None
    except UnicodeDecodeError as error:
        return _undecodable(name, content[start:], error.start, start)


def _undecodable(name: str, content: bytes, at: int, skipped: int) -> tuple[Source, Diagnostic]:
    source = Source(name, content.decode(errors="replace"))
    offset = len(content[:at].decode())
    is_binary = b"\0" in content
    kind = "binary, not text" if is_binary else "not UTF-8"
    message = f"the file is {kind}: byte 0x{content[at]:02X} at offset {at + skipped} belongs to no character"
    advice = "a spec is text; is it the right file?" if is_binary else "save it as UTF-8"
    return source, finding("AS002", message, Span(source, offset, offset + 1), help=advice)


def _foreign_encoding(content: bytes) -> str | None:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return encoding
    first = content[:4]
    match [byte == 0 for byte in first]:
        case [True, True, True, False] | [False, True, True, True]:
            return "UTF-32"
        case [True, False, True, False] | [False, True, False, True]:
            return "UTF-16"
    return None


def spelling_of(name: str) -> Literal["yaml", "dsl"]:
    """The spelling that the name of a file says.

    >>> spelling_of("triage.agent"), spelling_of("triage.yaml")
    ('dsl', 'yaml')
    """
    return "dsl" if Path(name).suffix.lower() in DSL_SUFFIXES else "yaml"
