"""lexer: cut a DSL text into tokens, one at a time, as the parser asks for them.

Two modes: in the document the grammar's own token definitions hold; where the parser is ready for an expression, the
text up to its end is one token. So the tokens depend on the parser's state, and none may be read ahead.
Whatever the text holds, the lexer gives tokens and goes forward; what is no token is reported and read for what it
most likely means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from agentspec.syntax.dsl.bare import bare_expression, foreign_type
from agentspec.syntax.dsl.cut import STRUCTURE, Cut, cut_line, cut_rule, is_condition
from agentspec.syntax.dsl.lalr import END, load
from agentspec.syntax.dsl.numbers import number_meant
from agentspec.syntax.dsl.report import Report, unseen
from agentspec.text.visible import hidden_in

Token = tuple[str, int, int]  # kind, start, end
Accepts = Callable[[str], bool]

# A word or number ends here; whatever else follows it makes the whole run a loose word, as in `src/main.py`.
_EDGE = r"""(?=[\s{}\[\](),|?"#=;]|\+=|\Z"""
_EDGES = {"WORD": _EDGE + r"|:(?!//))", "NUMBER": _EDGE + ")", "QUANTITY": _EDGE + ")"}
_LOOSE = (
    r"""(?P<UNCLOSED>"[^\r\n]*)|(?P<SINGLE>'[^'\r\n]*')|(?P<FOREIGN_COMMENT>//[^\r\n]*)"""
    r"""|(?P<ODD_BLANK>[^\S \t\r\n]+|\ufeff)"""
    r"""|(?P<LOOSE>\w+://[^\s,{}\[\]()"#]+|[0-9]+(?::[0-9]+)+"""
    r"""|(?:[^\s{}\[\](),:=|?"#;<>!~^$\ufeff]++|\$\{[^}\r\n]*\}|[<>!~^]=?|\$)+|;+)"""
)
_NO_RULE = re.compile(r"[ \t\r\n]*(?:[:{}\]),]|\+=|=(?![=>]))")  # after a `when` that is an ordinary key
_NEXT_LINE = re.compile(r"(?:\r\n|\n|\r)([^\r\n]*)")
_OPENING = re.compile(r"""[ \t]*[^\W\d][\w.\-]*[ \t]*:[ \t]*""")
_LEADING_ZERO = re.compile(r"0[0-9]+")
_NO_WORD = re.compile(r"[\W_]+")


class _Plan(NamedTuple):
    scan: Callable[[str, int], re.Match[str] | None]
    keywords: dict[str, str]
    signs: dict[str, str]
    quoted: str


@cache
def _plan() -> _Plan:
    tables = load("document")
    texts = {text: name for name, (kind, text) in tables.tokens.items() if kind == "str"}
    regexes = {name: text for name, (kind, text) in tables.tokens.items() if kind == "re"}
    keywords = {text: name for text, name in texts.items() if text.isalpha()}
    signs = {text: name for text, name in texts.items() if not text.isalpha()}
    named = "|".join(
        f"(?P<{name}>{regexes[name]}{_EDGES.get(name, '')})"
        for name in ("WORD", "COMMENT", "STRING", "NUMBER", "QUANTITY")
    )
    # A raw text's end is looked up by `find`: the grammar's own pattern would take its time over a long one.
    named += r'|(?P<TEXT>"{3,}+)'
    sign = "|".join(re.escape(text) for text in sorted(signs, key=lambda text: (-len(text), text)))
    master = re.compile(rf"(?:{regexes['BLANK']})?(?:{named}|(?P<SIGN>{sign})|{_LOOSE}|(?P<END>\Z))")
    return _Plan(master.match, keywords, signs, regexes["QUOTED"])


class Lexer:
    """The tokens of one source. `comments` has the place of each comment passed, `blanked` those of each expression."""

    def __init__(self, report: Report, *, distrusts_texts: bool = False) -> None:
        self.report = report
        self._distrusts_texts = distrusts_texts
        self.text = report.source.text
        self.at = 0
        self.comments: list[tuple[int, int]] = []
        self.blanked: dict[int, list[tuple[int, int]]] = {}  # by the start of the expression
        self._plan = _plan()
        self._last = ""

    def is_condition(self, at: int) -> bool:
        """Whether what stands at a place is the condition of a rule, with its `=>`."""
        return is_condition(self.text, at, self._plan.quoted)

    def bare_expression(self) -> Token | None:
        """The expression without quotes that stands where a value is due: reported, and passed over."""
        found = bare_expression(self.text, self.at, self._plan.quoted)
        if found is None:
            return None
        start, end = found
        written = json.dumps(self.text[start:end], ensure_ascii=False)
        fix = self.report.replace("put quotes around it", start, end, written)
        message = "an expression behind `:` needs quotes; behind `=` it needs none"
        self.report.add("AS054", start, end, message, fix=fix)
        self.at, self._last = end, "BROKEN"
        return ("BROKEN", start, end)

    def foreign_type(self) -> Token | None:
        """A type of another language as one word, which the checks will know."""
        found = foreign_type(self.text, self.at)
        if found is None:
            return None
        start, self.at = found
        self._last = "WORD"
        return ("WORD", start, self.at)

    def next(self, accepts: Accepts) -> Token:
        """The next token, given what the parser would accept now; at the end of the text `$END`, for ever."""
        if self._last in ("EQUAL", "WHEN") and accepts("EXPR"):
            return self._expression(cut_rule if self._last == "WHEN" else cut_line)
        while True:
            match = self._plan.scan(self.text, self.at)
            assert match is not None
            kind = match.lastgroup
            assert kind is not None
            start, self.at = match.span(kind)
            if kind == "WORD":
                kind = self._plan.keywords.get(match[kind], "WORD")
                if kind == "WORD" and match["WORD"] == "when" and self._begins_rule(accepts):
                    kind = "WHEN"
            elif kind == "SIGN":
                kind = self._plan.signs[match[kind]]
            elif kind == "COMMENT":
                self.comments.append((start, self.at))
                continue
            elif kind == "END":
                kind = END
            elif kind not in ("STRING", "NUMBER", "QUANTITY"):
                kind = _MENDERS[kind](self, start, accepts)
                if not kind:
                    continue
            self._last = kind
            return (kind, start, self.at)

    def _begins_rule(self, accepts: Accepts) -> bool:
        if _NO_RULE.match(self.text, self.at):
            return False
        return accepts("WHEN") or accepts("THEN") or self._last == "THEN"  # also where a rule is not finished

    def _expression(self, cutter: Callable[[str, int, str], Cut]) -> Token:
        cut = cutter(self.text, self.at, self._plan.quoted)
        inside = [place for place in cut.comments if cut.start <= place[0] < cut.end]
        if inside:
            self.blanked[cut.start] = inside
        self.comments += [place for place in cut.comments if place[0] < cut.end]
        self.at = cut.end
        self._last = "EXPR"
        return ("EXPR", cut.start, cut.end)

    def move(self, at: int, behind: str = "") -> None:
        """Go on from another place, in the document's mode, or in the one of the token that stands before it."""
        self.at = at
        self._last = behind
        while self.comments and self.comments[-1][0] >= at:
            self.comments.pop()  # they will be passed again

    # What is no token: each reports, moves `at` behind what it read, and gives the kind of token to take it for.

    def mend_unclosed_string(self, start: int, accepts: Accepts) -> str:
        """A string without its closing quote ends with its line, or with a quote on a line that continues it."""
        first = self.at
        end = self._continued(first)
        message = 'this string is not closed; its closing `"` is missing'
        advice = 'a string stands on one line; text over several lines is written between `"""`'
        self.report.add("AS053", start, first, message, help=advice if end else None)
        self.at = end or first
        return "BROKEN" if accepts("BROKEN") else "STRING"

    def _continued(self, at: int) -> int | None:
        """The end of a string that goes on over the following lines, or None."""
        for line in _NEXT_LINE.finditer(self.text, at):
            if line.start() != at or STRUCTURE.match(line[1]):
                return None
            quote = line[1].find('"')
            if quote >= 0:
                return line.start(1) + quote + 1
            at = line.end()
        return None

    def read_text(self, start: int, accepts: Accepts) -> str:
        """Raw text to its closing quotes; without them it ends before the first line that is indented no deeper."""
        quotes = self.text[start : self.at]
        end = self.text.find(quotes, self.at)
        if end >= 0 and not (self._distrusts_texts and self._is_opening(end, start)):
            self.at = end + len(quotes)
            return "TEXT"
        self.report.add("AS053", start, self.at, f"this text is not closed; its closing `{quotes}` is missing")
        shallower = re.compile(rf"(?<=[\r\n])[ \t]{{0,{self._indent(start)}}}(?![ \t\r\n])").search(self.text, self.at)
        self.at = shallower.start() if shallower else len(self.text)
        return "BROKEN" if accepts("BROKEN") else "STRING"

    def _is_opening(self, quotes: int, start: int) -> bool:
        """Whether quotes that would close the text of `start` look like the opening ones of the next text."""
        line = self._line(quotes)
        return _OPENING.fullmatch(self.text, line, quotes) is not None and self._indent(quotes) <= self._indent(start)

    def _line(self, at: int) -> int:
        return self.report.source.line_starts[self.report.source.position(at).line - 1]

    def _indent(self, at: int) -> int:
        line = self._line(at)
        return len(self.text[line:at]) - len(self.text[line:at].lstrip(" \t"))

    def mend_single(self, start: int, accepts: Accepts) -> str:
        inside = self.text[start + 1 : self.at - 1]
        right = '"' + inside.replace("\\'", "'").replace('"', '\\"') + '"'
        fix = self.report.replace(f"write `{right}`", start, self.at, right)
        self.report.add("AS054", start, self.at, "strings take double quotes", fix=fix)
        return "BROKEN" if accepts("BROKEN") else "STRING"

    def mend_foreign_comment(self, start: int, accepts: Accepts) -> str:
        del accepts
        fix = self.report.replace("write `#`", start, start + 2, "#", "equivalent")
        self.report.add("AS059", start, start + 2, "a comment begins with `#`, not with `//`", fix=fix)
        self.comments.append((start, self.at))
        return ""

    def mend_odd_blank(self, start: int, accepts: Accepts) -> str:
        import unicodedata  # noqa: PLC0415 - only an error needs it

        del accepts
        name = unicodedata.name(self.text[start], "a control character").lower()
        fix = self.report.replace("write an ordinary blank", start, self.at, " ", "equivalent")
        message = f"U+{ord(self.text[start]):04X} ({name}) stands where only blanks and line ends may"
        self.report.add("AS059", start, self.at, message, fix=fix)
        return ""

    def mend_loose(self, start: int, accepts: Accepts) -> str:
        found = self.text[start : self.at]
        if _NO_WORD.fullmatch(found) and not accepts("NUMBER"):
            message = "entries are not ended by `;`" if found[0] == ";" else f"`{found}` has no meaning here"
            fix = self.report.replace(f"remove `{found}`", start, self.at, "")
            self.report.add("AS059", start, self.at, message, fix=fix)
            return ""
        if hidden := hidden_in(found):
            place = start + found.index(hidden[0])
            fix = self.report.replace("remove it", place, place + 1, "")
            self.report.add("AS020", place, place + 1, unseen(hidden[0]), help="remove it", fix=fix)
            return self._plan.keywords.get(found.replace(hidden[0], ""), "WORD")
        if _LEADING_ZERO.fullmatch(found):
            advice = f'write `{found.lstrip("0") or 0}`, or `"{found}"` for a text'
            self.report.add("AS054", start, self.at, f"`{found}` begins with a zero", help=advice)
        elif (number := number_meant(found)) is not None:
            advice = f'write `{number}`, or `"{found}"` for a text'
            self.report.add("AS054", start, self.at, f"`{found}` is not how a number is written", help=advice)
        elif found.lower().lstrip("+-") in (".inf", ".nan"):
            self.report.add("AS016", start, self.at, f"`{found}` is not a finite number")
        else:
            quoted = '"' + found.replace("\\", "\\\\") + '"'
            fix = self.report.replace(f"write `{quoted}`", start, self.at, quoted)
            message = f"`{found}` is not a word or a number; it needs quotes"
            self.report.add("AS054", start, self.at, message, fix=fix)
        return "STRING" if accepts("STRING") and not accepts("WORD") else "WORD"


_MENDERS: dict[str, Callable[[Lexer, int, Accepts], str]] = {
    "UNCLOSED": Lexer.mend_unclosed_string,
    "TEXT": Lexer.read_text,
    "SINGLE": Lexer.mend_single,
    "FOREIGN_COMMENT": Lexer.mend_foreign_comment,
    "ODD_BLANK": Lexer.mend_odd_blank,
    "LOOSE": Lexer.mend_loose,
}
