"""chain: each record of a journal is bound to all before it by a SHA-256, so that a change is seen.

It shows what was changed by accident or by hand; somebody who rewrites the whole store can compute it anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from agentspec.errors import JournalError
from agentspec.ports import JournalRecord

START = bytes(32)  # the hash before the first record


def link(run_id: str, prev: bytes, seq: int, kind: str, at: str, body: bytes) -> bytes:
    """The hash of a record: over its run, its place, its content and the hash before it.

    `at` is the `repr` of its time, which takes as long to write as the hash does: records of one event share it.
    """
    return hashlib.sha256(f"{run_id}\n{seq}\n{kind}\n{at}\n".encode() + prev + body).digest()


def verified(
    run_id: str, rows: Iterable[tuple[JournalRecord, bytes]], count: int, head: bytes
) -> Iterator[JournalRecord]:
    """The records of a run, each with the `prev` that was stored with it, held against each other and the head.

    Raises `JournalError` naming the first record that is missing or was changed.
    """
    last, before = START, None
    for record, prev in rows:
        expected = before.seq + 1 if before else 1
        if record.seq != expected:
            raise JournalError(f"record {expected} of run `{run_id}` is missing")
        if prev != last:
            raise _changed(run_id, before or record)
        last, before = link(run_id, prev, record.seq, record.kind, repr(record.at), record.body), record
        yield record
    seen = before.seq if before else 0
    if seen != count:
        raise JournalError(f"record {min(seen, count) + 1} of run `{run_id}` is missing")
    if last != head:
        raise _changed(run_id, before) if before else JournalError(f"the head of run `{run_id}` was changed")


def _changed(run_id: str, record: JournalRecord) -> JournalError:
    return JournalError(f"record {record.seq} (`{record.kind}`) of run `{run_id}` was changed after it was written")
