"""advice: the way out of a failure of a model's provider, as far as its class tells it. A table, read from above."""

from __future__ import annotations

from typing import NamedTuple

from agentspec.runtime.result import RunError

ADDRESS = "`OPENAI_BASE_URL` or `model.base_url`"


class Row(NamedTuple):
    """What is said where the reason fits, and the status and the word in the message where they are given."""

    reason: str
    words: tuple[str, ...]
    status: int | None
    way_out: str


ROWS = (
    Row("auth", (), 401, "set the key anew: it is taken from `OPENAI_API_KEY`, or from what `model.api_key_env` names"),
    Row("auth", (), 403, "the key is known, but may not do this: ask who gave it out, or name another model"),
    Row(
        "invalid_request",
        ("HTML", "Not Found", "has no `/v1`"),
        404,
        f"is the address right? Most end in `/v1`; it comes from {ADDRESS}",
    ),
    Row(
        "invalid_request",
        ("model",),
        404,
        "name a model that the server has: `model.model`, or `--set model.model=NAME`",
    ),
    Row(
        "invalid_request",
        ("image", "vision", "multimodal"),
        None,
        "can the model see? Name one that can, or leave out `--image` and the `images` of `context.history`",
    ),
    Row("bad_response", ("choices",), None, f"does it speak Chat Completions? The address comes from {ADDRESS}"),
    Row(
        "connection", ("TLS",), None, f"a server without TLS is reached by `http://`; the address comes from {ADDRESS}"
    ),
    Row("connection", ("was not found",), None, f"is the network there? The address comes from {ADDRESS}"),
    Row(
        "connection",
        ("no connection to",),
        None,
        f"does the server run, and on this port? The address comes from {ADDRESS}",
    ),
    Row("timeout", (), None, "`model.timeout` and `model.idle_timeout` give it longer"),
    Row(
        "rate_limited",
        ("quota", "balance", "credit", "billing"),
        None,
        "the account has nothing left to spend: add to it, or use the key of another",
    ),
    Row("rate_limited", (), None, "try again later; `model.retry` sets how often and how long it is tried"),
)


def advice(error: RunError) -> str | None:
    """The way out of what ended a run; None where nothing is known of it."""
    if error.category != "provider_error" or error.provider == "script":
        return None
    return next((row.way_out for row in ROWS if _fits(row, error)), None)


def _fits(row: Row, error: RunError) -> bool:
    if row.reason != error.reason or row.status not in (None, error.http_status):
        return False
    return not row.words or any(word in error.message for word in row.words)
