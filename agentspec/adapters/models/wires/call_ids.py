"""call_ids: the ids of calls as one server takes them, the same in a call and in its result.

They are what they were until the server says that it wants others: Mistral and what is built on it want nine letters
and digits, OpenAI no more than forty characters.
"""

from __future__ import annotations

import hashlib
import re

ABOUT = re.compile(r"tool[ _]calls?(?:\[\d+\]\.|[ _])id\b")
EXACT = re.compile(r"length of (\d{1,3})\b")
MOST = re.compile(r"maximum length (?:of )?(\d{1,3})\b")


class CallIds:
    """The form in which a server takes ids, as far as it has told."""

    def __init__(self) -> None:
        self._size = 0
        self._form: re.Pattern[str] | None = None

    def learn(self, words: str) -> bool:
        """Take in a complaint, in lower case; whether ids are written otherwise from now on.

        >>> ids = CallIds()
        >>> ids.learn("tool call id was call_1 but must be a-z, a-z, 0-9, with a length of 9."), ids.of("call_1")
        (True, '74196fe72')
        >>> ids.of("abcdefgh9"), ids.learn("tool call id was call_1 but must have a length of 9")
        ('abcdefgh9', False)
        """
        exact, most = EXACT.search(words), MOST.search(words)
        told = exact or most
        if self._form is not None or told is None or ABOUT.search(words) is None:
            return False
        self._size = min(64, int(told[1]))
        self._form = re.compile(rf"[A-Za-z0-9]{{{self._size}}}" if exact else rf".{{1,{self._size}}}")
        return True

    def of(self, call_id: str) -> str:
        """The id as the server takes it: the same one, or one that is made of it and always the same."""
        if self._form is None or self._form.fullmatch(call_id):
            return call_id
        return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[: self._size]
