"""write_use: put a library into the `use` of a spec's text; all that stands there keeps its words, order and comments.

Where nobody can be sure that the text still says the same, nothing is written. A file in its canonical form stays so.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from agentspec.compose.libraries.spelling import normal
from agentspec.syntax.format import text_of
from agentspec.syntax.format.rewrite import format_text
from agentspec.syntax.read import parse
from agentspec.syntax.tree import Document, Entry, Mapping, Parsed
from agentspec.text.source import Source

HEADS = ("name", "preset", "description")
"""What says what a document is; `use` follows it."""


class _Edit(NamedTuple):
    at: int
    text: str


def with_use(parsed: Parsed, document: Document, alias: str, use: dict[str, str]) -> str | None:
    """The text of a file with a library in the `use` of a document; None where that has to be done by hand."""
    source = parsed.source
    edit = _Writer(source, document, alias, use).edit()
    changed = parse(Source(source.name, source.text[: edit.at] + edit.text + source.text[edit.at :]))
    if not _says_that_too(parsed, changed, document, {alias: use}):
        return None
    is_canonical = format_text(parsed) == source.text
    return format_text(changed) if is_canonical else changed.source.text


def _says_that_too(before: Parsed, after: Parsed, document: Document, new: dict[str, Any]) -> bool:
    """Whether the second text says what the first does, and that a document uses a library; and nothing else."""
    if any(one.severity == "error" for one in after.diagnostics) or len(before.documents) != len(after.documents):
        return False
    for old, now in zip(before.documents, after.documents, strict=True):
        expected = normal(old.root)
        if old is document and isinstance(expected, dict):
            known = expected.get("use", [{}])[0]
            added = {name: [{key: [value] for key, value in each.items()}] for name, each in new.items()}
            expected["use"] = [{**known, **added}] if isinstance(known, dict) else None
        if normal(now.root) != expected:
            return False
    return True


def _word(text: str) -> str:
    """A text as it is written between the braces of YAML: bare where it can be."""
    spelled = text_of({"text": text}, "yaml").removeprefix("text: ").strip()
    return json.dumps(text, ensure_ascii=False) if set(spelled) & set(",[]{}\n") else spelled


class _Writer:
    """One library that is written into one document."""

    def __init__(self, source: Source, document: Document, alias: str, use: dict[str, str]) -> None:
        assert isinstance(document.root, Mapping)
        self.text, self.root = source.text, document.root
        self.newline = "\r\n" if "\r\n" in self.text else "\n"
        self.is_dsl = source.name.endswith(".agent")
        self.between = "  " if self.is_dsl else ", "
        quoted = {key: json.dumps(value, ensure_ascii=False) for key, value in use.items()}
        if self.is_dsl:
            self.entry = f"{alias} {{ {'  '.join(f'{key}: {value}' for key, value in quoted.items())} }}"
            self.whole = f"use {{ {self.entry} }}"
        elif source.name.endswith(".json") or any(entry.key.style == "double" for entry in self.root.entries):
            self.entry = f"{json.dumps(alias)}: {json.dumps(use, ensure_ascii=False)}"
            self.whole = f'"use": {{{self.entry}}}'
        else:
            self.entry = f"{alias}: {{{', '.join(f'{key}: {_word(value)}' for key, value in use.items())}}}"
            self.whole = f"use: {{{self.entry}}}"

    def edit(self) -> _Edit:
        """What is written, and where."""
        known = self.root.entry("use")
        if known is not None and isinstance(known.value, Mapping):
            return self._beside(known.value)
        body = self._body()
        heads = next((at for at, entry in enumerate(body) if entry.name not in HEADS), len(body))
        if not body:
            return self._alone(self._brace())
        # A comment at the top of a file is the file's: above its first key nothing is written.
        if heads < len(body) and (heads or self.is_dsl or self.root.flow):
            return self._before(body[heads])
        return self._behind(body[-1], self.whole, self._own_lines(body[-1]), is_flow=self.root.flow)

    def _beside(self, uses: Mapping) -> _Edit:
        if not uses.entries:
            space = " " * self.is_dsl
            return _Edit(uses.span.start + 1, f"{space}{self.entry}{space}")
        return self._behind(uses.entries[-1], self.entry, self.entry, is_flow=uses.flow)

    def _alone(self, brace: int) -> _Edit:
        """In a body that holds no entry."""
        rest = self.text[brace + 1 : self._line_end(brace)].strip()
        is_one_line = rest.startswith("}")
        return _Edit(brace + 1, f" {self.whole} " if is_one_line else f"{self.newline}  {self.whole}")

    def _before(self, entry: Entry) -> _Edit:
        """Before an entry, and before the comments above it."""
        at = entry.key.span.start
        if not self._begins_line(at):
            return _Edit(at, f"{self.whole}{self.between}")
        indent = self._indent(at)
        if self.root.flow:
            return _Edit(at, f"{self.whole},{self.newline}{indent}")
        line = self._above_comments(self._line_start(at))
        is_apart = line > 0 and not self.text[self._line_start(line - 1) : line].strip()
        return _Edit(line, f"{indent}{self._own_lines(entry)}{self.newline}{self.newline * is_apart}")

    def _behind(self, entry: Entry, inline: str, lines: str, *, is_flow: bool) -> _Edit:
        """Behind an entry, and behind the comment in its line."""
        key, end = entry.key.span.start, entry.value.span.start + len(entry.value.span.text.rstrip())
        rest = self.text[end : self._line_end(end)].strip()
        is_own_line = self._begins_line(key) and (is_flow or not rest or rest.startswith("#"))
        if not is_own_line:
            return _Edit(end, f"{self.between}{inline}")
        if is_flow and not self.is_dsl:
            return _Edit(end, f",{self.newline}{self._indent(key)}{inline}")
        return _Edit(self._line_end(end), f"{self.newline}{self._indent(key)}{lines}")

    def _own_lines(self, entry: Entry) -> str:
        """The whole `use` where it begins a line beside an entry."""
        if self.is_dsl or self.root.flow:
            return self.whole
        return f"use:{self.newline}{self._indent(entry.key.span.start)}  {self.entry}"

    def _body(self) -> list[Entry]:
        """The entries, in the DSL those in the braces."""
        own = (entry for entry in self.root.entries if entry.merged is None)
        entries = sorted(own, key=lambda entry: entry.key.span.start)
        return [entry for entry in entries if entry.key.span.start > self._brace()] if self.is_dsl else entries

    def _brace(self) -> int:
        """Where the body of a document of the DSL begins, behind what its head says."""
        at = self.root.span.start
        for entry in sorted(self.root.entries, key=lambda entry: entry.key.span.start):
            if "{" in self.text[at : entry.key.span.start]:
                break
            at = entry.value.span.end
        return self.text.index("{", at)

    def _above_comments(self, line: int) -> int:
        """The start of the first of the comment lines that stand right above a line."""
        while line:
            above = self._line_start(line - 1)
            if not self.text[above:line].lstrip().startswith("#"):
                break
            line = above
        return line

    def _begins_line(self, at: int) -> bool:
        return not self.text[self._line_start(at) : at].strip()

    def _indent(self, at: int) -> str:
        return self.text[self._line_start(at) : at]

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        return end - (self.text[end - 1 : end] == "\r")
