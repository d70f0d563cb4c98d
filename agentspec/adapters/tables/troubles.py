"""troubles: what a database complains of, in words that name columns and rules and never the values of other rows."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy.exc import DBAPIError, IntegrityError

from agentspec.core.messages import ToolError
from agentspec.ports import Output

# PostgreSQL, appendix A: error codes.
_STATES = {
    "23502": "a value is missing that may not be null",
    "23503": "it refers to a row that is not there, or is referred to by one",
    "23505": "a value that has to be unique is taken already",
    "23514": "the table does not allow these values",
    "23P01": "it collides with another row",
    "42501": "the database does not allow this",
    "40001": "another change came in between; try again",
    "40P01": "another change came in between; try again",
    "55P03": "somebody else holds the row; try again later",
}
_AGAIN = ("40001", "40P01", "55P03")
_STOPPED = "57014"
_IN_SQLITE = {
    "UNIQUE": "23505",
    "PRIMARY KEY": "23505",
    "NOT NULL": "23502",
    "CHECK": "23514",
    "FOREIGN KEY": "23503",
}
_SQLITE = re.compile(r"(UNIQUE|PRIMARY KEY|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?")


def refused(message: str, category: str = "value", *, retryable: bool = False) -> Output:
    """A call that changed nothing."""
    return Output(status="error", error=ToolError(category=category, message=message, retryable=retryable))


def stopped(seconds: float) -> Output:
    """A call whose time was over."""
    message = f"no answer after {seconds:g} s; nothing was changed"
    return Output(status="timeout", error=ToolError(category="timeout", message=message, retryable=True))


def output_of(error: DBAPIError, seconds: float) -> Output:
    """What the model reads of an error of the database."""
    origin: Any = error.orig
    state = getattr(origin, "sqlstate", None)
    if state is None:
        return _of_sqlite(error, str(origin), seconds)
    if state == _STOPPED:
        return stopped(seconds)
    if state in _STATES:
        return refused(_STATES[state] + _subject(origin.diag), _category(state), retryable=state in _AGAIN)
    if state.startswith("22"):  # the values of this very call
        return refused(f"the table can't hold these values: {origin.diag.message_primary}")
    if state == "P0001":  # a sentence that the database's own rules raise
        return refused(f"the database refused: {origin.diag.message_primary}", "refused")
    return refused(f"the database failed (SQLSTATE {state})", "database", retryable=state[:2] in ("08", "53", "57"))


def _of_sqlite(error: DBAPIError, words: str, seconds: float) -> Output:
    found = _SQLITE.search(words)
    if found is not None:
        subject = f" (`{found[2]}`)" if found[2] else ""
        state = _IN_SQLITE[found[1]]
        return refused(_STATES[state] + subject, _category(state))
    if "interrupted" in words:
        return stopped(seconds)
    if "locked" in words:
        return refused("somebody else is writing to the database; try again later", "database", retryable=True)
    if isinstance(error, IntegrityError):  # `RAISE(ABORT, …)` of a trigger, a datatype that a STRICT table refuses
        return refused(f"the database refused: {words}", "refused")
    if getattr(error.orig, "sqlite_errorname", "") in ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_FULL"):
        return refused(f"the database can't be used: {words}", "database")
    return refused(
        f"the database failed: {type(error.orig).__name__}", "database", retryable=error.connection_invalidated
    )


def _category(state: str) -> str:
    return "integrity" if state.startswith("23") else "database"


def _subject(diagnosis: Any) -> str:
    """Which column or which rule; never the detail, which spells values out."""
    if diagnosis.column_name:
        return f" (`{diagnosis.column_name}`)"
    return f" (`{diagnosis.constraint_name}`)" if diagnosis.constraint_name else ""
