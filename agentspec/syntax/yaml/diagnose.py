"""diagnose: the one sentence for a stretch of text that is not YAML.

It looks at the author's text alone, never at a parser's complaint, so that the words are ours and the place is the
cause, not the spot where a parser gave up.
"""

from __future__ import annotations

from collections.abc import Callable

from agentspec.syntax.tape import ESCAPES, HEX_ESCAPES
from agentspec.syntax.yaml.lines import look_at_blocks, look_at_lines
from agentspec.syntax.yaml.pieces import look_at_pieces
from agentspec.syntax.yaml.quotes import quote_fix
from agentspec.syntax.yaml.reading import Reading
from agentspec.syntax.yaml.stretch import Cause, Stretch
from agentspec.syntax.yaml.tokens import PAIRS, Token


def diagnose(reading: Reading, begin: int, end: int) -> None:
    """Report why the stretch cannot be read: always one finding. Raises `Refused` beyond the depth limit."""
    stretch = Stretch(reading, begin, end)
    for token in stretch.tokens:
        if token.kind == "open":
            reading.spend_depth(len(reading.path) + token.level, token.start)
    for look in LOOKS:
        cause = look(stretch)
        if cause is not None:
            break
    else:
        cause = _unknown(stretch)
    reading.report(cause.code, cause.message, cause.span, help=cause.help, fix=cause.fix)


def _unknown(stretch: Stretch) -> Cause:
    start = stretch.tokens[0].start if stretch.tokens else stretch.begin
    return Cause("AS001", "this cannot be read as YAML", stretch.span(start, stretch.line_end(start)))


def look_at_quotes(stretch: Stretch) -> Cause | None:
    """An escape that does not exist, a quote that nothing closes."""
    for token in stretch.tokens:
        if token.kind == "double" and (at := bad_escape(stretch.text, token)) is not None:
            return _escape_cause(stretch, token, at)
        if token.is_open:
            return Cause(
                "AS012",
                f"this {token.kind} quote is never closed",
                stretch.span(token.start, token.start + 1),
                help=f"close the text with `{stretch.sign(token)}`",
            )
    return None


def bad_escape(text: str, token: Token) -> int | None:
    """Where the first escape stands that YAML 1.2.2, 5.7 does not know, or that keeps a Windows path from ending."""
    at = text.find("\\", token.start, token.end)
    while at >= 0:
        letter = text[at + 1 : at + 2]
        digits = HEX_ESCAPES.get(letter, 0)
        number = text[at + 2 : at + 2 + digits]
        is_known = _is_hexadecimal(number, digits) if digits else letter in ESCAPES
        is_path_end = letter == '"' and token.is_open and text.startswith(":\\", token.start + 2)
        if is_path_end or not (is_known or letter in ("\n", "\r")):
            return at
        at = text.find("\\", at + 2, token.end)
    return None


def _is_hexadecimal(number: str, digits: int) -> bool:
    return len(number) == digits and all(digit in "0123456789abcdefABCDEF" for digit in number)


def _escape_cause(stretch: Stretch, token: Token, at: int) -> Cause:
    written = stretch.text[at : at + 2]
    message = f"`{written}` is no escape" if written != '\\"' else 'this `\\"` is an escaped quote and ends no text'
    advice = "in double quotes a backslash begins an escape; use single quotes, or `/` in a path"
    fix = None
    if not token.is_open:
        fix = quote_fix(stretch.span(token.start, token.end), stretch.text[token.start + 1 : token.end - 1])
    return Cause("AS025", message, stretch.span(at, at + len(written)), advice, fix)


def look_at_brackets(stretch: Stretch) -> Cause | None:
    """Brackets that are not closed, closed by another one, or close nothing."""
    opened: list[Token] = []
    for token in stretch.tokens:
        if token.kind == "open":
            opened.append(token)
        elif token.kind == "close":
            sign, place = stretch.sign(token), stretch.span(token.start, token.end)
            if not opened:
                return Cause("AS012", f"`{sign}` closes nothing", place)
            before = stretch.sign(opened.pop())
            if PAIRS[before] != sign:
                return Cause("AS012", f"`{sign}` cannot close `{before}`", place, f"write `{PAIRS[before]}`")
    if not opened or not stretch.is_whole:
        return None
    sign = stretch.sign(opened[-1])
    place = stretch.span(opened[-1].start, opened[-1].end)
    return Cause("AS012", f"this `{sign}` is never closed", place, f"close it with `{PAIRS[sign]}`")


LOOKS: tuple[Callable[[Stretch], Cause | None], ...] = (
    look_at_quotes,
    look_at_pieces,
    look_at_brackets,
    look_at_blocks,
    look_at_lines,
)
