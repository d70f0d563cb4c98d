"""tokens: cut an expression into words, by the lexis of the CEL specification, and know what is broken in it.

Also words of other languages (`===`, `&`) come out as tokens, so that the parser can say what was meant.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n\f]+)
  | (?P<comment>//[^\n]*)
  | (?P<raw>[bB]?[rR](?:'''(?:.|\n)*?'''|\"\"\"(?:.|\n)*?\"\"\"|"[^"\n\r]*"|'[^'\n\r]*'))
  | (?P<text>[bB]?(?:'''(?:[^\\]|\\(?:.|\n))*?'''|\"\"\"(?:[^\\]|\\(?:.|\n))*?\"\"\"
             |"(?!"")(?:[^"\\\n\r]|\\[^\n\r])*"|'(?!'')(?:[^'\\\n\r]|\\[^\n\r])*'))
  | (?P<open>[bB]?[rR]?(?:'''|\"\"\"|"|')[^\n]*)
  | (?P<number>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
  | (?P<integer>0[xX][0-9a-fA-F]+|[0-9]+)(?P<unsigned>[uU])?
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<quoted>`[A-Za-z0-9_.\-/\ ]+`)
  | (?P<op>\?\.(?=[A-Za-z_])|===|!==|==|!=|<=|>=|<>|=>|=<|=~|->|&&|\|\||\?\?|\*\*|\+\+|:=
          |[-+*/%!<>?:.,()\[\]{}=&|;^~@$#\\])
  | (?P<other>[^ \t\r\n\f])
    """,
    re.VERBOSE,
)
ESCAPE = r"""\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"""
SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class Token(NamedTuple):
    """A word of an expression. `kind` is a group of `TOKEN`, or `end`; operators and words carry their text."""

    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """The words of a text without blanks; comments stay in, the last token is `end`."""
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind != "space":
            found.append(Token(kind, match[0], match.start(), match.end()))
    found.append(Token("end", "", len(text), len(text)))
    return found


def bad_escape(token: Token) -> tuple[int, int] | None:
    """The place of the first backslash of a text that begins no escape of CEL, or None."""
    escape, at = re.compile(ESCAPE), token.text.find("\\")
    while at >= 0:
        match = escape.match(token.text, at)
        if match is None:
            return token.start + at, min(token.start + at + 2, token.end)
        at = token.text.find("\\", match.end())
    return None


def text_of(token: Token) -> str:
    """What a text token means. Its escapes must be sound."""
    body = token.text.lstrip("bBrR")
    width = 3 if body[:3] in ('"""', "'''") and len(body) > 5 else 1
    inner = body[width:-width]
    return inner if token.kind == "raw" else re.sub(ESCAPE, _unescape, inner)


def _unescape(match: re.Match[str]) -> str:
    code = match[0][1:]
    if code[0] in "xXuU":
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    if len(code) == 3:
        return chr(int(code, 8))
    return SIMPLE.get(code, code)
