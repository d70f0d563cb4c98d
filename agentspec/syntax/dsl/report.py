"""report: collect what is wrong with the text of one DSL file.

The second syntax error of a line mostly follows from the first and is left out. Reading, general: `findings.READING`;
what only the DSL has is here, AS050 to AS089, all of it errors.
"""

from __future__ import annotations

from agentspec.syntax.findings import READING
from agentspec.syntax.limits import MAX_DEPTH, MAX_NODES, MAX_SYNTAX_ERRORS
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, FixClass, Related
from agentspec.text.source import Source, Span

NEEDS_QUOTES = "AS054"
SYNTAX = {
    "AS050": "text that does not fit",
    "AS051": "block that is not closed",
    "AS052": "bracket that closes nothing",
    "AS053": "string or raw text that is not closed",
    NEEDS_QUOTES: "text that needs quotes",
    "AS055": "missing sign",
    "AS056": "missing part",
    "AS057": "head out of its place",
    "AS058": "raw text on the line of its opening quotes",
    "AS059": "sign of another language",
    "AS060": "text outside of a document",
}


def unseen(character: str) -> str:
    """The sentence about a character in a name that nobody sees."""
    return f"a name holds a character that nobody sees (U+{ord(character):04X})"


class Refused(Exception):
    """The text is over a limit: reading stops, and this is all that is said about it."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


TOO_DEEP = f"values are nested deeper than {MAX_DEPTH} levels"
TOO_MANY = f"the file has more than {MAX_NODES} values"


class Enough(Exception):
    """There are more syntax errors than anybody repairs in one go: what follows is not worth its time."""


class Report:
    """The findings of one pass over a source. While it is `muted` it takes none."""

    __slots__ = ("_lines", "_tries", "diagnostics", "errors", "muted", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.muted = False
        self.errors = 0  # of syntax
        self._tries = 0
        self._lines: dict[int, str] = {}

    def add(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        *,
        help: str | None = None,  # noqa: A002 - the name of the field that it fills
        fix: Fix | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Collect a finding about the text from `start` to `end`. Raises `Enough` after the last that is wanted."""
        if self.muted or (code in SYNTAX and self._follows(code, start)):
            return
        self.errors += code in SYNTAX
        span = Span(self.source, start, end)
        severity = READING.get(code, "error")
        self.diagnostics.append(Diagnostic(code, severity, message, span, help=help, fix=fix, related=related))
        if len(self.diagnostics) >= MAX_SYNTAX_ERRORS:
            raise Enough

    def _follows(self, code: str, start: int) -> bool:
        """Whether an earlier syntax error stands on the line; several texts of a line can each need quotes."""
        self._tries += 1
        if self._tries > MAX_SYNTAX_ERRORS**2:  # most of them on a few endless lines
            raise Enough
        line = self.source.position(start).line
        earlier = self._lines.get(line)
        self._lines[line] = earlier or code
        return earlier is not None and not earlier == code == NEEDS_QUOTES

    def count(self, *codes: str) -> int:
        """How many findings have one of these codes."""
        return sum(each.code in codes for each in self.diagnostics)

    def replace(self, title: str, start: int, end: int, text: str, fix_class: FixClass = "local") -> Fix:
        """A fix that writes `text` in place of what stands from `start` to `end`."""
        return Fix(title, (Edit(Span(self.source, start, end), text),), fix_class)
