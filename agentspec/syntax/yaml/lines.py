"""lines: lines that fit nothing above them: wrong indentation, no colon, no space behind a colon."""

from __future__ import annotations

import re
from typing import NamedTuple

from agentspec.syntax.findings import quoted
from agentspec.syntax.yaml.blocks import lines_of
from agentspec.syntax.yaml.stretch import Cause, Stretch
from agentspec.syntax.yaml.tokens import Token
from agentspec.text.diagnostic import Edit, Fix


class Line(NamedTuple):
    """A line outside brackets: its tokens, where its content begins, and the column of its key behind any `- `."""

    tokens: list[Token]
    column: int
    key_column: int | None

    @property
    def has_value(self) -> bool:
        last = self.tokens[-1]
        return last.kind not in ("colon", "dash", "block", "mark")


def look_at_blocks(stretch: Stretch) -> Cause | None:
    """A line of a block of text that is indented otherwise than the text (YAML 1.2.2, 8.1.1.1)."""
    blocks = [token for token in stretch.tokens if token.kind == "block"]
    return next((cause for token in blocks if (cause := _ragged(stretch, token))), None)


def _ragged(stretch: Stretch, token: Token) -> Cause | None:
    _, *lines = lines_of(stretch.text, token.start, token.end)
    written = [line for line in lines if stretch.text[line.begin : line.end].strip()]
    if not written:
        return None
    first = written[0]
    for line in lines[: lines.index(first)]:
        if line.column > first.column:
            place = stretch.span(line.begin + first.column, line.content)
            fix = Fix("remove the blanks", (Edit(place, ""),), "format")
            message = "a blank line is indented deeper than the text below it"
            return Cause("AS028", message, place, "remove the blanks", fix)
    for line in written:
        place = stretch.span(line.begin, line.content)
        if "\t" in place.text[: first.column]:
            return Cause("AS006", "a tab indents this line", place, "YAML is indented with spaces")
        if line.column < first.column:
            place = stretch.span(line.content, stretch.line_stop(line.content))
            message = f"{quoted(place.text)} is indented less than the text above it"
            return Cause("AS028", message, place, "indent it as the first line of the text")
    return None


def look_at_lines(stretch: Stretch) -> Cause | None:
    """The first line that does not fit."""
    above: list[Line] = []
    for line in _lines(stretch):
        cause = _indentation(stretch, line, above) or _no_key(stretch, line, above)
        if cause is not None:
            return cause
        above.append(line)
    return None


def _lines(stretch: Stretch) -> list[Line]:
    """The lines of a stretch; what stands inside brackets or a longer quote belongs to the line where that began."""
    groups: list[list[Token]] = []
    for index, token in enumerate(stretch.tokens):
        outside = not token.level or (token.kind == "open" and token.level == 1)
        if not groups or (outside and token.kind != "close" and stretch.starts_line(index)):
            groups.append([])
        groups[-1].append(token)
    return [_line(stretch, tokens) for tokens in groups]


def _line(stretch: Stretch, tokens: list[Token]) -> Line:
    content = [token for token in tokens if token.kind not in ("dash", "mark")]
    has_key = len(content) > 1 and content[1].kind == "colon"
    column = stretch.column(tokens[0].start)
    return Line(tokens, column, stretch.column(content[0].start) if has_key else None)


def _indentation(stretch: Stretch, line: Line, above: list[Line]) -> Cause | None:
    if not above or (line.key_column is None and line.tokens[0].kind != "dash"):
        return None
    before = above[-1]
    start = line.tokens[0].start
    place = stretch.span(start, line.tokens[0].end)
    is_item = line.tokens[0].kind == "dash"
    if before.key_column is not None and before.has_value and line.column + is_item > before.key_column:
        key = quoted(stretch.text_of(next(token for token in before.tokens if token.kind not in ("dash", "mark"))))
        message = f"{quoted(place.text)} stands below {key}, which has a value already"
        return Cause("AS028", message, place, "indent it as the line above" if not is_item else None)
    columns = {each for other in above for each in (other.column, other.key_column)}
    if line.column < max(before.column, before.key_column or 0) and line.column not in columns:
        return Cause("AS028", f"the indentation of {quoted(place.text)} fits no line above", place, _columns(above))
    return None


def _columns(above: list[Line]) -> str:
    columns = sorted({other.key_column or other.column for other in above})
    return "lines above begin in column " + ", ".join(map(str, columns))


def _no_key(stretch: Stretch, line: Line, above: list[Line]) -> Cause | None:
    first = line.tokens[0]
    if first.kind == "colon":
        return Cause("AS011", "a key is missing in front of `:`", stretch.span(first.start, first.end))
    if line.key_column is not None or first.kind not in ("plain", "single", "double"):
        return None
    if above and above[-1].has_value and above[-1].key_column is not None and line.column > above[-1].column:
        return None  # the second line of a long text
    text = stretch.text_of(first)
    place = stretch.span(first.start, stretch.line_end(first.start))
    tight = re.match(r"[\w$.+-]+:(?=\S)", text)
    if tight is not None:
        at = first.start + tight.end()
        fix = Fix("add a space", (Edit(stretch.span(at, at), " "),), "local")
        return Cause("AS015", "a space is missing after `:`", stretch.span(at - 1, at), "add a space", fix)
    if re.match(r"-[^\s-]", text):
        fix = Fix("add a space", (Edit(stretch.span(first.start + 1, first.start + 1), " "),), "local")
        advice = "a list item begins with `- `"
        return Cause("AS015", "a space is missing after `-`", stretch.span(first.start, first.start + 1), advice, fix)
    if text.startswith(("//", "--", "/*")):
        return Cause("AS001", f"no key: {quoted(place.text)}", place, "a comment begins with `#`")
    advice = "write `key: value`" if "=" not in text else "write `key: value`, with `:` for `=`"
    return Cause("AS001", f"no key: {quoted(place.text)}", place, advice)
