"""json_path_cursor: a place in the text of a JSONPath query, and what can be read there. What it means is not known."""

from __future__ import annotations

import json
import re

from agentspec.adapters.tools.pure.pure import Unfit
from agentspec.core.calls.cap import encodable

MOST_WHOLE = 2**53 - 1

_BLANK = re.compile(r"[ \t\n\r]*")
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
_STRING = re.compile(r"'(?:[^'\\\x00-\x1f]|\\.)*'|\"(?:[^\"\\\x00-\x1f]|\\.)*\"")
_ESCAPE = re.compile(r"\\.|\"", re.DOTALL)


class Cursor:
    """Goes through a text from its beginning, and back to an earlier place where `at` is set to it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def unexpected(self) -> Unfit:
        """The refusal of what stands here."""
        if self.at >= len(self.text):
            return Unfit("the query ends too early")
        return Unfit(f"unexpected `{self.text[self.at]}` at character {self.at + 1} of the query")

    def skip(self) -> None:
        """Go behind blanks."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def sees(self, sign: str) -> bool:
        """Whether this comes next."""
        return self.text.startswith(sign, self.at)

    def takes(self, sign: str) -> bool:
        """Whether this came next; then it is behind."""
        if not self.sees(sign):
            return False
        self.at += len(sign)
        return True

    def need(self, sign: str) -> None:
        """Go behind this, after any blanks. Raises `Unfit`."""
        self.skip()
        if not self.takes(sign):
            raise self.unexpected()

    def read(self, pattern: re.Pattern[str]) -> str | None:
        """What matches here, if anything does; then it is behind."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def whole(self) -> int | None:
        """A whole number, if one stands here. Raises `Unfit` for one that is too large."""
        text = self.read(_WHOLE)
        if text is None:
            return None
        if abs(int(text)) > MOST_WHOLE:
            raise Unfit(f"`{text[:40]}` is too large for an index")
        return int(text)

    def string(self) -> str:
        """The text in quotes that begins here. Raises `Unfit`."""
        quoted = self.read(_STRING)
        if quoted is None:
            raise Unfit(f"the text that begins at character {self.at + 1} of the query never ends")
        own, foreign = ('\\"', "\\'") if quoted[0] == '"' else ("\\'", '\\"')
        try:
            if foreign in quoted.replace("\\\\", ""):
                raise ValueError(foreign)
            text = json.loads(_as_json(quoted, own))
        except ValueError:
            raise Unfit(f"the text {quoted[:60]} has an escape that JSON does not know") from None
        if encodable(text) != text:
            raise Unfit(f"the text {quoted[:60]} holds half of a surrogate pair, which is no character")
        return str(text)


def _as_json(quoted: str, own: str) -> str:
    """The text in double quotes, as JSON has it."""

    def turned(found: re.Match[str]) -> str:
        if found[0] == own:
            return "'" if own == "\\'" else own
        return '\\"' if found[0] == '"' else found[0]

    return f'"{_ESCAPE.sub(turned, quoted[1:-1])}"'
