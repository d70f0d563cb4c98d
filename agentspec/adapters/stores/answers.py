"""answers: answers of models that are kept beside the runs of a store, by the hash of what was asked.

They are worth no run: a store that fails here has kept nothing, and says so to nobody.
"""

from __future__ import annotations

import time
from contextlib import suppress

from agentspec.adapters.stores.database import Database
from agentspec.errors import JournalError

MOST = 10_000  # answers of a store; the oldest go first
TABLE = "CREATE TABLE IF NOT EXISTS answers (id INTEGER PRIMARY KEY, key TEXT UNIQUE, at REAL, body BLOB)"
KEEP = "INSERT OR IGNORE INTO answers (key, at, body) VALUES (?, ?, ?)"
FORGET = "DELETE FROM answers WHERE id <= (SELECT max(id) FROM answers) - ?"


class KeptAnswers:
    """The answers of one store; their table is made with the first of them."""

    def __init__(self, database: Database, most: int = MOST) -> None:
        self._database = database
        self._most = most
        self._is_made = False

    def get(self, key: str) -> bytes | None:
        """The answer to what has this hash, or None."""
        with suppress(JournalError), self._database.translated():
            self._make()
            row = self._database.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
            return None if row is None else bytes(row[0])
        return None

    def put(self, key: str, body: bytes) -> None:
        """Keep an answer. One that is there already stays."""
        with suppress(JournalError), self._database.transaction():
            self._database.execute(TABLE)
            self._is_made = True
            self._database.execute(KEEP, (key, time.time(), body))
            self._database.execute(FORGET, (self._most,))

    def _make(self) -> None:
        if not self._is_made:
            with self._database.transaction():
                self._database.execute(TABLE)
            self._is_made = True
